package markdown

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"coord"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Property 3: the same bytes read the same, always.
func TestReadingIsDeterministic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := coord.SourceFile{Path: "F.md", As: rapid.SampledFrom(markdownRoles).Draw(t, "role"), Content: sources.Draw(t, "source")}
		before := bytes.Clone(f.Content)
		doc, err := Read(f)
		again, errAgain := Read(f)
		if !reflect.DeepEqual(doc, again) || !reflect.DeepEqual(err, errAgain) {
			t.Fatalf("%q read twice:\n%s", f.Content, cmp.Diff(outline3(doc), outline3(again)))
		}
		if !bytes.Equal(before, f.Content) {
			t.Fatalf("%q was changed to %q", before, f.Content)
		}
	})
}

// Property 4, beside line ends: a last line end and front matter that says
// nothing change no record.
func TestFrontMatterAndTheLastLineEndChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := strings.TrimRight(soup.Draw(t, "text"), "\r\n")
		as := rapid.SampledFrom(markdownRoles).Draw(t, "role")
		read := func(s string) (out []string) {
			doc, err := Read(coord.SourceFile{Path: "F.md", As: as, Content: []byte(s)})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range doc.Records {
				out = append(out, fmt.Sprintf("%s %s %q %s", r.Shape, seen(r), r.Facets.Body, r.Full))
			}
			for _, l := range doc.Links {
				out = append(out, fmt.Sprintf("%s %s of %d", l.Kind, l.Raw, l.Record))
			}
			return append(out, slices.Sorted(slices.Values(codes(doc)))...)
		}
		want := read(src)
		for name, s := range map[string]string{"a last line end": src + "\n", "front matter": "---\ntags: a\n---\n" + src} {
			if diff := cmp.Diff(want, read(s)); diff != "" {
				t.Fatalf("%q, with %s (-without +with):\n%s", src, name, diff)
			}
		}
	})
}

// Property 6: every kind of patch leaves every line of another record as it was,
// alone and with others.
func TestPatchesLeaveOtherLinesAlone(t *testing.T) {
	kinds := append(slices.Clone(patchOps), Wish{Status: coord.SourceSuperseded, Note: "by pay-9"})
	rapid.Check(t, func(t *rapid.T) {
		f := backlog(soup.Draw(t, "text"))
		doc, err := Read(f)
		if err != nil {
			t.Skip()
		}
		var wishes []Wish
		for i := range doc.Records {
			if rapid.Bool().Draw(t, "wished") {
				w := rapid.SampledFrom(kinds).Draw(t, "kind")
				w.Record = i
				wishes = append(wishes, w)
			}
		}
		p := mustPatch(t, f, wishes...)
		if diff := otherLines(doc, f.Content, p, wishes); diff != "" {
			t.Fatalf("%q: %s", f.Content, diff)
		}
	})
}

// Property 12, beside lines that come and move: other items that go, and lines
// that are wrapped otherwise, leave every item what it is and say nothing new.
func TestReflowAndDeletionsLeaveIdentitiesAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.Permutation([]string{"Rotate the signing key of every team", "Count sign-ins per hour and per team", "Send receipts by mail to whoever asks", "Drop the old table with all its rows"}).Draw(t, "items")
		wrapped := func(s, name string) string {
			words := strings.Fields(s)
			for i := 1; i < len(words); i++ {
				words[i] = rapid.SampledFrom([]string{" ", " ", "\n  "}).Draw(t, name) + words[i]
			}
			return "- [ ] " + strings.Join(words, "") + "\n"
		}
		var before, after strings.Builder
		kept := map[string]bool{}
		for _, item := range all {
			before.WriteString(wrapped(item, "before"))
			if kept[item] = rapid.Bool().Draw(t, "kept"); kept[item] {
				after.WriteString(wrapped(item, "after"))
			}
		}
		s := newState()
		first, err := Plan(s.base, []coord.SourceFile{backlog(before.String())})
		if err != nil {
			t.Fatal(err)
		}
		s.apply(t, first)
		plan, err := Plan(s.base, []coord.SourceFile{backlog(after.String())})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range plan.Changes {
			want := coord.ImportUnchanged
			if !kept[c.Title] {
				want = coord.ImportMissing
			}
			if c.State != want || s.task(c.Task).Title != c.Title {
				t.Fatalf("%q of %s is %s, want %s\n%s\nthen\n%s", c.Title, c.Task, c.State, want, before.String(), after.String())
			}
		}
		if len(plan.Changes) != len(all) {
			t.Fatalf("%d changes of %d items", len(plan.Changes), len(all))
		}
	})
}

// Property 15: as many links as a file has are found, wherever they stand, and
// a patch leaves them what they are.
func TestLinksInAreLinksOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		var want []string
		for n := range rapid.IntRange(1, 8).Draw(t, "lines") {
			link := rapid.SampledFrom([]string{"[x](docs/a%d.md)", "[x](#part-%d)", "https://x/y%d", "[[note %d]]", "`docs/m%d.md`", "o/r#%d", "![p](p%d.svg)"}).Draw(t, "link")
			link = fmt.Sprintf(link, n+1)
			line := rapid.SampledFrom([]string{"- [ ] see %s today\n", "- see %s\n", "## About %s\n", "Some words and %s here.\n\n", "> and %s\n\n", "| Task | Status |\n|---|---|\n| %s | open |\n\n", "- [ ] a\n\n  more of %s\n"}).Draw(t, "line")
			fmt.Fprintf(&b, line, link)
			want = append(want, link)
		}
		f := backlog(b.String())
		found := func(content []byte) (out []string) {
			doc, err := Read(coord.SourceFile{Path: f.Path, As: f.As, Content: content})
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range doc.Links {
				out = append(out, string(content[l.Span.From:l.Span.To]))
			}
			return out
		}
		if diff := cmp.Diff(want, found(f.Content)); diff != "" {
			t.Fatalf("links of %q (-want +got):\n%s", f.Content, diff)
		}
		if doc, _ := Read(f); len(doc.Records) > 0 {
			w := rapid.SampledFrom(patchOps).Draw(t, "kind")
			w.Record = rapid.IntRange(0, len(doc.Records)-1).Draw(t, "record")
			if diff := cmp.Diff(want, found(mustPatch(t, f, w).Text)); diff != "" {
				t.Fatalf("links of %q after %+v (-want +got):\n%s", f.Content, w, diff)
			}
		}
	})
}
