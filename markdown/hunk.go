package markdown

import (
	"fmt"
	"strings"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// hunkLine is a line with the sign that a unified diff gives it.
type hunkLine struct {
	sign byte // ' ', '-' or '+'
	text string
}

// Diff is the difference of two versions of a file as a unified diff; empty if
// there is none.
func Diff(name string, before, after []byte) string {
	if string(before) == string(after) {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", name, name)
	lines := diffLines(string(before), string(after))
	was, is := 1, 1 // line numbers
	for from := 0; from < len(lines); {
		first, end := nextHunk(lines, from)
		if first < 0 {
			break
		}
		count(lines[from:first], &was, &is)
		writeHunk(&b, lines[first:end], was, is)
		count(lines[first:end], &was, &is)
		from = end
	}
	return b.String()
}

// diffLines compares line by line.
func diffLines(before, after string) []hunkLine {
	dmp := diffmatchpatch.New()
	a, b, all := dmp.DiffLinesToRunes(before, after)
	var out []hunkLine
	for _, d := range dmp.DiffCharsToLines(dmp.DiffMainRunes(a, b, false), all) {
		sign := map[diffmatchpatch.Operation]byte{diffmatchpatch.DiffEqual: ' ', diffmatchpatch.DiffDelete: '-', diffmatchpatch.DiffInsert: '+'}[d.Type]
		for line := range strings.Lines(d.Text) {
			out = append(out, hunkLine{sign, line})
		}
	}
	return out
}

// hunkContext is how many lines are shown around a change.
const hunkContext = 3

// nextHunk is the part of lines to show for the next changes from a place on;
// changes with little between them are shown together.
func nextHunk(lines []hunkLine, from int) (first, end int) {
	at := from
	for at < len(lines) && lines[at].sign == ' ' {
		at++
	}
	if at == len(lines) {
		return -1, at
	}
	first = max(from, at-hunkContext)
	equal := 0
	for end = at; end < len(lines) && equal <= 2*hunkContext; end++ {
		if equal++; lines[end].sign != ' ' {
			equal = 0
		}
	}
	return first, end - max(equal-hunkContext, 0)
}

func writeHunk(b *strings.Builder, lines []hunkLine, was, is int) {
	ofWas, ofIs := 0, 0
	count(lines, &ofWas, &ofIs)
	fmt.Fprintf(b, "@@ -%s +%s @@\n", hunkRange(was, ofWas), hunkRange(is, ofIs))
	for _, l := range lines {
		text, whole := strings.CutSuffix(l.text, "\n")
		b.WriteString(string(l.sign) + strings.TrimSuffix(text, "\r") + "\n")
		if !whole {
			b.WriteString("\\ No newline at end of file\n")
		}
	}
}

// count adds the lines of both versions.
func count(lines []hunkLine, was, is *int) {
	for _, l := range lines {
		if l.sign != '+' {
			*was++
		}
		if l.sign != '-' {
			*is++
		}
	}
}

// hunkRange is where a side of a hunk begins, and how many lines it has.
func hunkRange(from, lines int) string {
	switch lines {
	case 0:
		return fmt.Sprintf("%d,0", from-1)
	case 1:
		return fmt.Sprint(from)
	}
	return fmt.Sprintf("%d,%d", from, lines)
}
