package markdown

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"coord"
)

// label is what a person who read a file says of one of its lines.
type label struct {
	file   string
	line   int
	kind   string
	status coord.RecordStatus
	ready  bool
	says   string
}

// Records of real files are read as a person reads them: the status is right in
// at least 97 % of those that a person labelled, and none is ready that the
// person would not call so.
func TestLabels(t *testing.T) {
	files := labelledFiles(t)
	docs := map[string]Document{}
	var all, right, tasks, rightTasks, called, ready int
	for _, l := range readLabels(t) {
		name := files[l.file].name
		if name == "" {
			t.Fatalf("the corpus has no file %s", l.file)
		}
		if _, ok := docs[name]; !ok {
			docs[name] = readAs(t, files[l.file].as, files[l.file].text)
		}
		kind, r := at(docs[name], l.line)
		ok := kind == l.kind && (kind != "task" || r.Facets.Status == l.status)
		if !ok {
			t.Logf("%s:%d is %s %s, read as %s %s: %s", name, l.line, l.kind, l.status, kind, r.Facets.Status, l.says)
		}
		if r.Ready && !l.ready {
			t.Errorf("%s:%d is ready; it says: %s", name, l.line, l.says)
		}
		tally(&all, &right, true, ok)
		tally(&tasks, &rightTasks, l.kind == "task", ok)
		tally(&called, &ready, l.ready, r.Ready)
	}
	share := float64(right) / float64(max(all, 1))
	t.Logf("%d of %d right (%.1f %%) in %d files; %d of %d tasks; of %d that are ready, %d are read so", right, all, 100*share, len(docs), rightTasks, tasks, called, ready)
	if share < 0.97 || all < 300 {
		t.Errorf("the status is right in %.1f %% of %d", 100*share, all)
	}
}

// tally counts one of a kind, and whether it is right.
func tally(all, right *int, of, ok bool) {
	if of {
		*all++
		if ok {
			*right++
		}
	}
}

type labelledFile struct {
	name, text string
	as         coord.SourceRole
}

// labelledFiles are the files of the corpus by what the labels call them.
func labelledFiles(t *testing.T) map[string]labelledFile {
	paths, kinds := realFiles(t), fileKinds(t)
	out := map[string]labelledFile{}
	for _, path := range paths {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(path)
		out[labelled(name)] = labelledFile{name, string(src), labelledRole(name, kinds[name])}
	}
	return out
}

// labelled is how the labels call a file: its name in the corpus tells who
// wrote it.
func labelled(name string) string {
	return digest([]byte(name))[:8] + " " + name[strings.LastIndex(name, "__")+len("__"):]
}

// at is the record that begins on a line; the innermost one, where a task stands
// in a handoff note.
func at(doc Document, line int) (kind string, found Record) {
	kind = "none"
	for _, r := range doc.Records {
		if r.Line == line && (kind == "none" || r.Kind == coord.RecordTask) {
			kind, found = string(r.Kind), r
		}
	}
	return kind, found
}

func readLabels(t *testing.T) []label {
	src, err := os.ReadFile("testdata/labels.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var out []label
	seen := map[string]bool{}
	for line := range strings.Lines(string(src)) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "file\t") {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 6 {
			t.Fatalf("%q has %d columns", line, len(f))
		}
		n, err := strconv.Atoi(f[1])
		if place := fmt.Sprint(f[0], ":", n); err != nil || seen[place] {
			t.Fatalf("%q: no line, or twice", line)
		} else {
			seen[place] = true
		}
		out = append(out, label{f[0], n, f[2], coord.RecordStatus(f[3]), f[4] == "yes", f[5]})
	}
	return out
}

// fileKinds is what the index of the corpus says each file is.
func fileKinds(t *testing.T) map[string]string {
	src, err := os.ReadFile(filepath.Join(shared, "index.tsv"))
	if err != nil {
		t.Skipf("no index of the real files: %v", err)
	}
	out := map[string]string{}
	for line := range strings.Lines(string(src)) {
		if f := strings.Split(line, "\t"); len(f) > 4 {
			out[f[0]] = f[4]
		}
	}
	return out
}

// labelledRole is the role that a file's kind implies. Where it lies and what it
// is called goes before: an archive, a record of decisions, a plan among
// memories.
func labelledRole(file, kind string) coord.SourceRole {
	switch {
	case strings.Contains(file, "__archive__"):
		return coord.AsArchive
	case strings.HasSuffix(file, "__DECISIONS.md"):
		return coord.AsRecord
	case strings.HasSuffix(file, "roadmap.md"), strings.HasSuffix(file, "action-plan.md"):
		return coord.AsBacklog
	}
	switch kind {
	case "handoff", "session-log":
		return coord.AsHandoff
	case "memory":
		return coord.AsMemory
	case "lessons", "durable":
		return coord.AsRecord
	case "archive":
		return coord.AsArchive
	case "instructions":
		return coord.AsInstructions
	}
	return coord.AsBacklog
}
