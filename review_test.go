package coord_test

import (
	"errors"
	"slices"
	"testing"

	"coord"
)

// asPlain is the error as what it carries.
func asPlain(err error) *coord.Error {
	var e *coord.Error
	if errors.As(err, &e) {
		return e
	}
	return &coord.Error{}
}

func TestCheckJudge(t *testing.T) {
	task := coord.Task{ID: "pay-1", Digest: "now"}
	const accepted, rejected = coord.AmendmentAccepted, coord.AmendmentRejected
	amended := func(v coord.AmendmentVerdict) *coord.Amendment {
		return &coord.Amendment{Criteria: []string{"x"}, Reason: "r", Verdict: v}
	}
	for _, c := range []struct {
		name      string
		state     coord.SubmissionState
		judged    string
		amendment *coord.Amendment
		verdict   coord.Verdict
		says      coord.AmendmentVerdict
		want      coord.Code
	}{
		{"approve what waits", coord.SubmissionInReview, "now", nil, coord.VerdictApproved, "", ""},
		{"V4 approve what is approved", coord.SubmissionApproved, "now", nil, coord.VerdictApproved, "", coord.CodeStateConflict},
		{"reject what was sent back", coord.SubmissionReturned, "now", nil, coord.VerdictChangesRequested, "", coord.CodeStateConflict},
		{"approve what was edited since", coord.SubmissionInReview, "before", nil, coord.VerdictApproved, "", coord.CodeStateConflict},
		{"reject what was edited since", coord.SubmissionInReview, "before", nil, coord.VerdictChangesRequested, "", ""},
		{"approve without a word on the amendment", coord.SubmissionInReview, "now", amended(""), coord.VerdictApproved, "", coord.CodeRequirement},
		{"approve with one", coord.SubmissionInReview, "now", amended(""), coord.VerdictApproved, accepted, ""},
		{"approve without it", coord.SubmissionInReview, "now", amended(""), coord.VerdictApproved, rejected, ""},
		{"reject without a word on it", coord.SubmissionInReview, "now", amended(""), coord.VerdictChangesRequested, "", ""},
		{"reject and accept it", coord.SubmissionInReview, "now", amended(""), coord.VerdictChangesRequested, accepted, ""},
		{"accept it after an edit", coord.SubmissionInReview, "before", amended(""), coord.VerdictChangesRequested, accepted, coord.CodeStateConflict},
		{"reject it after an edit", coord.SubmissionInReview, "before", amended(""), coord.VerdictChangesRequested, rejected, ""},
		{"a word on none", coord.SubmissionInReview, "now", nil, coord.VerdictApproved, accepted, coord.CodeRequirement},
		{"nothing more to say", coord.SubmissionInReview, "now", amended(accepted), coord.VerdictApproved, "", ""},
		{"the same again", coord.SubmissionInReview, "now", amended(accepted), coord.VerdictApproved, accepted, ""},
		{"otherwise", coord.SubmissionInReview, "now", amended(accepted), coord.VerdictApproved, rejected, coord.CodeStateConflict},
	} {
		x := coord.Submission{ID: "pay-1.s1", Task: "pay-1", State: c.state, Judged: c.judged, Amendment: c.amendment}
		err := coord.Judgement{Verdict: c.verdict, Amendment: c.says}.CheckJudge(x, task)
		if (err == nil) != (c.want == "") || err != nil && coord.CodeOf(err) != c.want {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if err != nil {
			checkRefusal(t, c.name, err)
		}
	}
}

func TestV6_CheckApproved(t *testing.T) {
	agent := coord.SlotFacts{Review: "pay-2", Slot: coord.ActorAgent, Approved: coord.ActorAgent}
	waits := coord.SlotFacts{Review: "pay-4", Slot: coord.ActorHuman}
	for _, c := range []struct {
		name  string
		state coord.SubmissionState
		have  []coord.SlotFacts
		ok    bool
	}{
		{"all approved", coord.SubmissionApproved, []coord.SlotFacts{agent}, true},
		{"none asked for", coord.SubmissionApproved, nil, true},
		{"one waits", coord.SubmissionApproved, []coord.SlotFacts{agent, waits}, false},
		{"in review", coord.SubmissionInReview, []coord.SlotFacts{agent}, false},
		{"sent back", coord.SubmissionReturned, []coord.SlotFacts{agent}, false},
	} {
		err := coord.Submission{ID: "pay-1.s1", Task: "pay-1", State: c.state}.CheckApproved(c.have)
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestV6_CheckWithdraw(t *testing.T) {
	good := coord.WithdrawFacts{Review: coord.Review{ID: "v2", Submission: "pay-1.s1", Verdict: coord.VerdictApproved}, Own: true, Submission: coord.SubmissionApproved}
	for _, c := range []struct {
		name string
		edit func(*coord.WithdrawFacts)
		want coord.Code
	}{
		{"one's own", func(*coord.WithdrawFacts) {}, ""},
		{"while others review", func(f *coord.WithdrawFacts) { f.Submission = coord.SubmissionInReview }, ""},
		{"while it is merged", func(f *coord.WithdrawFacts) { f.Landing = coord.LandingMerged }, ""},
		{"after the permit", func(f *coord.WithdrawFacts) { f.Landing = coord.LandingPublishing }, coord.CodeStateConflict},
		{"after it landed", func(f *coord.WithdrawFacts) { f.Submission = coord.SubmissionLanded }, coord.CodeStateConflict},
		{"another's", func(f *coord.WithdrawFacts) { f.Own = false }, coord.CodeNotPermitted},
		{"twice", func(f *coord.WithdrawFacts) { f.Review.Voided = "it leaks" }, coord.CodeStateConflict},
		{"no approval", func(f *coord.WithdrawFacts) { f.Review.Verdict = coord.VerdictChangesRequested }, coord.CodeStateConflict},
	} {
		f := good
		c.edit(&f)
		err := f.CheckWithdraw()
		if (err == nil) != (c.want == "") || err != nil && coord.CodeOf(err) != c.want {
			t.Errorf("%s: %v", c.name, err)
		}
		if err != nil {
			checkRefusal(t, c.name, err)
		}
	}
}

func TestV5_CheckDistinct(t *testing.T) {
	approve := coord.Judgement{Verdict: coord.VerdictApproved}
	if err := approve.CheckDistinct("pay-1.s1", "warden", []coord.PrincipalID{"agents"}); err != nil {
		t.Error(err)
	}
	if err := approve.CheckDistinct("pay-1.s1", "warden", []coord.PrincipalID{"agents", "warden"}); coord.CodeOf(err) != coord.CodeNotIndependent {
		t.Error(err)
	}
	if err := (coord.Judgement{Verdict: coord.VerdictChangesRequested}).CheckDistinct("pay-1.s1", "warden", []coord.PrincipalID{"warden"}); err != nil {
		t.Errorf("who approved one slot may still send it back: %v", err)
	}
}

func TestV7_CheckSlot(t *testing.T) {
	for _, kind := range []coord.Kind{coord.KindCode, coord.KindReview, coord.KindIntegration} {
		for _, slot := range []coord.Actor{"", coord.ActorAgent, coord.ActorEither, coord.ActorHuman} {
			for _, role := range []coord.Role{coord.RoleAgent, coord.RoleSetup, coord.RoleReporter, coord.RoleOperator} {
				err := coord.Task{ID: "pay-2", Kind: kind, Slot: slot}.CheckSlot(role)
				if refused := kind == coord.KindReview && slot == coord.ActorHuman && role != coord.RoleOperator; (err != nil) != refused {
					t.Errorf("a %s at a %s task's %q slot: %v", role, kind, slot, err)
				}
			}
		}
	}
}

// TestReslot: what a change of mode adds and takes away, whatever was given
// before.
func TestReslot(t *testing.T) {
	const agent, human, either = coord.ActorAgent, coord.ActorHuman, coord.ActorEither
	slot := func(id coord.TaskID, of, by coord.Actor) coord.SlotFacts {
		return coord.SlotFacts{Review: id, Slot: of, Approved: by}
	}
	for _, c := range []struct {
		name    string
		have    []coord.SlotFacts
		mode    coord.ReviewMode
		missing []coord.Actor
		surplus []coord.TaskID
	}{
		{"stricter", []coord.SlotFacts{slot("p-2", agent, "")}, coord.ReviewBoth, []coord.Actor{human}, nil},
		{"stricter, approved", []coord.SlotFacts{slot("p-2", agent, agent)}, coord.ReviewBoth, []coord.Actor{human}, nil},
		{"from none", nil, coord.ReviewAgent, []coord.Actor{agent}, nil},
		{"looser", []coord.SlotFacts{slot("p-2", agent, ""), slot("p-3", human, "")}, coord.ReviewAgent, nil, []coord.TaskID{"p-3"}},
		{"to none", []coord.SlotFacts{slot("p-2", agent, agent), slot("p-3", human, "")}, coord.ReviewNone, nil, []coord.TaskID{"p-3"}},
		{"a person's approval fills an agent's slot", []coord.SlotFacts{slot("p-3", human, human)}, coord.ReviewAgent, nil, nil},
		{"but a person's first", []coord.SlotFacts{slot("p-2", agent, human)}, coord.ReviewBoth, []coord.Actor{agent}, nil},
		{"an agent's never a person's", []coord.SlotFacts{slot("p-2", either, agent)}, coord.ReviewHuman, []coord.Actor{human}, nil},
		{"two persons' fill both", []coord.SlotFacts{slot("p-2", agent, human), slot("p-3", human, human)}, coord.ReviewBoth, nil, nil},
		{"an open review of either stays for an agent's", []coord.SlotFacts{slot("p-2", either, "")}, coord.ReviewAgent, nil, nil},
		{"and the other way round", []coord.SlotFacts{slot("p-2", agent, "")}, coord.ReviewEither, nil, nil},
		{"an open review of a person's does not", []coord.SlotFacts{slot("p-3", human, "")}, coord.ReviewAgent, []coord.Actor{agent}, []coord.TaskID{"p-3"}},
		{"the approval is taken before the open review", []coord.SlotFacts{slot("p-2", agent, ""), slot("p-3", human, human)}, coord.ReviewAgent, nil, []coord.TaskID{"p-2"}},
	} {
		missing, surplus := coord.Reslot(c.have, c.mode)
		if !slices.Equal(missing, c.missing) || !slices.Equal(surplus, c.surplus) {
			t.Errorf("%s: missing %v, surplus %v", c.name, missing, surplus)
		}
	}
}

func TestRecurring(t *testing.T) {
	f := func(class string, s coord.Severity) coord.Finding {
		return coord.Finding{Class: class, Severity: s, Text: "x"}
	}
	const required, advisory = coord.SeverityRequired, coord.SeverityAdvisory
	earlier := [][]coord.Finding{
		{f("tests", required), f("tests", required), f("style", advisory)},
		{f("tests", required), f("", required)},
		{f("style", advisory)},
	}
	for _, c := range []struct {
		name  string
		fresh []coord.Finding
		limit int
		want  string
	}{
		{"the third review that finds it, and two are allowed", []coord.Finding{f("tests", required)}, 2, "tests"},
		{"and three are", []coord.Finding{f("tests", required)}, 3, ""},
		{"without a class it is general", []coord.Finding{f("general", required)}, 1, "general"},
		{"advice is not counted", []coord.Finding{f("tests", advisory)}, 1, ""},
		{"nor is advice of before", []coord.Finding{f("style", required)}, 1, ""},
		{"a new class", []coord.Finding{f("naming", required)}, 1, ""},
	} {
		if got := coord.Recurring(earlier, c.fresh, c.limit); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestSubmitChecks(t *testing.T) {
	task := coord.Task{ID: "pay-1", Kind: coord.KindCode, Digest: "0123456789", Criteria: []string{"fast", "small"}}
	p := coord.DefaultPolicy()
	none := p
	none.Review = coord.ReviewNone
	for _, c := range []struct {
		name string
		c    coord.Submit
		p    coord.Policy
		want coord.Code
	}{
		{"nothing said", coord.Submit{}, p, ""},
		{"evidence for the last", coord.Submit{Evidence: []coord.Evidence{{Criterion: 2}}}, p, ""},
		{"evidence for none", coord.Submit{Evidence: []coord.Evidence{{Criterion: 3}}}, p, coord.CodeRequirement},
		{"evidence for what is proposed", coord.Submit{Evidence: []coord.Evidence{{Criterion: 3}}, Amendment: &coord.Amendment{Criteria: []string{"a", "b", "c"}}}, p, ""},
		{"an amendment", coord.Submit{Amendment: &coord.Amendment{Criteria: []string{"fast"}}}, p, ""},
		{"an amendment that nobody judges", coord.Submit{Amendment: &coord.Amendment{Criteria: []string{"fast"}}}, none, coord.CodeRequirement},
		{"an amendment of nothing", coord.Submit{Amendment: &coord.Amendment{Criteria: []string{"fast", "small"}}}, p, coord.CodeBadRequest},
	} {
		err := c.c.CheckReport(task, c.p)
		if (err == nil) != (c.want == "") || err != nil && coord.CodeOf(err) != c.want {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	for digest, ok := range map[string]bool{"": true, "0123456789": true, "9876543210": false} {
		if err := (coord.Submit{Digest: digest}).CheckDigest(task); (err == nil) != ok {
			t.Errorf("by the text %q: %v", digest, err)
		}
	}
	required := coord.Submit{Tree: oid(1), Required: []coord.RequiredCheck{{Name: "test", Digest: "d"}}}
	if err := required.CheckEvidence(task, nil); coord.CodeOf(err) != coord.CodeRequirement {
		t.Errorf("code without evidence: %v", err)
	}
	general := task
	general.Kind = coord.KindGeneral
	if err := required.CheckEvidence(general, nil); err != nil {
		t.Errorf("what does not land needs no check: %v", err)
	}
	for _, c := range []struct {
		t    coord.Task
		p    coord.Policy
		want coord.SubmissionState
	}{
		{task, p, coord.SubmissionInReview},
		{task, none, coord.SubmissionApproved},
		{general, p, coord.SubmissionInReview},
		{general, none, coord.SubmissionAccepted},
	} {
		if got := (coord.Submit{}).State(c.t, c.p); got != c.want {
			t.Errorf("a %s task under %s begins as %s", c.t.Kind, c.p.Review, got)
		}
	}
}
