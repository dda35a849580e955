package gitops

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"sort"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
)

// packIndex finds objects in a pack by reading a few places of its index
// (gitformat-pack(5), version 2). go-git's own reads all of it and makes a map
// of it, which costs more than git in all as soon as a repository is big.
type packIndex struct {
	file   billy.File
	fanout [256]uint32
	count  int64

	known   map[int64]plumbing.Hash // by offset
	asked   int                     // how often for the hash at an offset
	steps   int                     // lookups since the last object was asked for
	reverse []packed                // every object by offset, once that is worth it
}

type packed struct {
	offset int64
	at     int
}

var _ idxfile.Index = (*packIndex)(nil)

// Places in the file: a header, the fan-out, names, checksums, offsets.
const (
	idxFanout = 8
	idxNames  = idxFanout + 256*4
	idxSums   = 2 * 20 // at the end
)

// How many objects of a pack are asked for one by one before all are read, and
// how many deltas may lie between an object and a whole one; git makes 50, or
// 250 when it is told to take its time.
const (
	manyLookups = 300
	mostSteps   = 300
)

var errPackIndex = errors.New("the index of a pack has a form that only git reads")

func openPackIndex(file billy.File, size int64) (*packIndex, error) {
	x := &packIndex{file: file, known: map[int64]plumbing.Hash{}}
	var head [idxNames]byte
	if _, err := file.ReadAt(head[:], 0); err != nil {
		return nil, err
	}
	if string(head[:8]) != "\xfftOc\x00\x00\x00\x02" {
		return nil, errPackIndex
	}
	last := uint32(0)
	for i := range x.fanout {
		x.fanout[i] = binary.BigEndian.Uint32(head[idxFanout+4*i:])
		if x.fanout[i] < last {
			return nil, errPackIndex
		}
		last = x.fanout[i]
	}
	x.count = int64(last)
	if size < idxNames+x.count*28+idxSums {
		return nil, errPackIndex
	}
	return x, nil
}

// begin is called before each object that is asked for from outside.
func (x *packIndex) begin() { x.steps = 0 }

func (x *packIndex) step() error {
	if x.steps++; x.steps > mostSteps {
		return errPackIndex // deltas in a circle
	}
	return nil
}

// FindOffset also serves deltas that name their base.
func (x *packIndex) FindOffset(h plumbing.Hash) (int64, error) {
	if err := x.step(); err != nil {
		return 0, err
	}
	low, high := int64(0), int64(x.fanout[h[0]])
	if h[0] > 0 {
		low = int64(x.fanout[h[0]-1])
	}
	names := make([]byte, (high-low)*20)
	if _, err := x.file.ReadAt(names, idxNames+low*20); err != nil {
		return 0, err
	}
	n := int(high - low)
	i := sort.Search(n, func(i int) bool { return bytes.Compare(names[i*20:i*20+20], h[:]) >= 0 })
	if i == n || !bytes.Equal(names[i*20:i*20+20], h[:]) {
		return 0, plumbing.ErrObjectNotFound
	}
	var b [4]byte
	if _, err := x.file.ReadAt(b[:], idxNames+x.count*24+(low+int64(i))*4); err != nil {
		return 0, err
	}
	offset, err := x.offset(binary.BigEndian.Uint32(b[:]))
	if err == nil {
		x.known[offset] = h
	}
	return offset, err
}

// offset follows an entry to the table of offsets above 2 GiB.
func (x *packIndex) offset(entry uint32) (int64, error) {
	if entry&(1<<31) == 0 {
		return int64(entry), nil
	}
	var b [8]byte
	if _, err := x.file.ReadAt(b[:], idxNames+x.count*28+int64(entry&^(1<<31))*8); err != nil {
		return 0, err
	}
	if b[0]&0x80 != 0 {
		return 0, errPackIndex
	}
	return int64(binary.BigEndian.Uint64(b[:])), nil
}

// FindHash names what lies at an offset. go-git asks for the bases of deltas,
// only to look whether it has them already; an object that was never asked for
// has a name made up from its offset.
func (x *packIndex) FindHash(offset int64) (plumbing.Hash, error) {
	if err := x.step(); err != nil {
		return plumbing.ZeroHash, err
	}
	if h, ok := x.known[offset]; ok {
		return h, nil
	}
	if x.asked++; x.asked >= manyLookups {
		if err := x.readAll(); err != nil {
			return plumbing.ZeroHash, err
		}
		return x.nameAt(offset)
	}
	var made plumbing.Hash
	copy(made[:], "made up")
	binary.BigEndian.PutUint64(made[12:], uint64(offset))
	return made, nil
}

func (x *packIndex) nameAt(offset int64) (h plumbing.Hash, err error) {
	i, found := slices.BinarySearchFunc(x.reverse, offset, func(p packed, o int64) int { return int(p.offset - o) })
	if !found {
		return h, plumbing.ErrObjectNotFound
	}
	_, err = x.file.ReadAt(h[:], idxNames+int64(x.reverse[i].at)*20)
	x.known[offset] = h
	return h, err
}

func (x *packIndex) readAll() error {
	if x.reverse != nil {
		return nil
	}
	entries := make([]byte, x.count*4)
	if _, err := x.file.ReadAt(entries, idxNames+x.count*24); err != nil {
		return err
	}
	all := make([]packed, x.count)
	for i := range all {
		offset, err := x.offset(binary.BigEndian.Uint32(entries[4*i:]))
		if err != nil {
			return err
		}
		all[i] = packed{offset, i}
	}
	slices.SortFunc(all, func(a, b packed) int { return int(a.offset - b.offset) })
	x.reverse = all
	return nil
}

// Contains and what follows complete the interface; reading single objects
// needs none of it.
func (x *packIndex) Contains(h plumbing.Hash) (bool, error) {
	_, err := x.FindOffset(h)
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		return false, nil
	}
	return err == nil, err
}

func (x *packIndex) Count() (int64, error)                       { return x.count, nil }
func (x *packIndex) FindCRC32(plumbing.Hash) (uint32, error)     { return 0, errPackIndex }
func (x *packIndex) Entries() (idxfile.EntryIter, error)         { return nil, errPackIndex }
func (x *packIndex) EntriesByOffset() (idxfile.EntryIter, error) { return nil, errPackIndex }
