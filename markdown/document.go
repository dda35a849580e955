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
	KindFront   Kind = "front"   // front matter with the lines that enclose it
	KindBlank   Kind = "blank"   // blank lines between blocks
)

// Span is the bytes [From, To) of a file. The zero Span is none.
type Span struct{ From, To int }

// Tile is a run of whole lines that belong together. The tiles of a file, one
// after another, are its exact bytes.
type Tile struct {
	Span
	Kind   Kind
	Record int // the innermost record that the lines belong to; -1 for none
}

// Marks is where a record's own signs stand: all that an export may change in
// a file that it did not write.
type Marks struct {
	Box    Span // the one sign between the brackets of a checkbox
	Status Span // the text of a status cell, a status line or a status in front matter
	End    int  // where a remark or a marker is added to the record's own text; 0 if nowhere
}

// LinkKind says how a link is written.
type LinkKind string

// The kinds of link.
const (
	LinkPath     LinkKind = "path"     // [text](docs/a.md#part), also by reference
	LinkAnchor   LinkKind = "anchor"   // [text](#part)
	LinkExternal LinkKind = "external" // http:, https:, mailto: and the like
	LinkWiki     LinkKind = "wiki"     // [[a note]]
	LinkMention  LinkKind = "mention"  // `docs/a.md`, in code and not as a link
	LinkNumber   LinkKind = "number"   // #12, an issue or pull request
	LinkCommit   LinkKind = "commit"   // an abbreviated or full object id
	LinkLabel    LinkKind = "label"    // B-12, the label of a record
)

// Link is a reference from a file to something else, as it is written there.
type Link struct {
	Kind   LinkKind
	Raw    string // the target as written: docs/a.md#part, B-12
	Span   Span   // of the whole link
	Line   int    // from 1
	Record int    // the record whose text it is in; -1 for none
}

// Record is one thing a file states: a task, a lesson or a handoff note.
type Record struct {
	Kind   coord.RecordKind
	Shape  string // item, row, heading, paragraph, section, region or file
	Line   int    // of its first line, from 1
	Last   int    // of the last line that belongs to it
	Own    Span   // its own text with its sign: an item's first paragraph, a row, a heading
	Whole  Span   // whole lines: the own text and everything that belongs to it
	Marks  Marks
	Parent int    // the record that it is nested in; -1 for none
	Marker string // id of a marker in its own text: pay-42, L3, new; empty without one

	Section  string // titles of the headings above it, outermost first, normalised
	Label    string // the explicit label it begins with: B-12, #7, 1.2
	Number   string // what an ordered list numbers it; people renumber, so it identifies nothing
	Lead     string // normalised beginning that survives notes added at the end
	Full     string // digest of the normalised own text
	Facets   coord.RecordFacets
	Ready    bool               // plainly open: nothing says closed, blocked, parked or unclear
	Disputed string             // why its own signs contradict each other; empty if they do not
	Intact   bool               // a region of an export whose checksum holds
	AsOf     coord.Seq          // of a line in an edited region of open tasks: the event that the region shows the state of
	Brackets Brackets           // of a lesson
	Handoff  coord.HandoffFacts // of a note: what it says of itself
}

// Document is one file taken apart. Records are in no order that matters; their
// lines are nested or disjoint.
type Document struct {
	Tiles       []Tile
	Records     []Record
	Links       []Link
	Diagnostics []coord.ImportDiagnostic
	Lines       int

	front  map[string]string
	banner string
}

// Read takes a file apart. It fails with CodeBadRequest when the file is too
// large, nested too deeply or holds too many records; its bytes are untouched either way.
func Read(f coord.SourceFile) (Document, error) {
	if doc, err, ok := foreign(f); ok {
		return doc, err
	}
	if err := checkLimits(f.Content); err != nil {
		return Document{}, err
	}
	p := newPage(f.Content)
	blocks := p.blocks()
	doc := Document{Lines: len(p.starts), front: p.front}
	x := newExtraction(p, blocks, f.As)
	x.run()
	x.dateRegions()
	if n := len(x.records); n > maxRecords {
		return Document{}, coord.Errorf(coord.CodeBadRequest, "the file holds %d records; at most %d are read, nothing was imported from it", n, maxRecords)
	}
	doc.Tiles = x.tiles(nest(x.records))
	doc.Records = x.records
	doc.Links = x.links(doc.Tiles)
	doc.banner = x.banner
	doc.Diagnostics = x.notes.list(f.Path)
	return doc, nil
}
