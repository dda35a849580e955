package coord_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"coord"
)

func code(edits ...func(*coord.Task)) coord.Task {
	t := coord.Task{
		ID: "pay-1", Project: "pay", Kind: coord.KindCode, Title: "old", Criteria: []string{"hard"}, Priority: coord.PriorityNormal,
		Lifecycle: coord.LifecycleOpen, Revision: 3,
	}
	for _, edit := range edits {
		edit(&t)
	}
	t.Digest = coord.Digest(t.Kind, t.Title, t.Outcome, t.Criteria)
	return t
}

func closedAs(l coord.Lifecycle) func(*coord.Task) {
	return func(t *coord.Task) { t.Lifecycle = l }
}

func isA(k coord.Kind) func(*coord.Task) { return func(t *coord.Task) { t.Kind = k } }

func ptr[T any](v T) *T { return &v }

func TestCheckEdit(t *testing.T) {
	for _, c := range []struct {
		name        string
		task        coord.Task
		edit        coord.EditTask
		contributor bool
		refused     coord.Code
	}{
		{"a title by somebody else", code(), coord.EditTask{Revision: 3, Title: ptr("new")}, false, ""},
		{"a priority by its owner", code(), coord.EditTask{Revision: 3, Priority: ptr(coord.PriorityLow)}, true, ""},
		{"criteria by who worked on it", code(), coord.EditTask{Revision: 3, Criteria: ptr([]string{})}, true, coord.CodeNotIndependent},
		{"an outcome by who worked on it", code(), coord.EditTask{Revision: 3, Outcome: ptr("easy")}, true, coord.CodeNotIndependent},
		{"an older revision", code(), coord.EditTask{Revision: 2, Title: ptr("new")}, false, coord.CodeStateConflict},
		{"a later revision", code(), coord.EditTask{Revision: 4, Title: ptr("new")}, false, coord.CodeStateConflict},
		{"done", code(closedAs(coord.LifecycleDone)), coord.EditTask{Revision: 3, Title: ptr("new")}, false, coord.CodeStateConflict},
		{"superseded", code(closedAs(coord.LifecycleSuperseded)), coord.EditTask{Revision: 3, Title: ptr("new")}, false, coord.CodeStateConflict},
		{"a follower", code(isA(coord.KindReview)), coord.EditTask{Revision: 3, Title: ptr("new")}, false, coord.CodeStateConflict},
		{"admitting what is open", code(), coord.EditTask{Revision: 3, Admit: true}, false, coord.CodeStateConflict},
		{"admitting what is planned", code(closedAs(coord.LifecyclePlanned)), coord.EditTask{Revision: 3, Admit: true}, false, ""},
	} {
		err := c.edit.CheckEdit(c.task, c.contributor)
		if coord.CodeOf(err) != c.refused {
			t.Errorf("%s: %v, want %q", c.name, err, c.refused)
		}
		if err != nil {
			checkRefusal(t, c.name, err)
		}
	}
}

func TestApplyEdit(t *testing.T) {
	before := code(func(t *coord.Task) { t.Labels = []string{"b"} })
	for _, c := range []struct {
		name    string
		edit    coord.EditTask
		changed string
		digest  bool
		ok      bool
	}{
		{"title", coord.EditTask{Title: ptr("new")}, "title", true, true},
		{"criteria", coord.EditTask{Criteria: ptr([]string{"hard", "harder"})}, "criteria", true, true},
		{"kind", coord.EditTask{Kind: ptr(coord.KindGeneral)}, "kind", true, true},
		{"priority, labels and capabilities", coord.EditTask{Priority: ptr(coord.PriorityHigh), Labels: ptr([]string{"b", "a", "b"}), Capabilities: ptr([]string{"gpu", "avx"})}, "priority,labels,capabilities", false, true},
		{"the same", coord.EditTask{Title: ptr("old"), Labels: ptr([]string{"b"})}, "", false, true},
		{"a blank title", coord.EditTask{Title: ptr(" ")}, "", false, false},
		{"a bad label", coord.EditTask{Labels: ptr([]string{"Not A Label"})}, "", false, false},
		{"a path outside", coord.EditTask{Paths: ptr([]string{"../x"})}, "", false, false},
		{"an unknown priority", coord.EditTask{Priority: ptr(coord.Priority("asap"))}, "", false, false},
		{"a follower's kind", coord.EditTask{Kind: ptr(coord.KindReview)}, "", false, false},
	} {
		after, err := c.edit.Apply(before)
		checkValid(t, c.name, err, c.ok)
		if err != nil {
			continue
		}
		if got := strings.Join(c.edit.Changed(before, after), ","); got != c.changed {
			t.Errorf("%s: changed %q, want %q", c.name, got, c.changed)
		}
		if (after.Digest != before.Digest) != c.digest || after.Revision != before.Revision+1 {
			t.Errorf("%s: digest %v, revision %d", c.name, after.Digest != before.Digest, after.Revision)
		}
		if !slices.IsSorted(after.Labels) || !slices.IsSorted(after.Capabilities) {
			t.Errorf("%s: %v %v", c.name, after.Labels, after.Capabilities)
		}
	}
	if (coord.EditTask{Reason: "why"}).Validate() == nil || (coord.EditTask{Admit: true}).Validate() != nil {
		t.Error("an edit names something to change")
	}
}

func TestCheckLink(t *testing.T) {
	top := code(isA(coord.KindObjective), func(t *coord.Task) { t.ID = "pay-9" })
	other := code(func(t *coord.Task) { t.ID = "pay-2" })
	within := code(func(t *coord.Task) { t.Parent = "pay-8" })
	after, part := coord.LinkTask{After: "pay-2"}, coord.LinkTask{Parent: "pay-9"}
	for _, c := range []struct {
		name    string
		link    coord.LinkTask
		t, to   coord.Task
		refused bool
	}{
		{"a dependency", after, code(), other, false},
		{"on what is done", after, code(), code(closedAs(coord.LifecycleDone)), false},
		{"on what is canceled", after, code(), code(closedAs(coord.LifecycleCanceled)), true},
		{"on what is superseded", after, code(), code(closedAs(coord.LifecycleSuperseded)), true},
		{"of what is done", after, code(closedAs(coord.LifecycleDone)), other, true},
		{"on a follower", after, code(), code(isA(coord.KindReview)), true},
		{"of a follower", after, code(isA(coord.KindIntegration)), other, true},
		{"a parent", part, code(), top, false},
		{"a parent that is no objective", part, code(), other, true},
		{"a parent that is done", part, code(), code(isA(coord.KindObjective), closedAs(coord.LifecycleDone)), true},
		{"a second parent", part, within, top, true},
		{"the parent that it has", coord.LinkTask{Parent: "pay-8"}, within, code(isA(coord.KindObjective), func(t *coord.Task) { t.ID = "pay-8" }), false},
		{"a removal from what is canceled", coord.LinkTask{After: "pay-2", Remove: true}, code(), code(closedAs(coord.LifecycleCanceled)), false},
	} {
		err := c.link.CheckLink(c.t, c.to)
		if (coord.CodeOf(err) == coord.CodeStateConflict) != c.refused {
			t.Errorf("%s: %v", c.name, err)
		}
		if err != nil {
			checkRefusal(t, c.name, err)
		}
	}
}

func TestFault29_CheckClose(t *testing.T) {
	p := coord.DefaultPolicy()
	manual := p
	manual.Recovery = coord.RecoverManual
	a := held()
	over := a.ExpiresAt.Add(time.Duration(p.RecoveryGrace))
	for _, c := range []struct {
		name    string
		facts   coord.TaskFacts
		caller  coord.SessionID
		policy  coord.Policy
		now     time.Time
		refused coord.Code
	}{
		{"nobody's", with(), "other", p, over, ""},
		{"the caller's own", with(owned), a.Session, p, a.StartedAt, ""},
		{"the caller's own, expired", with(owned), a.Session, p, over, ""},
		{"fault 29 another's, live", with(owned), "other", p, a.ExpiresAt.Add(-1), coord.CodeTaskTaken},
		{"fault 29 another's, live, for a person", with(owned), "", p, a.ExpiresAt.Add(-1), coord.CodeTaskTaken},
		{"another's, in its grace", with(owned), "other", p, over.Add(-1), coord.CodeTaskTaken},
		{"another's, after its grace", with(owned), "other", p, over, ""},
		{"another's, where a person frees it", with(owned), "other", manual, over, coord.CodeNotPermitted},
		{"canceled already", with(lifecycle(coord.LifecycleCanceled)), "other", p, over, coord.CodeStateConflict},
		{"a follower", with(kind(coord.KindReview)), "other", p, over, coord.CodeStateConflict},
		{"being landed", with(submitted(coord.SubmissionApproved), landing(coord.LandingPublishing)), "other", p, over, coord.CodeTargetHeld},
		{"after a failed landing", with(submitted(coord.SubmissionApproved), landing(coord.LandingFailed)), "other", p, over, ""},
	} {
		err := c.facts.CheckClose(c.caller, c.policy, c.now)
		if coord.CodeOf(err) != c.refused {
			t.Errorf("%s: %v, want %q", c.name, err, c.refused)
		}
		if err != nil {
			checkRefusal(t, c.name, err)
		}
	}
}

func TestCheckAccept(t *testing.T) {
	p := coord.DefaultPolicy()
	human := p
	human.Review = coord.ReviewBoth
	ready := coord.Family{Done: 1}
	top := kind(coord.KindObjective)
	for _, c := range []struct {
		name    string
		facts   coord.TaskFacts
		family  coord.Family
		policy  coord.Policy
		role    coord.Role
		refused coord.Code
	}{
		{"by an agent", with(top), ready, p, coord.RoleAgent, ""},
		{"an open child", with(top), coord.Family{Done: 1, Open: []coord.TaskID{"pay-2"}}, p, coord.RoleAgent, coord.CodeRequirement},
		{"nothing done", with(top), coord.Family{}, p, coord.RoleOperator, coord.CodeRequirement},
		{"a dependency", with(top, waits), ready, p, coord.RoleAgent, coord.CodeStateConflict},
		{"V9 a blocker", with(top, blocks), ready, p, coord.RoleAgent, coord.CodeStateConflict},
		{"a code task", with(), ready, p, coord.RoleAgent, coord.CodeStateConflict},
		{"done already", with(top, lifecycle(coord.LifecycleDone)), ready, p, coord.RoleAgent, coord.CodeStateConflict},
		{"where people review, by an agent", with(top), ready, human, coord.RoleAgent, coord.CodeNotPermitted},
		{"where people review, by a person", with(top), ready, human, coord.RoleOperator, ""},
	} {
		err := c.facts.CheckAccept(c.family, c.policy, c.role)
		if coord.CodeOf(err) != c.refused {
			t.Errorf("%s: %v, want %q", c.name, err, c.refused)
		}
		if err != nil {
			checkRefusal(t, c.name, err)
		}
	}
}

func TestCompletesWith(t *testing.T) {
	plain := func(edits ...func(*coord.Task)) coord.Task {
		return code(append([]func(*coord.Task){isA(coord.KindObjective), func(t *coord.Task) { t.Criteria = nil }}, edits...)...)
	}
	for _, c := range []struct {
		name   string
		task   coord.Task
		family coord.Family
		want   bool
	}{
		{"its last child", plain(), coord.Family{Done: 2}, true},
		{"an open child", plain(), coord.Family{Done: 2, Open: []coord.TaskID{"pay-2"}}, false},
		{"nothing done", plain(), coord.Family{}, false},
		{"criteria of its own", code(isA(coord.KindObjective)), coord.Family{Done: 2}, false},
		{"planned", plain(closedAs(coord.LifecyclePlanned)), coord.Family{Done: 2}, false},
		{"a dependency", plain(func(t *coord.Task) { t.WaitsFor = []coord.TaskID{"pay-3"} }), coord.Family{Done: 2}, false},
		{"V9 a blocker", plain(func(t *coord.Task) { t.Blockers = []coord.Blocker{{ID: "b1"}} }), coord.Family{Done: 2}, false},
		{"a code task", plain(isA(coord.KindCode)), coord.Family{Done: 2}, false},
	} {
		if got := coord.CompletesWith(c.task, c.family); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
