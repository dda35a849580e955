package gitops

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"sort"
)

// indexEntry is one entry of an index as gitformat-index(5) stores it, its name
// written out. The first 40 bytes of fixed are what lstat(2) said of the file.
type indexEntry struct {
	fixed [62]byte // 40 of lstat, the object name, the flags
	extra [2]byte  // further flags, when flags say that there are any
	path  string
}

// Positions in fixed.
const (
	atMtime = 8
	atMode  = 24
	atSize  = 36
	atName  = 40
	atFlags = 60
)

const (
	flagExtended = 0x4000
	flagStage    = 0x3000
	flagLength   = 0x0fff
)

func (e *indexEntry) number(at int) uint32 { return binary.BigEndian.Uint32(e.fixed[at:]) }
func (e *indexEntry) flags() uint16        { return binary.BigEndian.Uint16(e.fixed[atFlags:]) }
func (e *indexEntry) regular() bool        { return e.number(atMode)>>12 == 0b1000 }

// errIndex is why an index is left to git.
var errIndex = errors.New("the index has a form that only git reads")

// parseIndex reads the entries of an index of SHA-1 names, versions 2 to 4. It
// refuses one whose entries are not all in it: a split or a sparse index.
func parseIndex(data []byte) ([]indexEntry, error) {
	if len(data) < 32 || string(data[:4]) != "DIRC" {
		return nil, errIndex
	}
	version, count := binary.BigEndian.Uint32(data[4:]), binary.BigEndian.Uint32(data[8:])
	if version < 2 || version > 4 || int(count) > len(data)/len(indexEntry{}.fixed) {
		return nil, errIndex
	}
	rest := data[12 : len(data)-sha1.Size]
	entries := make([]indexEntry, 0, count)
	previous := ""
	for range count {
		e, size, err := parseEntry(rest, version, previous)
		if err != nil {
			return nil, err
		}
		entries, rest, previous = append(entries, e), rest[size:], e.path
	}
	for len(rest) > 0 { // an extension git must know has a name in lower case
		if len(rest) < 8 || rest[0] >= 'a' {
			return nil, errIndex
		}
		size := int64(binary.BigEndian.Uint32(rest[4:])) + 8
		if size > int64(len(rest)) {
			return nil, errIndex
		}
		rest = rest[size:]
	}
	return entries, nil
}

// parseEntry reads one entry and says how long it is.
func parseEntry(rest []byte, version uint32, previous string) (e indexEntry, size int, err error) {
	if len(rest) < len(e.fixed)+2 {
		return e, 0, errIndex
	}
	size = copy(e.fixed[:], rest)
	if e.flags()&flagExtended != 0 {
		size += copy(e.extra[:], rest[size:])
	}
	prefix := ""
	if version == 4 {
		drop, n := binary.Uvarint(rest[size:])
		if n != 1 || drop > uint64(len(previous)) { // longer ones are written in another way
			return e, 0, errIndex
		}
		prefix, size = previous[:len(previous)-int(drop)], size+n
	}
	length := bytes.IndexByte(rest[size:], 0)
	if length < 0 {
		return e, 0, errIndex
	}
	if e.path = string(rest[size : size+length]); prefix != "" {
		e.path = prefix + e.path
	}
	size += length + 1
	if version < 4 {
		size = (size + 7) &^ 7
	}
	if size > len(rest) || e.path == "" {
		return e, 0, errIndex
	}
	return e, size, nil
}

// formatIndex writes entries, which it sorts, as an index without extensions.
func formatIndex(entries []indexEntry) []byte {
	sort.SliceStable(entries, func(i, j int) bool {
		a, b := &entries[i], &entries[j]
		if a.path != b.path {
			return a.path < b.path
		}
		return a.flags()&flagStage < b.flags()&flagStage
	})
	version := uint32(2)
	var body []byte
	for i := range entries {
		e := &entries[i]
		start := len(body)
		flags := e.flags()&^flagLength | uint16(min(len(e.path), flagLength))
		binary.BigEndian.PutUint16(e.fixed[atFlags:], flags)
		body = append(body, e.fixed[:]...)
		if flags&flagExtended != 0 {
			version, body = 3, append(body, e.extra[:]...)
		}
		body = append(append(body, e.path...), 0)
		for (len(body)-start)%8 != 0 {
			body = append(body, 0)
		}
	}
	head := []byte("DIRC")
	head = binary.BigEndian.AppendUint32(head, version)
	head = binary.BigEndian.AppendUint32(head, uint32(len(entries)))
	all := append(head, body...)
	sum := sha1.Sum(all)
	return append(all, sum[:]...)
}
