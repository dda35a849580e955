package markdown

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"coord"

	"github.com/google/go-cmp/cmp"
)

func mustPatch(t interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}, f coord.SourceFile, wishes ...Wish,
) Patch {
	t.Helper()
	p, err := MakePatch(f, wishes)
	if err != nil {
		t.Fatal(err)
	}
	if back := p.Undo(f.Content); !bytes.Equal(back, f.Content) {
		t.Fatalf("undone, %q is %q", f.Content, back)
	}
	return p
}

// Each way to say how a record stands, in the file's own signs.
func TestPatch(t *testing.T) {
	done := Wish{Status: coord.SourceDone, Note: "2026-11-29"}
	rejected := Wish{Status: coord.SourceRejected, Note: "nobody asked"}
	parked := Wish{Status: coord.SourceParked}
	with := func(w Wish, marker string) Wish { w.Marker = marker; return w }
	for _, test := range []struct {
		name, src string
		wish      Wish
		want      string
	}{
		{"a box", "- [ ] a\n- [ ] b\n", done, "- [x] a\n- [ ] b\n"},
		{"a box as the file ticks them", "- [ ] a\n- [X] b\n", done, "- [X] a\n- [X] b\n"},
		{"a box that is at work", "- [/] a\n", done, "- [x] a\n"},
		{"a remark from before", "- [ ] a — in progress\n", done, "- [x] a — in progress\n"},
		{"with a marker", "- [ ] a\n", with(done, "pay-42"), "- [x] a <!-- coord:pay-42 -->\n"},
		{"with its marker already", "- [ ] a <!-- coord:pay-42 -->\n", with(done, "pay-42"), "- [x] a <!-- coord:pay-42 -->\n"},
		{"only a marker", "- [ ] a\n", with(Wish{}, "pay-42"), "- [ ] a <!-- coord:pay-42 -->\n"},
		{"rejected", "- [ ] a\n", rejected, "- [x] a — ❌ rejected: nobody asked\n"},
		{"rejected with a marker", "- [ ] a\n", with(rejected, "pay-42"), "- [x] a — ❌ rejected: nobody asked <!-- coord:pay-42 -->\n"},
		{"rejected, before the marker", "- [ ] a <!-- coord:pay-42 -->\n", Wish{Status: coord.SourceRejected}, "- [x] a — ❌ rejected <!-- coord:pay-42 -->\n"},
		{"superseded", "- [ ] a\n", Wish{Status: coord.SourceSuperseded, Note: "by pay-9"}, "- [x] a — ❌ superseded by pay-9\n"},
		{"parked", "- [ ] a\n", parked, "- [ ] a — ⏸ deferred\n"},
		{"a reason that would be read as a link is left out", "- [ ] a\n", Wish{Status: coord.SourceParked, Note: "after B-12"}, "- [ ] a — ⏸ deferred\n"},
		{"a reason in Markdown", "- [ ] a\n", Wish{Status: coord.SourceRejected, Note: "no -->\n# `x"}, "- [x] a — ❌ rejected: no --&gt; # \\`x\n"},
		{"wrapped lines", "- [ ] a\n  goes on\n  - b\n", rejected, "- [x] a\n  goes on — ❌ rejected: nobody asked\n  - b\n"},
		{"an item without a box", "## Next\n\n- a\n", done, "## Next\n\n- a — ✅ done 2026-11-29\n"},
		{"a heading", "## B-1 a\n\ntext\n", done, "## B-1 a — ✅ done 2026-11-29\n\ntext\n"},
		{"45 a closed heading", "## B-1 a ##\n\ntext\n", with(done, "pay-42"), "## B-1 a — ✅ done 2026-11-29 <!-- coord:pay-42 --> ##\n\ntext\n"},
		{"an underlined heading", "B-1 a\n---\n\ntext\n", done, "B-1 a — ✅ done 2026-11-29\n---\n\ntext\n"},
		{"a status line", "## B-1 a\n\n**Status:** Open\n", done, "## B-1 a\n\n**Status:** Done\n"},
		{"a box and a status line", "- [ ] a\n  Status: open\n", done, "- [x] a\n  Status: done\n"},
		{"front matter", "---\nid: 1\nstatus: \"To do\" # now\n---\n# A\n", done, "---\nid: 1\nstatus: \"Done\" # now\n---\n# A\n"},
		{"front matter with a marker", "---\nid: 1\nstatus: open\n---\n# A\n", with(done, "pay-42"), "---\nid: 1\nstatus: done\ncoord: pay-42\n---\n# A\n"},
		{"a cell", row("a", "open"), done, row("a", "done")},
		{"a cell in bold", row("a", "**OPEN**"), done, row("a", "**DONE**")},
		{"a cell with a sign", row("a", "⬜ Todo"), done, row("a", "✅ Done")},
		{"a cell of a sign", row("a", "⬜"), rejected, row("a", "❌")},
		{"a cell in another language", row("a", "Offen"), done, row("a", "Erledigt")},
		{"a cell as other rows have it", row("a", "open") + "| B-2 | b | shipped |\n", done, row("a", "shipped") + "| B-2 | b | shipped |\n"},
		{"a cell with a marker", row("a", "open"), with(done, "pay-42"), row("a", "done <!-- coord:pay-42 -->")},
		{"35 a cell beside a bar", row("`x\\|y` or x \\| y", "open"), done, row("`x\\|y` or x \\| y", "done")},
		{"a box in a cell", row("a", "[ ]"), done, row("a", "[x]")},
		{"a box in a cell, rejected", row("a", "[ ]"), rejected, row("a", "❌ rejected")},
		{"26 behind tabs", "-\ta\n\t- [ ] b\n", done, "-\ta\n\t- [x] b\n"},
		{"56 no last line end", "# A\n\n- [ ] a", with(rejected, "pay-42"), "# A\n\n- [x] a — ❌ rejected: nobody asked <!-- coord:pay-42 -->"},
		{"28 line ends of all kinds behind a byte order mark", "\ufeff# A\r\n- [ ] a\r\n- [ ] b\n- [ ] c\r", rejected, "\ufeff# A\r\n- [x] a — ❌ rejected: nobody asked\r\n- [ ] b\n- [ ] c\r"},
		{"33 bytes that are no text", "- [ ] caf\xe9\n", rejected, "- [x] caf\xe9 — ❌ rejected: nobody asked\n"},
		{"spaces at the end", "- [ ] a  \n  b\t\n", done, "- [x] a  \n  b\t\n"},
		{"47 a marker in code", "- [ ] a `<!-- coord:pay-1 -->`\n", with(done, "pay-42"), "- [x] a `<!-- coord:pay-1 -->` <!-- coord:pay-42 -->\n"},
		{"47 a foreign marker stays", "- [ ] a <!-- coord:x-1 -->\n", with(done, "pay-42"), "- [x] a <!-- coord:x-1 -->\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := mustPatch(t, backlog(test.src), test.wish)
			if diff := cmp.Diff(test.want, string(p.Text)); diff != "" || len(p.Refused) > 0 {
				t.Errorf("(-want +got):\n%s\nrefused: %+v", diff, p.Refused)
			}
		})
	}
}

func row(title, status string) string {
	return "| ID | Task | Status |\n|---|---|---|\n| B-1 | " + title + " | " + status + " |\n"
}

// What cannot be said without saying something else is not written, and the
// line to paste is reported.
func TestPatchRefuses(t *testing.T) {
	for _, test := range []struct {
		name, src, paste string
		wish             Wish
	}{
		{"a count", "- [ ] a — 3/5 done\n", "- [x] a — 3/5 done", Wish{Status: coord.SourceDone}},
		{"a title too long for a remark", "- [ ] a — P1, b\n", "- [x] a — P1, b — ❌ rejected", Wish{Status: coord.SourceRejected}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := mustPatch(t, backlog(test.src), test.wish)
			if string(p.Text) != test.src || len(p.Refused) != 1 || p.Refused[0].Paste != test.paste {
				t.Errorf("%q, refused %+v", p.Text, p.Refused)
			}
		})
	}
}

// Wishes that are refused keep no other from being fulfilled.
func TestPatchesTogether(t *testing.T) {
	src := "- [ ] a\n- [ ] b — 3/5 done\n- [ ] c\n  - d\n\n## B-1 e\n\nf\n"
	p := mustPatch(t, backlog(src), Wish{Record: 0, Status: coord.SourceDone}, Wish{Record: 1, Status: coord.SourceDone}, Wish{Record: 2, Status: coord.SourceRejected, Marker: "pay-3"}, Wish{Record: 3, Status: coord.SourceDone})
	want := "- [x] a\n- [ ] b — 3/5 done\n- [x] c — ❌ rejected <!-- coord:pay-3 -->\n  - d\n\n## B-1 e — ✅ done\n\nf\n"
	if diff := cmp.Diff(want, string(p.Text)); diff != "" || len(p.Refused) != 1 || p.Refused[0].Wish != 1 {
		t.Errorf("(-want +got):\n%s\nrefused: %+v", diff, p.Refused)
	}
}

var patchOps = []Wish{
	{Status: coord.SourceDone, Note: "2026-11-29"},
	{Status: coord.SourceRejected, Note: "not now"},
	{Status: coord.SourceParked},
	{Marker: "pay-42"},
	{Status: coord.SourceDone, Marker: "pay-42"},
}

// In every file that there is, an edit of one item, or of several, leaves every
// other line as it was.
func TestPatchCorpus(t *testing.T) { patchFiles(t, corpusFiles(t)) }

func TestPatchCorpusOfRealFiles(t *testing.T) { patchFiles(t, realFiles(t)) }

func patchFiles(t *testing.T, files []string) {
	made, refused := 0, 0
	for n, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f := coord.SourceFile{Path: filepath.Base(name), As: coord.AsBacklog, Content: src}
		doc, err := Read(f)
		if err != nil {
			continue
		}
		var all []Wish
		for i, r := range doc.Records {
			if r.Kind == coord.RecordTask && r.Disputed == "" && i%7 == n%7 {
				w := patchOps[(i+n)%len(patchOps)]
				w.Record = i
				all = append(all, w)
			}
		}
		if len(all) == 0 {
			continue
		}
		for _, wishes := range [][]Wish{all[:1], all} {
			p := mustPatch(t, f, wishes...)
			made, refused = made+len(wishes)-len(p.Refused), refused+len(p.Refused)
			if diff := otherLines(doc, src, p, wishes); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
	}
	t.Logf("%d edits, %d refused", made, refused)
	if made < 2*refused {
		t.Errorf("%d edits were made and %d refused", made, refused)
	}
}

// otherLines says which line changed outside of the wishes' own text.
func otherLines(doc Document, src []byte, p Patch, wishes []Wish) string {
	mine := map[int]bool{}
	for _, w := range wishes {
		r := doc.Records[w.Record]
		for n := r.Line; n <= r.Last; n++ {
			mine[n] = true
		}
	}
	before, after := newPage(src), newPage(p.Text)
	for n := range before.starts {
		is, was := string(after.raw[after.starts[n]:after.end(n)]), string(src[before.starts[n]:before.end(n)])
		if len(after.starts) != len(before.starts) || is != was && !mine[n+1] {
			return "line " + was + " became " + is
		}
	}
	return ""
}
