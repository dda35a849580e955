package proc

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestLogKeepsBothEnds: whatever is written in whatever pieces, the beginning
// and the end are there, what is missing is counted, and the digest is of all.
func TestLogKeepsBothEnds(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		const limit = logLeast
		path := filepath.Join(dir, "log")
		l, err := CreateLog(path, limit)
		if err != nil {
			t.Fatal(err)
		}
		var all []byte
		for i, n := range rapid.SliceOfN(rapid.IntRange(0, 900), 0, 20).Draw(t, "sizes") {
			piece := bytes.Repeat([]byte{byte('a' + i)}, n)
			all = append(all, piece...)
			if got, err := l.Write(piece); got != n || err != nil {
				t.Fatalf("wrote %d of %d: %v", got, n, err)
			}
		}
		check := func(when string) {
			kept, err := ReadLog(path)
			if err != nil {
				t.Fatal(err)
			}
			if l.Cut() == 0 {
				if !bytes.Equal(kept, all) {
					t.Fatalf("%s: %d bytes of %d, and none are said to be cut", when, len(kept), len(all))
				}
				return
			}
			head, tail, found := bytes.Cut(kept, fmt.Appendf(nil, "\n… %d bytes were cut here …\n", l.Cut()))
			if !found || !bytes.HasPrefix(all, head) || !bytes.HasSuffix(all, tail) || len(head)+len(tail)+int(l.Cut()) != len(all) {
				t.Fatalf("%s: %d and %d bytes of %d, %d cut, said so: %v", when, len(head), len(tail), len(all), l.Cut(), found)
			}
			if len(head) != limit/2 || len(tail) < limit/4 || len(head)+len(tail) > limit {
				t.Fatalf("%s: it keeps %d and %d bytes", when, len(head), len(tail))
			}
		}
		check("while it is written")
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		check("after")
		if sum := sha256.Sum256(all); l.Digest() != hex.EncodeToString(sum[:]) {
			t.Fatal("the digest is of something else")
		}
		if left := partsOf(path); len(left) != 0 {
			t.Fatalf("parts %v are left", left)
		}
	})
}

func TestLogReplacesAnEarlierOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	first, err := CreateLog(path, logLeast)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := first.Write([]byte(strings.Repeat("x", 5*logLeast))); err != nil {
		t.Fatal(err)
	}
	_, _ = first.part.Close(), first.head.Close() // as the end of its writer would
	second, err := CreateLog(path, logLeast)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := second.Write([]byte("y")); err != nil {
		t.Fatal(err)
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadLog(path); err != nil || string(got) != "y" {
		t.Errorf("%q, %v", got, err)
	}
	if st, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && st.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v, %v", st, err)
	}
}
