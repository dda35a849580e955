package markdown

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"coord"
)

func writeRecord(b *bytes.Buffer, data coord.ExportData) {
	writeFront(b, data, coord.ExportRecord, "Durable record")
	lessons := recordOrder(data.Lessons)
	for _, k := range recordSections {
		open := false
		for _, l := range lessons {
			if !k.holds(l) {
				continue
			}
			if !open {
				if !bytes.HasSuffix(b.Bytes(), []byte("\n\n")) {
					b.WriteString("\n")
				}
				fmt.Fprintf(b, "## %s\n\n", k.title)
				open = true
			}
			writeLesson(b, l)
		}
	}
}

func recordOrder(lessons []coord.ExportLesson) []coord.ExportLesson {
	return slices.SortedFunc(slices.Values(lessons), func(x, y coord.ExportLesson) int {
		return cmp.Or(cmp.Compare(ordinal(x.ID), ordinal(y.ID)), cmp.Compare(x.ID, y.ID))
	})
}

type recordSection struct {
	kind  coord.LessonKind
	title string
}

// recordSections are the parts of the durable record, in the order they are
// read.
var recordSections = []recordSection{
	{coord.KindLesson, "Lessons"},
	{coord.KindFact, "Facts"},
	{coord.KindRejected, "Rejected approaches"},
	{coord.KindProposal, "Rule proposals"},
}

func (s recordSection) holds(l coord.ExportLesson) bool {
	return cmp.Or(l.Kind, coord.KindLesson) == s.kind
}

func ordinal(id coord.LessonID) int {
	n, err := strconv.Atoi(strings.TrimPrefix(string(id), "L"))
	if err != nil {
		return 0
	}
	return n
}

// writeLesson writes one item: the first line with where it comes from and the
// marker, then the other lines as they are.
func writeLesson(b *bytes.Buffer, l coord.ExportLesson) {
	first, more, _ := strings.Cut(strings.TrimSpace(lines(valid(l.Text))), "\n")
	text, said := encodeLesson(first), writeBrackets(l)
	if _, own := cutBrackets(text, true); own.There && said == "" {
		said = partFrom + " here" // so that brackets of its own stay text
	}
	b.WriteString("- " + text)
	if said != "" {
		b.WriteString(" (" + said + ")")
	}
	fmt.Fprintf(b, " <!-- coord:%s -->\n", l.ID)
	more = strings.TrimRight(more, " \t\n")
	if strings.HasPrefix(strings.TrimLeft(more, " \t"), "\n") || more == "" || !staysInside(encodeComments(more)) {
		writeBody(b, more)
		return
	}
	writeLines(b, "  ", encodeComments(more))
}

// encodeLesson keeps a bold beginning: for a lesson it is part of the text.
func encodeLesson(line string) string {
	if line = clean(line); strings.HasPrefix(line, "**") || strings.HasPrefix(line, "_") {
		return encodeLine(line)
	}
	return encodeTitle(line)
}

func writeHandoff(b *bytes.Buffer, data coord.ExportData) {
	writeFront(b, data, coord.ExportHandoff, "Handoff")
	attempts := handoffOrder(data.Attempts)
	for _, a := range attempts {
		writeAttempt(b, a)
	}
	b.WriteString("\n## Next steps\n")
}

func handoffOrder(attempts []coord.ExportAttempt) []coord.ExportAttempt {
	return slices.SortedFunc(slices.Values(attempts), func(x, y coord.ExportAttempt) int {
		return cmp.Or(cmp.Compare(number(x.Task), number(y.Task)), cmp.Compare(x.Generation, y.Generation))
	})
}

// writeAttempt writes a region: between its two comments stands what the
// service knows, and the checksum tells whether a person changed it.
func writeAttempt(b *bytes.Buffer, a coord.ExportAttempt) {
	var in bytes.Buffer
	fmt.Fprintf(&in, "\n## %s %s\n\nAttempt %d by %s", a.Task, encodeTitle(a.Title), a.Generation, encodeLine(clean(a.Owner)))
	if a.Branch != "" {
		fmt.Fprintf(&in, " on `%s`", strings.ReplaceAll(clean(a.Branch), "`", ""))
	}
	if a.Commit != "" {
		fmt.Fprintf(&in, ", saved as `%s` at %s.\n", a.Commit.Short(), stamp(a.Saved))
	} else {
		in.WriteString(", nothing saved yet.\n")
	}
	writeQuote(&in, a.Note)
	if next := encodeLine(clean(a.Next)); next != "" {
		fmt.Fprintf(&in, "\nNext: %s\n", next)
	}
	in.WriteString("\n")
	fmt.Fprintf(b, "\n<!-- coord:begin %s sum=%s -->\n%s<!-- coord:end %s -->\n", a.Task, regionSum(regionText(in.Bytes())), in.Bytes(), a.Task)
}

// regionText reads a region as an import does.
func regionText(in []byte) string {
	x := extraction{page: newPage(in)}
	return x.lines(span{first: 0, last: len(x.starts) - 1}, nil)
}

// writeQuote writes a note as a block quote: nothing in a quote is a record.
func writeQuote(b *bytes.Buffer, note string) {
	if note = strings.Trim(lines(valid(note)), " \t\n"); note != "" {
		b.WriteString("\n")
		writeLines(b, "> ", encodeComments(note))
	}
}

// exportedTask is how a task reads after an export and an import.
func exportedTask(t coord.ImportTask) coord.RecordFacets {
	var b bytes.Buffer
	b.WriteString("---\ncoord: backlog\n---\n\n")
	writeTask(&b, coord.ExportTask{
		ID: t.ID, Title: t.Title, Outcome: t.Outcome, Criteria: t.Criteria, Priority: t.Priority, Lifecycle: t.Lifecycle, After: t.After,
	})
	return onlyRecord(b.Bytes(), coord.AsBacklog)
}

func exportedLesson(l coord.ImportLesson) coord.RecordFacets {
	b := bytes.NewBufferString("---\ncoord: record\n---\n\n")
	for _, k := range recordSections {
		if x := asExported(l); k.holds(x) {
			fmt.Fprintf(b, "## %s\n\n", k.title)
			writeLesson(b, x)
		}
	}
	return onlyRecord(b.Bytes(), coord.AsRecord)
}

func asExported(l coord.ImportLesson) coord.ExportLesson {
	return coord.ExportLesson{
		ID: l.ID, Text: l.Text, Source: l.Source, Kind: l.Kind, Status: l.Status, Reopen: l.Reopen, Scope: l.Scope, Tags: l.Tags,
		ExpiresAt: l.ExpiresAt, SupersededBy: l.SupersededBy, Rule: l.Rule,
	}
}

func onlyRecord(src []byte, as coord.SourceRole) coord.RecordFacets {
	doc, err := Read(coord.SourceFile{As: as, Content: src})
	if err != nil || len(doc.Records) == 0 {
		return coord.RecordFacets{}
	}
	return doc.Records[0].Facets
}
