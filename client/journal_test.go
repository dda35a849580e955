package client

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"coord"
)

func journalIn(t *testing.T) *Journal {
	t.Helper()
	return OpenJournal(SessionKey{Dir: t.TempDir(), Origin: "http://a.test", Name: "a"})
}

func requestOf(body string) Pending {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return Pending{Intent: "a deed", WrittenAt: at, Request: request{Method: "POST", Path: "/x", Key: "k", Body: []byte(body)}}
}

func TestJournalKeepsTheLastRequest(t *testing.T) {
	j := journalIn(t)
	for _, body := range []string{"a", strings.Repeat("long\n", 3000), "", strings.Repeat("b", journalBlock), "c"} {
		if err := j.write(requestOf(body)); err != nil {
			t.Fatal(err)
		}
		p, err := j.Pending()
		if err != nil || p == nil || string(p.Request.Body) != body || p.Intent != "a deed" || !p.WrittenAt.Equal(requestOf("").WrittenAt) {
			t.Fatalf("of %d bytes: %+v, %v", len(body), p, err)
		}
		for range 2 {
			if err := j.clear(); err != nil {
				t.Fatal(err)
			}
			if p, err := j.Pending(); p != nil || err != nil {
				t.Fatalf("after clear: %+v, %v", p, err)
			}
		}
	}
}

// A machine that loses power while a request is written has sent nothing: any
// mixture of the old and the new file reads as the new request or as none.
func TestJournalTornWrite(t *testing.T) {
	j := journalIn(t)
	image := func(p Pending) []byte {
		if err := j.write(p); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(j.path())
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	old, fresh := image(requestOf("the old one")), image(requestOf("the new one"))
	old[0] = '-'
	for cut := range len(fresh) {
		for _, torn := range [][]byte{append(bytes.Clone(fresh[:cut]), old[cut:]...), append(bytes.Clone(old[:cut]), fresh[cut:]...), fresh[:cut]} {
			p, err := parsePending(torn)
			if err != nil || p != nil && string(p.Request.Body) != "the new one" {
				t.Fatalf("cut at %d: %+v, %v", cut, p, err)
			}
		}
	}
}

func TestJournalErrors(t *testing.T) {
	j := journalIn(t)
	if err := j.clear(); err != nil {
		t.Errorf("nothing to forget: %v", err)
	}
	if err := os.MkdirAll(j.path(), 0o700); err != nil {
		t.Fatal(err)
	}
	wantCode(t, j.write(requestOf("a")), coord.CodeSetup, "was not sent")
	other := journalIn(t)
	text := `{"intent":5}`
	sum := sha256.Sum256([]byte(text))
	if err := privateDir(filepath.Dir(other.path())); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(other.path(), []byte(hex.EncodeToString(sum[:])+"\n"+text+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := other.Pending()
	wantCode(t, err, coord.CodeSetup, "another version", other.path())
}
