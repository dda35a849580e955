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
	file  int // index into the import's files
	index int // in its document
	src   *coord.SourceFile
	path  string
	key   string
	late  bool // its file says that it is no longer in use

	how    matching
	anchor *coord.ImportAnchor // what it was matched to, if it was imported before
	task   *coord.ImportTask
	lesson *coord.ImportLesson
	double *found   // the record that stands for it
	ask    string   // what it may be, if only a person can say
	clash  string   // why it can be nothing until a person says
	argued bool     // Disputed is about another place, and was reported
	alien  bool     // it stands in an export of another project, whose lessons are numbered like this one's
	waits  []waited // what it waits for, resolved
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
	var room [512]byte
	b := room[:0]
	for _, p := range parts {
		b = binary.BigEndian.AppendUint64(b, uint64(len(p)))
		b = append(b, p...)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:16])
}

// fresh is the anchor that remembers r as it is now.
func (r *found) fresh() *coord.ImportAnchor {
	a := &coord.ImportAnchor{
		Key: r.key, Kind: r.Kind, Path: r.path, Line: r.Line, Shape: r.Shape, Section: r.Section,
		Label: r.Label, Lead: r.leadOrFull(), Full: r.Full, Base: r.Facets, Revision: r.src.Revision,
	}
	if r.task != nil {
		a.Task = r.task.ID
	}
	if r.lesson != nil {
		a.Lesson = r.lesson.ID
	}
	a.Base.Body = bodyDigest(r.Facets.Body)
	a.Base.After = nil // until what it waits for is resolved
	if r.anchor != nil {
		a.Handoff, a.Base.After = r.anchor.Handoff, r.anchor.Base.After
	}
	if r.Kind == coord.RecordLesson {
		r.unspoken(&a.Base)
	}
	return a
}

func bodyDigest(body string) string {
	if body == "" {
		return ""
	}
	return digest([]byte(body))
}

// side is r as one side of a problem.
func (r *found) side(says string) coord.ImportSide {
	return coord.ImportSide{Path: r.path, Line: r.Line, Says: says, Revision: r.src.Revision, At: r.src.At}
}

// name is how a sentence calls r.
func (r *found) name() string {
	if r.Label != "" {
		return r.Label
	}
	return quote(brieflyOf(r.Facets.Title))
}

func brieflyOf(s string) string {
	const most = 80
	if len(s) > most {
		return toValid(s[:most]) + "…"
	}
	return s
}
