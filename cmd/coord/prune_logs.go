package main

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"slices"
	"time"

	"coord"
)

// pruneLogs removes the files of a directory that were last written before a
// time, and of the others all but the newest. What cannot be removed is tried
// again the next time.
func pruneLogs(dir string, keep int, before time.Time) {
	entries, _ := os.ReadDir(dir)
	type aged struct {
		name string
		at   time.Time
	}
	var files []aged
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			files = append(files, aged{e.Name(), info.ModTime()})
		}
	}
	slices.SortFunc(files, func(a, b aged) int { return b.at.Compare(a.at) })
	for i, f := range files {
		if i >= keep || f.at.Before(before) {
			_ = os.Remove(filepath.Join(dir, f.name))
		}
	}
}

// newMark is a text like no other.
func newMark() (string, error) { return coord.RandomText(22, rand.Reader) }
