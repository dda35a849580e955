package proc

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Log is a file that takes any amount of output and keeps its beginning and
// its end. While it is written, the end is in files beside it, PATH.1 and so
// on, so that what was kept survives the writer; Close makes one file of them.
type Log struct {
	mu    sync.Mutex
	path  string
	limit int64
	sum   hash.Hash
	all   int64
	head  *os.File
	part  *os.File // the latest of the files beside it; nil while the head takes all
	size  int64    // of part
	n     int      // number of part
	lost  int64    // bytes that the joined log does not keep
}

// logLeast is the smallest limit of a log.
const logLeast = 1 << 10

// CreateLog makes the log in the place of an earlier one. It keeps at most
// limit bytes: half of it from the beginning, and from the end at least a
// quarter.
func CreateLog(path string, limit int64) (*Log, error) {
	for _, n := range partsOf(path) {
		if err := os.Remove(partName(path, n)); err != nil {
			return nil, err
		}
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	return &Log{path: path, limit: max(limit, logLeast), sum: sha256.New(), head: f}, nil
}

// Write never keeps the program waiting for more than the disk.
func (l *Log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sum.Write(b)
	written := len(b)
	if room := l.limit/2 - l.all; room > 0 {
		first := b[:min(int64(len(b)), room)]
		if _, err := l.head.Write(first); err != nil {
			return 0, err
		}
		l.all += int64(len(first))
		b = b[len(first):]
	}
	for len(b) > 0 {
		if err := l.turn(); err != nil {
			return 0, err
		}
		next := b[:min(int64(len(b)), l.limit/4-l.size)]
		if _, err := l.part.Write(next); err != nil {
			return 0, err
		}
		l.all += int64(len(next))
		l.size += int64(len(next))
		b = b[len(next):]
	}
	return written, nil
}

// turn begins another part when there is none that has room, and forgets the
// one before the last.
func (l *Log) turn() error {
	if l.part != nil && l.size < l.limit/4 {
		return nil
	}
	if l.part != nil {
		if err := l.part.Close(); err != nil {
			return err
		}
	}
	l.n++
	if l.n > 2 {
		_ = os.Remove(partName(l.path, l.n-2)) // one that somebody reads may stay: then more is kept
	}
	f, err := os.OpenFile(partName(l.path, l.n), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	l.part, l.size = f, 0
	return err
}

// Digest is the SHA-256 of everything that was written, in hex, also of what
// was cut.
func (l *Log) Digest() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return hex.EncodeToString(l.sum.Sum(nil))
}

// Cut is how many bytes are not kept.
func (l *Log) Cut() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cut()
}

func (l *Log) cut() int64 {
	if parts := partsOf(l.path); len(parts) > 0 {
		return int64(parts[0]-1) * (l.limit / 4)
	}
	return l.lost
}

// Close joins what is kept in one file. After a failure the parts stay, and
// ReadLog reads them.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.head == nil {
		return nil
	}
	var errs []error
	if l.part != nil {
		errs = append(errs, l.part.Close(), l.join())
	}
	errs = append(errs, l.head.Sync(), l.head.Close())
	l.head = nil
	return errors.Join(errs...)
}

func (l *Log) join() error {
	parts := partsOf(l.path)
	l.lost = l.cut()
	if _, err := io.WriteString(l.head, cutText(l.lost)); err != nil {
		return err
	}
	for _, n := range parts {
		if err := appendFile(l.head, partName(l.path, n)); err != nil {
			return err
		}
	}
	for _, n := range parts {
		if err := os.Remove(partName(l.path, n)); err != nil {
			return err
		}
	}
	return nil
}

func appendFile(w io.Writer, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}

// cutText stands in the log where something is missing.
func cutText(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("\n… %d bytes were cut here …\n", n)
}

// ReadLog is what a log holds, also while it is written or after its writer
// was killed.
func ReadLog(path string) ([]byte, error) {
	var out []byte
	for range 3 { // a part may be given up while it is read
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		parts := partsOf(path)
		out = text
		if len(parts) > 0 {
			size := int64(0)
			if st, err := os.Stat(partName(path, parts[0])); err == nil {
				size = st.Size()
			}
			out = append(out, cutText(int64(parts[0]-1)*size)...)
		}
		whole := true
		for _, n := range parts {
			text, err := os.ReadFile(partName(path, n))
			whole = whole && !errors.Is(err, fs.ErrNotExist)
			out = append(out, text...)
		}
		if whole {
			break
		}
	}
	return out, nil
}

func partName(path string, n int) string { return path + "." + strconv.Itoa(n) }

// partsOf are the numbers of a log's parts, lowest first.
func partsOf(path string) (all []int) {
	entries, _ := os.ReadDir(filepath.Dir(path)) // without the directory there is no part
	for _, e := range entries {
		tail, ok := strings.CutPrefix(e.Name(), filepath.Base(path)+".")
		if n, err := strconv.Atoi(tail); ok && err == nil && n > 0 {
			all = append(all, n)
		}
	}
	slices.Sort(all)
	return all
}
