package markdown

import (
	"fmt"
	"strings"
	"testing"

	"coord"

	"github.com/google/go-cmp/cmp"
)

func linksOf(src string, doc Document) []string {
	var out []string
	for _, l := range doc.Links {
		out = append(out, fmt.Sprintf("%d %s %s from %q", l.Line, l.Kind, l.Raw, src[l.Span.From:l.Span.To]))
	}
	return out
}

func TestLinks(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"paths", "[a](docs/a.md#part) ![b](<b c.png> \"title\") [d](e(f).md 'g')\n", []string{
			`1 path docs/a.md#part from "[a](docs/a.md#part)"`, `1 path b c.png from "![b](<b c.png> \"title\")"`, `1 path e(f).md from "[d](e(f).md 'g')"`,
		}},
		{"anchor and address", "[a](#part) [b](https://x/y) <https://x/z> see https://x/w(1). <a@b.c>\n", []string{
			`1 anchor #part from "[a](#part)"`, `1 external https://x/y from "[b](https://x/y)"`, `1 external https://x/z from "<https://x/z>"`,
			`1 external https://x/w(1) from "https://x/w(1)"`, `1 external a@b.c from "<a@b.c>"`,
		}},
		{"image in a link", "[![a](b.svg)](c.md)\n", []string{`1 path c.md from "[![a](b.svg)](c.md)"`, `1 path b.svg from "![a](b.svg)"`}},
		{"by reference", "[a][One] [one][] [two]\n\n[one]: a.md\n[two]: <#b> \"t\"\n[three]: c.md\n[^note]: d.md\n", []string{
			`1 path a.md from "[a][One]"`, `1 path a.md from "[one][]"`, `1 anchor #b from "[two]"`, `5 path c.md from "[three]: c.md"`,
		}},
		{"no definition", "[a][b] [c] [ ] [x]: d\n", nil},
		{"wiki", "[[a note]] and [[b|shown]], not [[]] or [[c\n", []string{`1 wiki a note from "[[a note]]"`, `1 wiki b from "[[b|shown]]"`}},
		{"mentions", "`docs/a.md` and `b.go:12`, not `a b.md`, `x.y`, `f()`, `ab/`, `https://x/y.md`\n", []string{`1 mention docs/a.md from "` + "`docs/a.md`" + `"`, `1 mention b.go:12 from "` + "`b.go:12`" + `"`, `1 mention ab/ from "` + "`ab/`" + `"`}},
		{"numbers", "fixes #12, o/r#7 (#3); not a#b, &#39; or # 4\n", []string{`1 number #12 from "#12"`, `1 number o/r#7 from "o/r#7"`, `1 number #3 from "#3"`}},
		{"commits", "at 4be10aa and `c19d02e`; not 1234567, deadbeef or 4be10ag\n", []string{`1 commit 4be10aa from "4be10aa"`, `1 commit c19d02e from "` + "`c19d02e`" + `"`}},
		{"labels", "after B-12, API-B280; not UTF-8, SHA-256 or b-12\n", []string{`1 label B-12 from "B-12"`, `1 label API-B280 from "API-B280"`}},
		{"not in code", "`[a](b.md) #1 B-2`\n\n```\n[a](b.md)\n```\n\n    [a](b.md)\n\n<div>\n[a](b.md)\n</div>\n", nil},
		{"not in comments, not behind a backslash", "a <!-- [b](c.md) --> \\[d](e.md) [f\\](g.md)\n", nil},
		{"in a quote and a table", "> [a](b.md)\n\n| x |\n|---|\n| [c](d.md) |\n", []string{`1 path b.md from "[a](b.md)"`, `5 path d.md from "[c](d.md)"`}},
		{"over lines", "- see [a\n  b](c.md) and `d\n  e` f\n", []string{`1 path c.md from "[a\n  b](c.md)"`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			doc := readAs(t, coord.AsBacklog, test.text)
			if diff := cmp.Diff(test.want, linksOf(test.text, doc)); diff != "" {
				t.Errorf("links (-want +got):\n%s", diff)
			}
			crlf := strings.ReplaceAll(test.text, "\n", "\r\n")
			if got := readAs(t, coord.AsBacklog, crlf); len(got.Links) != len(doc.Links) {
				t.Errorf("%d links with CRLF, %d with LF", len(got.Links), len(doc.Links))
			}
		})
	}
}

// A link belongs to the record whose lines it is in; its own label is none.
func TestLinksOfRecords(t *testing.T) {
	src := "See B-1.\n\n- [ ] **B-1** a, after B-2\n  - accept: see [c](d.md)\n- [ ] e #4\n"
	doc := readAs(t, coord.AsBacklog, src)
	var got []string
	for _, l := range doc.Links {
		got = append(got, fmt.Sprintf("%s %d", l.Raw, l.Record))
	}
	if diff := cmp.Diff([]string{"B-1 -1", "B-2 0", "d.md 0", "#4 1"}, got); diff != "" {
		t.Error(diff)
	}
}

// Half a MiB of each takes a fraction of a second.
func TestLinksInLinearTime(t *testing.T) {
	for _, s := range []string{"[", "]", "[](", "[](a \"", "[[a", "![", "[a](<", "<a", "<!--", "`a``", "http://", "https://a)", "[a][b", "B-1 ", "#1 ", "[a]: b\n", "(((", "a-"} {
		src := []byte("[b]: c\n\nx " + strings.Repeat(s, (512<<10)/len(s)))
		doc, err := Read(backlog(string(src)))
		if err != nil {
			t.Fatal(err)
		}
		if len(doc.Links) > maxLinks {
			t.Errorf("%q: %d links", s, len(doc.Links))
		}
	}
}
