package markdown

import (
	"strings"
	"testing"
	"time"

	"coord"
)

// Inputs that make a reader slow when anything in it is quadratic: half a MiB
// of each takes a fraction of a second on an idle machine.
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
