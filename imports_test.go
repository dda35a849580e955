package coord

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestImportRequestValidate(t *testing.T) {
	good := SourceFile{Path: "BACKLOG.md", As: AsBacklog, Content: []byte("- [ ] a\n")}
	with := func(change func(*SourceFile)) []SourceFile {
		f := good
		change(&f)
		return []SourceFile{f}
	}
	for _, test := range []struct {
		name    string
		project ProjectKey
		files   []SourceFile
		ok      bool
	}{
		{"good", "pay", []SourceFile{good}, true},
		{"with a revision", "pay", with(func(f *SourceFile) { f.Revision = strings.Repeat("a1", 20) }), true},
		{"no project", "", []SourceFile{good}, false},
		{"no file", "pay", nil, false},
		{"too many files", "pay", make([]SourceFile, MaxImportFiles+1), false},
		{"one path twice", "pay", []SourceFile{good, good}, false},
		{"no path", "pay", with(func(f *SourceFile) { f.Path = " " }), false},
		{"unknown role", "pay", with(func(f *SourceFile) { f.As = "diary" }), false},
		{"every role", "pay", with(func(f *SourceFile) { f.As = AsTaskMaster }), true},
		{"older", "pay", with(func(f *SourceFile) { f.Order = OrderOlder }), true},
		{"unknown order", "pay", with(func(f *SourceFile) { f.Order = "sideways" }), false},
		{"short revision", "pay", with(func(f *SourceFile) { f.Revision = "a1b2c3d" }), false},
	} {
		r := ImportRequest{Project: test.project, Files: test.files}
		if err := r.Validate(); (err == nil) != test.ok || err != nil && CodeOf(err) != CodeBadRequest {
			t.Errorf("%s: %v", test.name, err)
		}
		c := ApplyImport{Project: test.project, Files: test.files, Digest: "d"}
		if err := c.Validate(); (err == nil) != test.ok {
			t.Errorf("%s, applied: %v", test.name, err)
		}
	}
	if err := (ApplyImport{Project: "pay", Files: []SourceFile{good}}).Validate(); CodeOf(err) != CodeBadRequest {
		t.Errorf("apply without a digest: %v", err)
	}
}

func TestImportPlanSealed(t *testing.T) {
	plan := ImportPlan{Project: "pay", AsOf: 7, Changes: []ImportChange{
		{State: ImportNew, Action: ActionCreateTask, Title: "a"},
		{State: ImportNew, Action: ActionCreateTask, Title: "b"},
		{State: ImportUnchanged, Action: ActionNone, Title: "c"},
	}}.Sealed()
	if plan.Counts[ImportNew] != 2 || plan.Counts[ImportUnchanged] != 1 || plan.Actions() != 2 {
		t.Errorf("counts %v, %d actions", plan.Counts, plan.Actions())
	}
	wire, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	var back ImportPlan
	if err := json.Unmarshal(wire, &back); err != nil {
		t.Fatal(err)
	}
	if again := back.Sealed(); again.Digest != plan.Digest || len(plan.Digest) != 64 {
		t.Errorf("digest %q, after a trip over the wire %q", plan.Digest, again.Digest)
	}
	back.Changes[0].Title = "other"
	if back.Sealed().Digest == plan.Digest {
		t.Error("another plan has the same digest")
	}
	back.Changes[0].Title, back.AsOf = "a", 8
	if back.Sealed().Digest == plan.Digest {
		t.Error("another event has the same digest")
	}
}
