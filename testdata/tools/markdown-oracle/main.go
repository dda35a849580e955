// Markdown-oracle compares what package markdown finds in real files with what
// another parser finds: every heading, list item, checkbox and row of a table
// stands on the same line for both.
package main

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"coord"
	"coord/markdown"
)

func main() {
	dir := flag.String("dir", filepath.Join("..", "..", "..", "..", "shared", "corpus", "markdown"), "the `directory` with the files")
	flag.Parse()
	if err := run(*dir); err != nil {
		fmt.Fprintln(os.Stderr, "markdown-oracle:", err)
		os.Exit(1)
	}
}

func run(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		fmt.Printf("no files in %s: nothing was compared\n", dir)
		return nil
	}
	var found, wrong int
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		n, differences, err := compare(src)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		found += n
		wrong += len(differences)
		for _, d := range differences {
			fmt.Printf("%s:%s\n", filepath.Base(name), d)
		}
	}
	fmt.Printf("%d files, %d headings, items, checkboxes and rows; %d differences\n", len(files), found, wrong)
	if wrong > 0 {
		return fmt.Errorf("%d differences", wrong)
	}
	return nil
}

// place is a kind of thing and the line it begins on, from 1.
type place struct {
	line int
	kind string
}

const (
	heading  = "heading"
	item     = "item"
	checkbox = "checkbox"
	row      = "row"
)

// compare returns how many things the other parser found, and what only one of
// the two did.
func compare(src []byte) (n int, differences []string, err error) {
	doc, err := markdown.Read(coord.SourceFile{Path: "F.md", As: coord.AsBacklog, Content: src})
	if err != nil {
		return 0, nil, err
	}
	theirs := other(strip(src, doc))
	ours := tiles(src, doc)
	for p := range theirs {
		if !ours[p] {
			differences = append(differences, fmt.Sprintf("%d: only the other parser sees a %s", p.line, p.kind))
		}
	}
	for p := range ours {
		if !theirs[p] && p.kind != row { // the other parser's rows are all there is to compare
			differences = append(differences, fmt.Sprintf("%d: only package markdown sees a %s", p.line, p.kind))
		}
	}
	for _, r := range doc.Records {
		if r.Shape == row && !theirs[place{r.Line, row}] {
			differences = append(differences, fmt.Sprintf("%d: a record is a row, which the other parser does not see", r.Line))
		}
	}
	slices.SortFunc(differences, func(a, b string) int { return cmp.Compare(number(a), number(b)) })
	return len(theirs), differences, nil
}

func number(s string) (n int) {
	fmt.Sscanf(s, "%d", &n)
	return n
}

// strip empties the lines of front matter, which are no Markdown, and takes the
// byte order mark off.
func strip(src []byte, doc markdown.Document) string {
	s := bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n"))
	s = bytes.ReplaceAll(s, []byte("\r"), []byte("\n"))
	s = bytes.TrimPrefix(s, []byte("\xef\xbb\xbf"))
	lines := strings.SplitAfter(string(s), "\n")
	at := 0
	for _, t := range doc.Tiles {
		n := lineCount(src[t.From:t.To])
		for i := at; i < at+n && t.Kind == markdown.KindFront; i++ {
			lines[i] = "\n"
		}
		at += n
	}
	return strings.Join(lines, "")
}

func lineCount(b []byte) int {
	n := bytes.Count(b, []byte("\n")) + bytes.Count(b, []byte("\r")) - bytes.Count(b, []byte("\r\n"))
	if len(b) > 0 && b[len(b)-1] != '\n' && b[len(b)-1] != '\r' {
		n++
	}
	return n
}

// tiles is what package markdown found, outside of quotes.
func tiles(src []byte, doc markdown.Document) map[place]bool {
	out := map[place]bool{}
	line := 1
	for _, t := range doc.Tiles {
		n := lineCount(src[t.From:t.To])
		switch t.Kind {
		case markdown.KindHeading:
			out[place{line, heading}] = true
		case markdown.KindItem:
			out[place{line, item}] = true
			if hasBox(string(src[t.From:t.To])) {
				out[place{line, checkbox}] = true
			}
		}
		if t.Kind == markdown.KindText || t.Kind == markdown.KindItem {
			for i := range n {
				out[place{line + i, row}] = true
			}
		}
		line += n
	}
	return out
}

// hasBox reports a checkbox behind the list signs of a line, with the marks that
// every parser knows.
func hasBox(s string) bool {
	s = strings.TrimLeft(s, " \t0123456789.)-+*")
	return len(s) > 3 && s[0] == '[' && strings.IndexByte(" xX", s[1]) >= 0 && s[2] == ']' && strings.IndexByte(" \t", s[3]) >= 0 && strings.TrimSpace(s[3:]) != ""
}
