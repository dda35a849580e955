package main

import (
	"testing"

	"coord"
)

func TestUsualRole(t *testing.T) {
	for file, want := range map[string]coord.SourceRole{
		"BACKLOG.md": coord.AsBacklog, "backoff.md": coord.AsBacklog, "docs/TODO.markdown": coord.AsBacklog, "ROADMAP.md": coord.AsBacklog,
		"PLAN.md": coord.AsBacklog, "web/tasks.md": coord.AsBacklog, "web-backlog.md": coord.AsBacklog,
		"HANDOFF.md": coord.AsHandoff, "RESUME.md": coord.AsHandoff, "a/b/HANDOFF-2026-01-02.md": coord.AsHandoff, "2026_01_02_handoff.md": coord.AsHandoff,
		"docs/handoffs/2026-01-02.md": coord.AsHandoff,
		"DURABLE-RECORD.md":           coord.AsRecord, "durable_record.md": coord.AsRecord, "SAVERS.md": coord.AsRecord, "LEARNINGS.md": coord.AsRecord, "docs/decisions.md": coord.AsRecord,
		"MEMORY.md": coord.AsMemory, ".claude/memory/a.md": coord.AsMemory, "memory/deep/b.md": coord.AsMemory,
		"BACKLOG-archive.md": coord.AsArchive, "archive/BACKLOG.md": coord.AsArchive, "docs/archive/x.md": coord.AsArchive, "memory/archive/a.md": coord.AsArchive,
		"AGENTS.md": coord.AsInstructions, "web/CLAUDE.md": coord.AsInstructions,
		".beads/issues.jsonl": coord.AsBeads, ".taskmaster/tasks/tasks.json": coord.AsTaskMaster, "tasks/tasks.json": coord.AsTaskMaster,
		"backlog/tasks/task-1 - A.md": coord.AsBacklogMD, "backlog/archive/tasks/task-1 - A.md": coord.AsBacklogMD,
		"README.md": "", "planning.md": "", "todolist.md": "", "BACKLOG": "", "BACKLOG.txt": "", "my-plan.md": "", "backlog/docs/a.md": "",
		"issues.jsonl": "", "x/tasks.json": "", "memory/a.txt": "",
	} {
		if got, ok := usualRole(file); got != want || ok != (want != "") {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}

func TestMatchGlob(t *testing.T) {
	for _, test := range []struct {
		pattern, file string
		want          bool
	}{
		{"*.md", "a.md", true},
		{"*.md", "d/a.md", false},
		{"**/*.md", "a.md", true},
		{"**/*.md", "d/e/a.md", true},
		{"d/**", "d/e/a.md", true},
		{"d/**", "e/a.md", false},
		{"d/**/x/*.md", "d/x/a.md", true},
		{"d/**/x/*.md", "d/1/2/x/a.md", true},
		{"d/**/x/*.md", "d/1/2/y/a.md", false},
		{"{a,b}/{c,d}.md", "b/c.md", true},
		{"{a,b}/{c,d}.md", "c/c.md", false},
		{"HANDOFF-[0-9]*.md", "HANDOFF-2026.md", true},
		{"a?.md", "ab.md", true},
		{"{a", "{a", true},
	} {
		if got := matchGlob(test.pattern, test.file); got != test.want {
			t.Errorf("%s for %s: %t", test.pattern, test.file, got)
		}
	}
	if !badGlob("a/[b") || badGlob("a/[b]") {
		t.Error("an open [ is no pattern")
	}
	if weight("docs/**/*.md") >= weight("docs/plan-*.md") || weight("docs/plan-*.md") >= weight("a.md") {
		t.Error("what leaves less open is more specific")
	}
}
