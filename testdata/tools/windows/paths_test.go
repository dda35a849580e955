package main

import (
	"bytes"
	"testing"
)

var tested = drives{"/tmp/x/drive_c"}

func TestUnix(t *testing.T) {
	for in, want := range map[string]string{
		`C:\t\pay`:                 "/tmp/x/drive_c/t/pay",
		"c:/t/pay":                 "/tmp/x/drive_c/t/pay",
		`Z:\home\pay`:              "/home/pay",
		"file:///C:/t/pay.git":     "file:///tmp/x/drive_c/t/pay.git",
		`--git-dir=C:\t\pay\.git`:  "--git-dir=/tmp/x/drive_c/t/pay/.git",
		`a\b`:                      `a\b`,
		"refs/heads/abc:/x":        "refs/heads/abc:/x",
		"HEAD:docs/a.md":           "HEAD:docs/a.md",
		`core.worktree=C:/t`:       "core.worktree=/tmp/x/drive_c/t",
		"https://example.com/c/:/": "https://example.com/c/:/",
	} {
		if got := tested.unix(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
	if got := tested.unixList(`C:\t;Z:\u`); got != "/tmp/x/drive_c/t:/u" {
		t.Error(got)
	}
}

// However the output is cut, it is translated as one.
func TestTranslating(t *testing.T) {
	const said = "at /tmp/x/drive_c/t/pay, from file:///tmp/x/drive_c/t/pay.git; /tmp/x/drive"
	const want = "at C:/t/pay, from file:///C:/t/pay.git; /tmp/x/drive"
	for size := 1; size < len(said); size++ {
		var out bytes.Buffer
		w := &translating{d: tested, to: &out}
		for i := 0; i < len(said); i += size {
			if _, err := w.Write([]byte(said[i:min(i+size, len(said))])); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.flush(); err != nil || out.String() != want {
			t.Errorf("%d bytes at a time: %q, %v", size, out.String(), err)
		}
	}
}
