package markdown

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"coord"
)

// Property 3, of time: inputs that make a reader slow when anything in it is
// quadratic. Half a MiB of each takes a fraction of a second on an idle machine.
func TestSlowInputs(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	const size = 512 << 10
	fill := func(s string) string { return strings.Repeat(s, size/len(s)) }
	for name, text := range map[string]string{
		"dashes":        "- [ ] a" + fill(" — a"),
		"brackets":      "- [ ] a" + fill(" (done)"),
		"open brackets": "- [ ] a" + fill("["),
		"comments":      "- [ ] a coord:" + fill("<!--"),
		"comment ends":  "- [ ] a coord:" + fill("<!-- -->"),
		"backticks":     "- [ ] a coord: --> " + fill("` `` ``` "),
		"signs":         "- [ ] " + fill("✅"),
		"stars":         "- [ ] " + fill("**a "),
		"tildes":        "- [ ] " + fill("~~a"),
		"escapes":       "- [ ] a coord: -->" + fill("\\"),
		"criteria":      "- [ ] a\n  - accept:" + fill("\n    - b"),
		"long heading":  "## " + fill("a") + fill("\n- [ ] b"),
		"headings":      fill("# a\n"),
		"nested":        fill("- a\n  - b\n    - c\n      - d\n        - [ ] e\n"),
		"definitions":   fill("[a]: b\n"),
		"definition":    "[a]: " + fill("b\n"),
		"numbers":       "a\n" + fill("1. b\n"),
		"regions":       fill("<!-- coord:begin pay-1 sum=00000000 -->\n"),
		"html":          fill("<div>\n\n"),
		"open html":     fill("<!--\n"),
		"fences":        fill("```\n\n"),
		"quotes":        fill("> a\n\n"),
		"lazy quote":    "> a\n" + fill("b\n"),
		"equal items":   fill("- [ ] same\n"),
		"blank items":   fill("-\n"),
		"spaces":        fill(" "),
		"tabs":          fill("\t\n"),
		"empty lines":   "- [ ] a\n" + strings.Repeat("\n", 100_000) + "  b",
		"setext":        fill("a\n=\n"),
		"front":         "---\na: b\n" + fill("c: d\n"),
		"carriage":      fill("\r"),
		"rows":          "| ID | Task | Status |\n|---|---|---|\n" + fill("| 1 | a | open |\n"),
		"wide table":    fill("|a") + "\n" + fill("|-"),
		"cells":         "|a|b|\n|-|-|\n" + fill("|"),
		"waiting":       "- [ ] a" + fill(" after B-1,"),
		"fields":        "# a\n\n" + fill("- Status: done\n"),
		"label numbers": "- [ ] A1" + fill(".1"),
		"nul":           "- [ ] " + fill("\x00"),
		"one label":     strings.Repeat("- [ ] **B-1 a.** see B-2, after B-1\n- [ ] **B-2 b.**\n", 3000),
		"a ring":        ring(12_000),
		"remark prose":  strings.Repeat("## a\n\nb\n\n", 9000),
		"remarks":       fill("- a (from: b) <!-- coord:L1 -->\n"),
		"one remark":    "- a" + strings.Repeat(" (from: b", 7000) + " (from: ` ; `` ``` \\; c) <!-- coord:L1 -->\n",
		"remark parts":  "- a (from: b" + strings.Repeat("; tags: a, b; for: path x, path y", 1500) + ") <!-- coord:L1 -->\n",
	} {
		roles := []coord.SourceRole{coord.AsBacklog}
		if strings.Contains(name, "remark") {
			roles[0] = coord.AsRecord
		}
		if name == "regions" || name == "headings" || name == "numbers" {
			roles = append(roles, coord.AsHandoff, coord.AsRecord)
		}
		for _, as := range roles {
			began := time.Now()
			if _, err := Plan(coord.ImportBase{Project: "pay"}, []coord.SourceFile{{Path: "F.md", As: as, Content: []byte(text)}}); err != nil {
				t.Error(err)
			}
			if d := time.Since(began); d > 6*time.Second {
				t.Errorf("%s as %s: %v", name, as, d)
			}
		}
	}
}

// ring is a file of n items, each of which waits for the one before it, and the
// first for the last.
func ring(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "- [ ] **B-%d Do it.** after B-%d\n", i, (i+n-1)%n)
	}
	return b.String()
}

// The same of bringing a file up to date: what is proved of one line does not
// look at all others, and one that does not go with the others does not have
// each of them proved alone.
func TestSlowPatches(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	const odd = "\n- [x] - [ ]   - Status: open\n##  (open)<!-- coord:new -->\ntext text\n<!-- # **Status:** open\n"
	for _, test := range []struct {
		lines, refused int
		behind         string
	}{{10_000, 0, ""}, {2500, 1, odd}} {
		f := backlog(strings.Repeat("- [ ] a\n", test.lines) + test.behind)
		doc, err := Read(f)
		if err != nil {
			t.Fatal(err)
		}
		var wishes []Wish
		for i, r := range doc.Records {
			if !r.Facets.Status.Closed() {
				wishes = append(wishes, Wish{Record: i, Status: coord.SourceDone, Marker: fmt.Sprint("pay-", i+1)})
			}
		}
		began := time.Now()
		p, err := MakePatch(f, wishes)
		if err != nil || len(p.Refused) != test.refused {
			t.Errorf("%v, %d refused", err, len(p.Refused))
		}
		if d := time.Since(began); d > 6*time.Second {
			t.Errorf("%d lines: %v", test.lines, d)
		}
	}
}
