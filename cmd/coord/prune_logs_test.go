package main

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// TestLogsAreBounded in number and age; the newest stay.
func TestLogsAreBounded(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	for n := range 6 {
		path := filepath.Join(dir, strconv.Itoa(n)+".log")
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now, now.Add(-time.Duration(n)*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	left := func() (names string) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			names += e.Name()[:1]
		}
		return names
	}
	pruneLogs(dir, 4, now.Add(-150*time.Minute))
	if got := left(); got != "012" {
		t.Errorf("by age %s are left", got)
	}
	pruneLogs(dir, 2, now.Add(-time.Hour*24))
	if got := left(); got != "01" {
		t.Errorf("by number %s are left", got)
	}
}

// TestSettledJobsAreForgotten, and no others, however old.
func TestSettledJobsAreForgotten(t *testing.T) {
	a := &app{env: environment{"XDG_STATE_HOME=" + t.TempDir(), "HOME=" + t.TempDir()}}
	old := time.Now().Add(-jobsKeptFor - time.Hour)
	make := func(settled bool, at time.Time) jobDir {
		d, err := a.newJobDir(jobIntent{Origin: "o", Name: at.String()})
		if err != nil {
			t.Fatal(err)
		}
		if err := d.put(fileIntent, jobIntent{Name: at.String()}); err != nil {
			t.Fatal(err)
		}
		if settled {
			if err := d.put(fileDelivered, jobDelivery{}); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(d.file(fileDelivered), at, at); err != nil {
				t.Fatal(err)
			}
		}
		return d
	}
	gone, open, fresh := make(true, old), make(false, old), make(true, time.Now())
	guarded := make(true, old)
	unlock, err := tryLock(guarded.guardLock())
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	a.pruneJobs()
	if gone.has(fileIntent) || !open.has(fileIntent) || !fresh.has(fileIntent) || !guarded.has(fileIntent) {
		t.Errorf("settled %v, open %v, fresh %v, guarded %v", gone.has(fileIntent), open.has(fileIntent), fresh.has(fileIntent), guarded.has(fileIntent))
	}
}
