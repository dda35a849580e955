package main

import (
	"path"
	"slices"
	"strings"

	"coord"
)

// stems are the usual names of files without their ending, in capitals and with
// dashes. A name may have more words around them: HANDOFF-2026-01-02.
var stems = []struct {
	role  coord.SourceRole
	whole bool // nothing may stand around it
	names []string
}{
	{coord.AsInstructions, true, []string{"AGENTS", "CLAUDE"}},
	{coord.AsArchive, false, []string{"ARCHIVE", "ARCHIVED"}},
	{coord.AsHandoff, false, []string{"HANDOFF", "HANDOFFS", "HAND-OFF"}},
	{coord.AsHandoff, true, []string{"RESUME"}},
	{coord.AsMemory, true, []string{"MEMORY"}},
	{coord.AsRecord, false, []string{"DURABLE-RECORD", "SAVERS", "LEARNINGS", "LESSONS-LEARNED"}},
	{coord.AsRecord, true, []string{"DECISIONS", "LESSONS"}},
	{coord.AsBacklog, false, []string{"BACKLOG", "BACKOFF"}},
	{coord.AsBacklog, true, []string{"TODO", "TODOS", "ROADMAP", "PLAN", "TASKS"}},
}

// folders are directories whose Markdown files have a role.
var folders = map[string]coord.SourceRole{
	"memory": coord.AsMemory, "memories": coord.AsMemory, "handoff": coord.AsHandoff, "handoffs": coord.AsHandoff,
	"archive": coord.AsArchive, "archived": coord.AsArchive,
}

// usualRole is the role that the name of a file implies, nearest first: its own
// name, then the directories that it lies in.
func usualRole(file string) (coord.SourceRole, bool) {
	if role, ok := trackerRole(file); ok {
		return role, true
	}
	stem, ok := markdownStem(path.Base(file))
	if !ok {
		return "", false
	}
	stem = strings.NewReplacer("_", "-", " ", "-", ".", "-").Replace(strings.ToUpper(stem))
	for _, s := range stems {
		for _, name := range s.names {
			if stem == name || !s.whole && strings.Contains("-"+stem+"-", "-"+name+"-") {
				return archived(file, s.role), true
			}
		}
	}
	dirs := strings.Split(path.Dir(file), "/")
	for _, dir := range slices.Backward(dirs) {
		if role, ok := folders[strings.ToLower(dir)]; ok {
			return archived(file, role), true
		}
	}
	return "", false
}

// archived is the role of what lies in an archive, whatever it is called there.
func archived(file string, role coord.SourceRole) coord.SourceRole {
	for _, dir := range strings.Split(path.Dir(file), "/") {
		if d := strings.ToLower(dir); d == "archive" || d == "archived" {
			return coord.AsArchive
		}
	}
	return role
}

func markdownStem(base string) (string, bool) {
	for _, ending := range []string{".md", ".markdown"} {
		if stem, ok := strings.CutSuffix(strings.ToLower(base), ending); ok && stem != "" {
			return base[:len(stem)], true
		}
	}
	return "", false
}

// trackerRole knows where other tools keep their tasks.
func trackerRole(file string) (coord.SourceRole, bool) {
	dir, base := path.Split(file)
	in := "/" + strings.TrimSuffix(dir, "/") + "/"
	_, markdown := markdownStem(base)
	switch {
	case strings.HasSuffix(in, "/.beads/") && (base == "issues.jsonl" || base == "beads.jsonl"):
		return coord.AsBeads, true
	case base == "tasks.json" && (strings.HasSuffix(in, "/.taskmaster/tasks/") || strings.HasSuffix(in, "/tasks/")):
		return coord.AsTaskMaster, true
	case !markdown || base == "readme.md":
		return "", false
	}
	for _, place := range []string{"tasks/", "drafts/", "completed/", "archive/tasks/", "archive/drafts/"} {
		if strings.HasSuffix(in, "/backlog/"+place) || strings.HasSuffix(in, "/.backlog/"+place) {
			return coord.AsBacklogMD, true
		}
	}
	return "", false
}

// skippedDirs hold what others made, or what only looks like the project's own.
var skippedDirs = []string{".git", "node_modules", "vendor", "third_party", "testdata", "fixtures"}

// skipped reports a path that only a source that names the directory reads.
func skipped(file, pattern string) bool {
	for _, dir := range strings.Split(path.Dir(file), "/") {
		if slices.Contains(skippedDirs, dir) && !strings.Contains("/"+pattern+"/", "/"+dir+"/") {
			return true
		}
	}
	return false
}
