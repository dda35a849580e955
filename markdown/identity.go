package markdown

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strconv"

	"coord"
)

// found is a record of one of an import's files.
type found struct {
	Record
	file     int // index into the import's files
	path     string
	revision string
	key      string

	anchor  *coord.ImportAnchor // what it was matched to, if it was imported before
	task    *coord.ImportTask
	lesson  *coord.ImportLesson
	claimed bool // by a marker or a tier
	moved   bool
	double  *found // the record that stands for it
	ask     string // what it may be, if only a person can say
}

// identify gives every record a key: SHA-256 over its place and its lead, each
// part with its length. Records that agree in all of it are numbered.
func identify(project coord.ProjectKey, records []*found) {
	seen := map[string]int{}
	for _, r := range records {
		k := key("v1", string(project), r.path, string(r.Kind), r.Shape, r.Section, r.Label, r.leadOrFull())
		if r.Marker == markNew {
			k = key(k, markNew)
		}
		seen[k]++
		r.key = k
		if n := seen[k]; n > 1 {
			r.key = key(k, strconv.Itoa(n))
		}
	}
}

func (r *found) leadOrFull() string {
	if r.Lead == "" {
		return r.Full
	}
	return r.Lead
}

func key(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write([]byte(p))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// fresh is the anchor that remembers r as it is now.
func (r *found) fresh() *coord.ImportAnchor {
	a := &coord.ImportAnchor{
		Key: r.key, Kind: r.Kind, Path: r.path, Line: r.Line, Shape: r.Shape, Section: r.Section,
		Label: r.Label, Lead: r.leadOrFull(), Full: r.Full, Base: r.Facets, Revision: r.revision,
	}
	if r.task != nil {
		a.Task = r.task.ID
	}
	if r.lesson != nil {
		a.Lesson = r.lesson.ID
	}
	a.Base.Body = bodyDigest(r.Facets.Body)
	return a
}

func bodyDigest(body string) string {
	if body == "" {
		return ""
	}
	return digest([]byte(body))
}
