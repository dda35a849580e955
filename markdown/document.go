// Package markdown turns Markdown files into records and records into
// Markdown. Its functions are pure: bytes in, values out; no file is opened and
// no clock is read.
//
// Read finds the records of a file. Plan compares the records of several files
// with what the service knows and says what an import would do. Export writes
// the documents that people read and edit, and an import of an untouched export
// plans nothing.
package markdown

import "coord"

// Kind says what the lines of a block are.
type Kind string

// The kinds of block.
const (
	KindHeading Kind = "heading" // one heading
	KindItem    Kind = "item"    // a list item's own lines
	KindCode    Kind = "code"    // fenced or indented code
	KindHTML    Kind = "html"    // an HTML block or comment
	KindQuote   Kind = "quote"   // a block quote with all it holds
	KindText    Kind = "text"    // paragraphs, tables, rules, link definitions
)

// Record is one thing a file states: a task, a lesson or a handoff note.
type Record struct {
	Kind   coord.RecordKind
	Shape  string // item, heading, section or file
	Line   int    // of its first line, from 1
	Last   int    // of the last line that belongs to it
	Marker string // id of a marker in its own text: pay-42, L3, new; empty without one

	Section  string // titles of the headings above it, outermost first, normalised
	Label    string // the explicit label it begins with: B-12, #7, 1.2
	Lead     string // normalised beginning that survives notes added at the end
	Full     string // digest of the normalised own text
	Facets   coord.RecordFacets
	Ready    bool   // plainly open: nothing says closed, blocked, parked or unclear
	Disputed string // why its own signs contradict each other; empty if they do not
	Intact   bool   // a region of an export whose checksum holds
}

// Document is one file taken apart.
type Document struct {
	Records     []Record
	Diagnostics []coord.ImportDiagnostic
	Lines       int

	front  map[string]string
	banner string
}

// Read takes a file apart. It fails with CodeBadRequest when the file is too
// large or nested too deeply to be parsed; its bytes are untouched either way.
func Read(f coord.SourceFile) (Document, error) {
	if err := checkLimits(f.Content); err != nil {
		return Document{}, err
	}
	p := newPage(f.Content)
	blocks := p.blocks()
	doc := Document{Lines: len(p.starts), front: p.front}
	x := newExtraction(p, blocks, f.As)
	x.run()
	doc.Records = x.records
	doc.banner = x.banner
	doc.Diagnostics = x.notes.list(f.Path)
	return doc, nil
}
