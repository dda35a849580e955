package markdown

import (
	"fmt"
	"strings"
	"testing"

	"coord"

	"pgregory.net/rapid"
)

// What speaks against a task being ready, one place for each.
var against = map[string][]string{
	"file":    {"> This file is deprecated.\n\n", "---\nstatus: archived\n---\n\n", "---\nstatus: done\n---\n\n", "**Status:** on hold\n\n"},
	"section": {"## Done\n\n", "## Later\n\n", "## Blocked\n\n", "## Declined\n\n", "## In progress\n\n", "## Archive\n\n", "## Erledigt\n\n", "## 已完成\n\n", "## 近期检查清单\n\n"},
	"intro":   {"Done:\n\n", "Parked:\n\n"},
	"group":   {"- Done\n  ", "- Blocked\n  ", "- Later\n  "},
	"box":     {"[x]", "[X]", "[-]", "[~]", "[>]", "[/]", "[✓]", "[?]"},
	"front":   {"✅ ", "DONE: ", "⏸ ", "Blocked: ", "~~old~~ "},
	"end":     {" — done", " (deferred)", " — blocked by B-2", " [wontfix]", " ✅", " — superseded by B-2", " (done (pilot))", " — 3/5 done", " — 7 DONE", " — in review", " – erledigt", " - done"},
	"inside":  {" — done in 4be10aa — see notes", " **DONE** all of it", " (parked) but why", ". DONE 2026-10-02. More", " ✅ and more"},
	"held":    {" once the other is proven", ". Needs a decision", " after the first release", " (requires the filter first)", " _(half of it works; the rest is due)_", ". Decide whether to", " when ready", " the next time", ", rerun pending", " when the server adds it"},
	"preface": {"> Each needs a grilling pass before implementation.\n\n", "Waiting for the review.\n\n"},
	"line":    {"\n  Status: planned", "\n  - solution: needs approval", "\n  - **BLOCKED:** no access", "\n  Status: done", "\n  - Status: parked", "\n  Stand: erledigt"},
}

// Property 14: a task is ready when nothing says otherwise, and never when
// anything does, alone or together.
func TestNothingReadyThatAnythingCallsClosed(t *testing.T) {
	places := []string{"file", "section", "preface", "intro", "group", "box", "front", "end", "inside", "held", "line"}
	build := func(of map[string]string) string {
		box := of["box"]
		if box == "" {
			box = "[ ]"
		}
		line := of["line"]
		if of["group"] != "" {
			line = strings.ReplaceAll(line, "\n", "\n  ")
		}
		return fmt.Sprintf("%s# Work\n\n%s%s%s%s- %s %sa thing that matters%s%s%s%s\n", of["file"], of["section"], of["preface"], of["intro"], of["group"], box, of["front"], of["inside"], of["held"], of["end"], line)
	}
	ready := func(src string) bool {
		for _, r := range readAs(t, coord.AsBacklog, src).Records {
			if r.Ready {
				return true
			}
		}
		return false
	}
	if !ready(build(nil)) || !ready(build(map[string]string{"section": "## Next\n\n", "end": " — P1"})) {
		t.Error("a plainly open task is not ready")
	}
	for _, place := range places {
		for _, s := range against[place] {
			if src := build(map[string]string{place: s}); ready(src) {
				t.Errorf("ready in spite of %q:\n%s", s, src)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		of := map[string]string{}
		for range rapid.IntRange(1, 4).Draw(t, "pieces") {
			place := rapid.SampledFrom(places).Draw(t, "place")
			of[place] = rapid.SampledFrom(against[place]).Draw(t, "text")
		}
		if src := build(of); ready(src) {
			t.Fatalf("ready:\n%s", src)
		}
	})
}

// Property 4: line ends and a byte order mark change no record.
func TestLineEndsChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := strings.NewReplacer("\r\n", "\n", "\r", "\n", "\ufeff", "").Replace(string(sources.Draw(t, "source")))
		as := rapid.SampledFrom(markdownRoles).Draw(t, "role")
		read := func(s string) string {
			doc, err := Read(coord.SourceFile{Path: "F.md", As: as, Content: []byte(s)})
			if err != nil {
				t.Skip()
			}
			return outline3(doc)
		}
		want := read(src)
		for name, s := range map[string]string{
			"CRLF": strings.ReplaceAll(src, "\n", "\r\n"), "CR": strings.ReplaceAll(src, "\n", "\r"), "a byte order mark": "\ufeff" + src,
		} {
			if got := read(s); got != want {
				t.Fatalf("with %s:\n%s\nwithout:\n%s\nof %q", name, got, want, src)
			}
		}
	})
}
