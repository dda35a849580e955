package files

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A file that another process reads is replaced as soon as it is let go.
func TestReplaceWaitsForAReader(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.json")
	if err := Replace(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	reader, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if os.Rename(path, path+".moved") == nil {
		t.Fatal("this system lets an open file be renamed")
	}
	time.AfterFunc(50*time.Millisecond, func() { reader.Close() })
	if err := Replace(path, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "new" {
		t.Errorf("%q, %v", b, err)
	}
}
