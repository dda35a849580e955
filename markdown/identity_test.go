package markdown

import (
	"fmt"
	"strings"
	"testing"

	"coord"

	"github.com/google/go-cmp/cmp"
)

// imported is a state into which text was imported from BACKLOG.md.
func imported(t *testing.T, text string) *state {
	s := newState()
	s.apply(t, s.plan(t, backlog(text)))
	return s
}

const work = `# Work

## Next

1. [ ] **B-12 Rotate the key.** Every month.
2. [ ] Count sign-ins per hour
3. [x] Drop the old table

## Ideas

- [ ] Count sign-ins per hour
`

// A title is the same in whatever code points it is written.
func TestTitlesInOtherCodePoints(t *testing.T) {
	for _, forms := range [][2]string{
		{"caf\u00e9 menu for all", "cafe\u0301 menu for all"},
		{"２０ things of the ＫＥＹ", "20 things of the KEY"},
		{"of\ufb01ce hours are kept", "office hours are kept"},
		{"ｶﾞｽ is measured here", "ガス is measured here"},
	} {
		s := imported(t, "- [ ] "+forms[0]+"\n")
		if got := s.plan(t, backlog("- [ ] "+forms[1]+"\n")).Changes; len(got) != 1 || got[0].Task != "pay-1" {
			t.Errorf("%+q after %+q: %+v", forms[1], forms[0], got)
		}
	}
}

func TestReimport(t *testing.T) {
	for _, test := range []struct {
		name, old, new string
		want           []string
	}{
		{"18 renumbered", "1. [ ] **B-12", "1. [ ] Something before it all\n2. [ ] **B-12", []string{"new create_task  planned"}},
		{"21 grows an outcome", "Count sign-ins per hour\n3", "Count sign-ins per hour — DONE 2026-08-06, see notes\n3", []string{"conflict none pay-2"}},
		{"21 ticked with an outcome", "2. [ ] Count sign-ins per hour", "2. [x] Count sign-ins per hour — DONE 2026-08-06", []string{"closed_in_source close_task pay-2 done"}},
		{"20 deleted", "2. [ ] Count sign-ins per hour\n", "", []string{"missing_in_source none pay-2"}},
		{"22 label reused", "B-12 Rotate the key.** Every month.", "B-12 Paint the shed.** Green.", []string{"probable_match none ", "missing_in_source none pay-1"}},
		{"title rewritten", "Drop the old table", "Drop the old tables now", []string{"probable_match none ", "missing_in_source none pay-3"}},
		{"said to be new", "[x] Drop the old table", "[ ] Drop the old tables <!-- coord:new -->", []string{"new create_task  planned", "missing_in_source none pay-3"}},
		{"linked by hand", "[ ] **B-12 Rotate the key.** Every month.", "[ ] B-12 Turn the key <!-- coord:pay-1 -->", []string{"changed_in_source update_task pay-1 [title body]"}},
		{"24 opened again", "[x] Drop", "[ ] Drop", []string{"reopen_requested none pay-3"}},
		{"body", "Every month.", "Every week.", []string{"changed_in_source update_task pay-1 [body]"}},
		{"section renamed", "## Next", "## Coming up soon", []string{"moved none pay-1", "moved none pay-2", "moved none pay-3"}},
		{"retitled under its label", "B-12 Rotate the key.** Every month.", "B-12 Rotate the keys.** Every month.", []string{"renamed update_task pay-1 [title]"}},
		{"22 label kept, title somewhat alike", "B-12 Rotate the key.** Every month.", "B-12 Rotate all of the tokens.** Every month.", []string{"probable_match none ", "missing_in_source none pay-1"}},
		{"parked in the file", "2. [ ] Count sign-ins per hour", "2. [ ] Count sign-ins per hour (deferred)", []string{"changed_in_source none pay-2"}},
		{"item moved", "2. [ ] Count sign-ins per hour\n3. [x] Drop the old table", "2. [x] Drop the old table\n3. [ ] Count sign-ins per hour", nil},
		{"blocked note", "Drop the old table", "Drop the old table (blocked by B-3)", nil},
		{"priority", "2. [ ] Count sign-ins per hour", "2. [ ] Count sign-ins per hour (P1)", []string{"changed_in_source update_task pay-2 [priority]"}},
		{"foreign marker", "3. [x] Drop the old table", "3. [x] Drop the old table <!-- coord:zoo-7 -->", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := imported(t, work)
			if strings.Count(work, test.old) == 0 {
				t.Fatalf("%q is not in the text", test.old)
			}
			if diff := cmp.Diff(test.want, brief(s.plan(t, backlog(strings.Replace(work, test.old, test.new, 1))))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAcrossFiles(t *testing.T) {
	archive := func(text string) coord.SourceFile {
		return coord.SourceFile{Path: "docs/BACKLOG-archive.md", As: coord.AsBacklog, Content: []byte(text)}
	}
	t.Run("15 equal text in two sections is two items", func(t *testing.T) {
		s := imported(t, work)
		if len(s.base.Tasks) != 4 {
			t.Errorf("%d tasks, want 4", len(s.base.Tasks))
		}
	})
	t.Run("16 one of two equal items goes: ask", func(t *testing.T) {
		s := imported(t, "- [ ] x marks it\n- [ ] x marks it\n")
		got := brief(s.plan(t, backlog("- [ ] x marks it\n")))
		if diff := cmp.Diff([]string{"probable_match none ", "missing_in_source none pay-1", "missing_in_source none pay-2"}, got); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("19 moved to the archive", func(t *testing.T) {
		s := imported(t, work)
		plan := s.plan(t, backlog(strings.Replace(work, "3. [x] Drop the old table\n", "", 1)), archive("- [x] Drop the old table\n"))
		if got := brief(plan); len(got) != 1 || got[0] != "moved none pay-3" || plan.Changes[3].MovedFrom != "BACKLOG.md" {
			t.Errorf("%v, moved from %q", got, plan.Changes[3].MovedFrom)
		}
		s.apply(t, plan)
		if len(s.base.Records) != 4 {
			t.Errorf("%d anchors after the move, want 4", len(s.base.Records))
		}
	})
	t.Run("open in one, done in the other", func(t *testing.T) {
		plan := newState().plan(t, backlog("- [ ] Drop the old table\n"), archive("- [x] Drop the old table\n"))
		if diff := cmp.Diff([]string{"conflict none ", "duplicate none "}, brief(plan)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("same task in backlog and handoff", func(t *testing.T) {
		h := coord.SourceFile{Path: "HANDOFF.md", As: coord.AsHandoff, Content: []byte("## Next steps\n\n- Count sign-ins per hour\n")}
		plan := newState().plan(t, h, backlog("- [ ] Count sign-ins per hour\n"))
		if diff := cmp.Diff([]string{"new record_handoff ", "duplicate none ", "new create_task  planned"}, brief(plan)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("25 an earlier version", func(t *testing.T) {
		s := imported(t, work)
		s.apply(t, s.plan(t, backlog(work+"- [ ] One more thing\n")))
		plan := s.plan(t, backlog(work))
		if plan.Counts[coord.ImportStaleSource] != len(plan.Changes) || len(plan.Changes) != 5 || plan.Actions() != 0 || plan.Files[0].State != coord.ImportStaleSource {
			t.Errorf("%v, file %+v", brief(plan), plan.Files)
		}
	})
	t.Run("a task typed by hand that the file has too", func(t *testing.T) {
		s := newState()
		s.addTask(coord.ExportTask{Title: "Drop the old table", Priority: coord.PriorityNormal, Lifecycle: coord.LifecycleOpen})
		if diff := cmp.Diff([]string{"probable_match none "}, brief(s.plan(t, backlog("- [ ] Drop the old table\n")))); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("47 two lines with one marker", func(t *testing.T) {
		s := exampleState()
		files := s.export()
		files[0].Content = append(files[0].Content, "\n## Ready\n\n- [ ] Copy <!-- coord:pay-1 -->\n"...)
		plan := s.plan(t, files...)
		if diff := cmp.Diff([]string{"conflict none pay-1", "conflict none pay-1"}, brief(plan)); diff != "" {
			t.Error(diff)
		}
		if len(plan.Problems) != 1 || plan.Problems[0].Kind != coord.ProblemMarker || len(plan.Problems[0].Sides) != 2 {
			t.Errorf("problems %+v", plan.Problems)
		}
	})
}

// What changed on both sides is kept here and asked about until it is settled.
func TestThreeWay(t *testing.T) {
	for _, test := range []struct {
		name string
		here func(*coord.ImportTask)
		text string
		want []string
	}{
		{"here only", func(x *coord.ImportTask) { x.Title = "B-12 Turn it" }, work, []string{"changed_here none pay-1"}},
		{"both, same facet", func(x *coord.ImportTask) { x.Outcome = "Every year." }, strings.Replace(work, "Every month", "Every day", 1), []string{"conflict none pay-1"}},
		{"both, other facets", func(x *coord.ImportTask) { x.Title = "B-12 Turn it" }, strings.Replace(work, "Every month", "Every day", 1), []string{"merged update_task pay-1 [body]"}},
		{"both, same value", func(x *coord.ImportTask) { x.Outcome = "Every day." }, strings.Replace(work, "Every month", "Every day", 1), []string{"converged none pay-1"}},
		{"23 closed here", func(x *coord.ImportTask) { x.Lifecycle = coord.LifecycleDone }, work, []string{"closed_here none pay-1"}},
		{"closed in the file, busy here", func(x *coord.ImportTask) { x.Busy = true }, strings.Replace(work, "1. [ ]", "1. [x]", 1), []string{"conflict none pay-1"}},
		{"closed on both sides", func(x *coord.ImportTask) { x.Lifecycle = coord.LifecycleDone }, strings.Replace(work, "1. [ ]", "1. [x]", 1), []string{"converged none pay-1"}},
		{"closed otherwise on both sides", func(x *coord.ImportTask) { x.Lifecycle = coord.LifecycleCanceled }, strings.Replace(work, "1. [ ]", "1. [x]", 1), []string{"conflict none pay-1"}},
		{"superseded here", func(x *coord.ImportTask) { x.Lifecycle = coord.LifecycleSuperseded }, work, []string{"closed_here none pay-1"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := imported(t, work)
			s.edit("pay-1", test.here)
			plan := s.plan(t, backlog(test.text))
			if diff := cmp.Diff(test.want, brief(plan)); diff != "" {
				t.Fatal(diff)
			}
			s.apply(t, plan)
			again := s.plan(t, backlog(test.text))
			if again.Actions() != 0 {
				t.Errorf("the second import plans %v", brief(again))
			}
			if strings.HasPrefix(strings.Join(test.want, ""), "conflict") && cmp.Diff(test.want, brief(again)) != "" {
				t.Errorf("the conflict was forgotten: %v", brief(again))
			}
		})
	}
}

func TestAdmit(t *testing.T) {
	s := newState()
	s.base.Admit = true
	text := "- [ ] plain\n- [ ] waits (blocked)\n- [~] odd\n- [x] done\n\n## Later\n\n- [ ] parked\n\n### Next\n\n- [ ] nested\n\n## Next\n\n- no box\n"
	h := coord.SourceFile{Path: "HANDOFF.md", As: coord.AsHandoff, Content: []byte("- [ ] from a handoff\n")}
	var got []string
	for _, c := range s.plan(t, backlog(text), h).Changes {
		got = append(got, fmt.Sprintf("%s %s", c.Title, c.Lifecycle))
	}
	want := []string{"plain open", "waits planned", "odd planned", "done done", "parked planned", "nested planned", "no box planned", "Handoff ", "from a handoff planned"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// What a first import recorded as planned, a later one admits when it is asked
// to; what speaks against an item still counts.
func TestAdmitLater(t *testing.T) {
	text := "- [ ] plain\n- [ ] waits (blocked)\n- [x] done\n\n## Later\n\n- [ ] parked\n"
	s := newState()
	s.apply(t, s.plan(t, backlog(text)))
	s.base.Admit = true
	plan := s.plan(t, backlog(text))
	var got []string
	for _, c := range plan.Changes {
		if c.Action != coord.ActionNone {
			got = append(got, fmt.Sprintf("%s %s %v %s", c.Action, c.Title, c.Facets, c.Lifecycle))
		}
	}
	if diff := cmp.Diff([]string{"update_task plain [lifecycle] open"}, got); diff != "" {
		t.Error(diff)
	}
	s.apply(t, plan)
	if again := s.plan(t, backlog(text)); again.Actions() != 0 {
		t.Errorf("the second time: %v", brief(again))
	}
}

func TestPlanIsSealedAndPure(t *testing.T) {
	s := imported(t, work)
	a, b := s.plan(t, backlog(work)), s.plan(t, backlog(work))
	if a.Digest != b.Digest || len(a.Digest) != 64 {
		t.Errorf("digests %q and %q", a.Digest, b.Digest)
	}
	s.edit("pay-2", func(x *coord.ImportTask) { x.Title = "Count logins" })
	s.base.AsOf = a.AsOf
	if c := s.plan(t, backlog(work)); c.Digest == a.Digest {
		t.Error("another state of a planned task gives the same digest")
	}
	if _, err := Plan(s.base, nil); coord.CodeOf(err) != coord.CodeBadRequest {
		t.Errorf("no files: %v", err)
	}
}
