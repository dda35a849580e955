package markdown

import (
	"testing"

	"coord"
)

// What a note says of itself, and what only looks like it.
func TestHandoffFacts(t *testing.T) {
	const sha = "0123456789abcdef0123456789abcdef01234567"
	for _, c := range []struct {
		name, title, text string
		want              coord.HandoffFacts
	}{
		{"fields", "State", "**Date:** 2026-01-02\n**Branch:** `feat/x` (pushed)\n- Commit: abc1234 parse the header", coord.HandoffFacts{Date: "2026-01-02", Branch: "feat/x", Revision: "abc1234"}},
		{"one line", "State", "**Last updated:** 2026-07-21 · **`main` @ `d2e84c4`** · 0.1.0", coord.HandoffFacts{Date: "2026-07-21", Branch: "main", Revision: "d2e84c4"}},
		{"with bars", "State", "Date: 2026-01-02 | Branch: main | HEAD: " + sha, coord.HandoffFacts{Date: "2026-01-02", Branch: "main", Revision: sha}},
		{"a table", "State", "| Branch | `feat/x` |\n|---|---|\n| HEAD | `abc1234` |\n| a | b | branch `y` |", coord.HandoffFacts{Branch: "feat/x", Revision: "abc1234"}},
		{"a numbered list and a quote", "State", "> Updated: 2026-03-04\n2. branch: `x`", coord.HandoffFacts{Date: "2026-03-04", Branch: "x"}},
		{"the title's day is its day", "Done — 2026-07-10 (made public)", "Updated: 2026-08-01", coord.HandoffFacts{Date: "2026-07-10"}},
		{"updated is later than written", "State", "Date: 2026-01-02\nUpdated: 2026-01-05\nUpdated: 2026-01-04", coord.HandoffFacts{Date: "2026-01-05"}},
		{"no such day", "State", "Date: 2026-02-30", coord.HandoffFacts{}},
		{"in a sentence", "State", "Work is on branch `feat/y`, HEAD is abc1234.", coord.HandoffFacts{Branch: "feat/y", Revision: "abc1234"}},
		{"the branch comes first", "State", "The `channel-shape` branch carries it.", coord.HandoffFacts{Branch: "channel-shape"}},
		{"a branch of code", "State", "The `include_legacy` branch in `roles()` goes.", coord.HandoffFacts{}},
		{"a field before sentences", "State", "Branch: main\nSee branch `feat/y` too.", coord.HandoffFacts{Branch: "main"}},
		{"several", "State", "Branch: x\nBranch: y\nHEAD: abc1234\nHEAD: abc1235", coord.HandoffFacts{}},
		{"several branches in a line", "State", "Branch: `x`, `y`", coord.HandoffFacts{}},
		{"several branches in words", "State", "Branch: feat/x and feat/y", coord.HandoffFacts{}},
		{"several branches with a comma", "State", "Branch: feat/x, feat/y", coord.HandoffFacts{}},
		{"several revisions in a line", "State", "Commits since: none\nCommit: abc1234, abc1235", coord.HandoffFacts{}},
		{"a range", "State", "Commit: abc1234..abc1235", coord.HandoffFacts{}},
		{"what it was, in brackets", "State", "Branch: `x` (was `y`)\nHEAD: abc1234 (was abc1235)", coord.HandoffFacts{Branch: "x", Revision: "abc1234"}},
		{"more about the branch", "State", "Branch: feat/x, pushed and green", coord.HandoffFacts{Branch: "feat/x"}},
		{"its remote one", "State", "Branch: `feat/x`, tracks `origin/feat/x`", coord.HandoffFacts{Branch: "feat/x"}},
		{"several, one of them again", "State", "Branch: x\nBranch: y\nHEAD: abc1234\nHEAD: abc1235\nSee branch `y` at HEAD abc1235.", coord.HandoffFacts{}},
		{"the same twice", "State", "Branch: x\nbranch `x`\nBranch: `x`", coord.HandoffFacts{Branch: "x"}},
		{"another branch", "State", "Base branch: main\nTarget branch: main", coord.HandoffFacts{}},
		{"no branch", "State", "Branch: none\nCommit: as soon as it is green", coord.HandoffFacts{}},
		{"prose behind a colon", "State", "Branch: consolidation of the batch", coord.HandoffFacts{}},
		{"a day is no object", "State", "Commit: 20260102\nRevision: deadbeef", coord.HandoffFacts{}},
		{"commands", "State", "```sh\nbranch: x\n```\n~~~\nHEAD: abc1234\n~~~", coord.HandoffFacts{}},
		{"a fence in a fence", "State", "```\n~~~\nBranch: x\n```\nBranch: y", coord.HandoffFacts{Branch: "y"}},
		{"an object of SHA-256", "State", "HEAD: " + sha + sha[:24], coord.HandoffFacts{Revision: sha + sha[:24]}},
		{"an object of SHA-256 in a sentence", "State", "HEAD is " + sha + sha[:24] + ", see x @ " + sha + sha[:24] + ".", coord.HandoffFacts{Branch: "x", Revision: sha + sha[:24]}},
		{"in Chinese and Japanese", "State", "> 最后更新：2026-08-22\n- **分支**：`native-3.0`", coord.HandoffFacts{Date: "2026-08-22", Branch: "native-3.0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := readFacts(c.title, c.text).facts(); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

// A note that says nothing of itself takes what stands above it, down to front
// matter; one of another day takes no branch.
func TestHandoffFactsFromAbove(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []coord.HandoffFacts
	}{
		{"front matter", "---\nlast_updated: 2026-02-03\nbranch: feat/x\nHEAD: abc1234\n---\n\n## State\n\nHalf done.\n", []coord.HandoffFacts{{Date: "2026-02-03", Branch: "feat/x", Revision: "abc1234"}}},
		{"before the first heading", "Updated: 2026-02-03\nBranch: feat/x\n\n## State\n\nHalf done.\n", []coord.HandoffFacts{{Date: "2026-02-03", Branch: "feat/x"}, {Date: "2026-02-03", Branch: "feat/x"}}},
		{"below the title", "# Handoff\n\nBranch: feat/x\n\n## State\n\nHalf done.\n", []coord.HandoffFacts{{Branch: "feat/x"}, {Branch: "feat/x"}}},
		{"a title without text", "# Handoff 2026-02-03\n\n## State\n\nHalf done.\n", []coord.HandoffFacts{{Date: "2026-02-03"}}},
		{"the section beside it", "## First\n\nBranch: feat/x\n\n## Second\n\nHalf done.\n", []coord.HandoffFacts{{Branch: "feat/x"}, {}}},
		{"another day", "# Handoff\n\nUpdated: 2026-03-01\nBranch: feat/n\n\n## 2026-02-03\n\nHalf done.\n\n## 2026-03-01\n\nDone.\n", []coord.HandoffFacts{
			{Date: "2026-03-01", Branch: "feat/n"}, {Date: "2026-02-03"}, {Date: "2026-03-01", Branch: "feat/n"},
		}},
		{"below no date", "# Handoff\n\nBranch: feat/n\n\n## 2026-03-01\n\nDone.\n\n## 2026-02-03\n\nHalf done.\n\n## State\n\nWhole.\n", []coord.HandoffFacts{
			{Branch: "feat/n"}, {Date: "2026-03-01", Branch: "feat/n"}, {Date: "2026-02-03"}, {Branch: "feat/n"},
		}},
		{"several below one", "---\nbranch: main\ncommit: abc1234\n---\n\n## State\n\nBranch: feat/x\nBranch: feat/y\n", []coord.HandoffFacts{{}}},
		{"several revisions below one", "---\nbranch: main\ncommit: abc1234\n---\n\n## State\n\nHEAD: abc1235\nHEAD: abc1236\n", []coord.HandoffFacts{{Branch: "main"}}},
		{"another branch keeps no revision", "---\nbranch: main\ncommit: abc1234\n---\n\n## State\n\nBranch: feat/x\n", []coord.HandoffFacts{{Branch: "feat/x"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc, err := Read(coord.SourceFile{Path: "HANDOFF.md", As: coord.AsHandoff, Content: []byte(c.text)})
			if err != nil {
				t.Fatal(err)
			}
			var got []coord.HandoffFacts
			for _, r := range doc.Records {
				got = append(got, r.Handoff)
			}
			if len(got) != len(c.want) {
				t.Fatalf("%d notes: %+v", len(got), got)
			}
			for i := range got {
				if got[i] != c.want[i] {
					t.Errorf("note %d: got %+v, want %+v", i, got[i], c.want[i])
				}
			}
		})
	}
}

// What a note says of itself goes with the plan and is compared with nothing:
// where only that changed, there is nothing to do.
func TestHandoffFactsGoWithThePlan(t *testing.T) {
	read := func(base coord.ImportBase, branch string) coord.ImportPlan {
		t.Helper()
		text := "---\nbranch: " + branch + "\n---\n\n## 2026-02-03\n\nHalf done.\n"
		p, err := Plan(base, []coord.SourceFile{{Path: "HANDOFF.md", As: coord.AsHandoff, Content: []byte(text)}})
		if err != nil || len(p.Changes) != 1 {
			t.Fatalf("%v %+v", err, p.Changes)
		}
		return p
	}
	c := read(coord.ImportBase{Project: "pay"}, "feat/x").Changes[0]
	want := coord.HandoffFacts{Date: "2026-02-03", Branch: "feat/x"}
	if c.Action != coord.ActionRecordHandoff || c.Handoff != want || c.Line != 5 || c.Last != 7 {
		t.Errorf("%+v", c)
	}
	stored := *c.Anchor
	stored.Handoff = "H4"
	base := coord.ImportBase{Project: "pay", Records: []coord.ImportAnchor{stored}}
	if c := read(base, "feat/y").Changes[0]; c.Action != coord.ActionNone || c.State != coord.ImportUnchanged {
		t.Errorf("only what is above changed: %+v", c)
	}
	text := "## 2026-02-03\n\nDone.\n"
	p, err := Plan(base, []coord.SourceFile{{Path: "HANDOFF.md", As: coord.AsHandoff, Content: []byte(text)}})
	if err != nil || len(p.Changes) != 1 || p.Changes[0].State != coord.ImportChangedInSource || p.Changes[0].Anchor.Handoff != "H4" || p.Changes[0].Anchor.Key != stored.Key {
		t.Errorf("the text changed: %v %+v", err, p.Changes)
	}
}
