package markdown

import (
	"bytes"
	"net/url"
	"path"
	"strings"
	"unicode"

	"coord"
)

// has reports that file i has a heading or an HTML anchor of that name. What
// the reader did not take apart has every one.
func (l *linking) has(i int, part string) bool {
	doc, text := l.p.docs[i], l.p.files[i].Content
	if plain, err := url.PathUnescape(part); err == nil {
		part = plain
	}
	if doc == nil || len(doc.Tiles) == 0 || part == "" || part == "top" || lineAnchor().MatchString(part) {
		return true
	}
	if l.slugs[i] == nil {
		l.slugs[i] = headingNames(doc, text)
	}
	return l.slugs[i][letters(part)] || bytes.Contains(text, []byte(`id="`+part+`"`)) || bytes.Contains(text, []byte(`name="`+part+`"`))
}

var lineAnchor = pattern(`^L\d+`)

// headingNames are the names by which headings are linked to, reduced to their
// letters and digits: sites differ in the rest. Equal ones are counted.
func headingNames(doc *Document, text []byte) map[string]bool {
	names, seen := map[string]bool{}, map[string]int{}
	for _, t := range doc.Tiles {
		if t.Kind != KindHeading || t.To > len(text) {
			continue
		}
		n := letters(string(text[t.From:t.To]))
		if k := seen[n]; k > 0 {
			names[n+string(rune('0'+min(k, 9)))] = true
		}
		seen[n]++
		names[n] = true
	}
	return names
}

func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// index compares an index of memory files with the files beside it.
func (l *linking) index(i int, doc *Document) {
	f := &l.p.files[i]
	named := map[string]bool{}
	for _, k := range doc.Links {
		switch k.Kind {
		case LinkPath:
			if _, file := l.find(i, k.Raw); file != "" {
				named[file] = true
			}
		case LinkWiki:
			name, _, _ := strings.Cut(strings.Trim(k.Raw, "[]"), "|")
			for _, file := range l.names[strings.ToLower(strings.TrimSuffix(strings.TrimSpace(name), ".md"))] {
				named[file] = true
			}
		}
	}
	if doc.Links == nil {
		return
	}
	for n := range l.p.files {
		o := &l.p.files[n]
		if o.As != coord.AsMemory || n == i || isIndex(*o) || path.Dir(o.Path) != path.Dir(f.Path) || named[o.Path] || l.p.docs[n] == nil {
			continue
		}
		l.out = append(l.out, coord.ImportProblem{Kind: coord.ProblemIndex, Text: f.Path + " does not list " + o.Path, Sides: []coord.ImportSide{
			{Path: f.Path, Says: "lists the other files", Revision: f.Revision, At: f.At},
			{Path: o.Path, Line: 1, Says: "is not listed", Revision: o.Revision, At: o.At},
		}})
	}
}
