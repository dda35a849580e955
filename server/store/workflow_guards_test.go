package store

import (
	"path/filepath"
	"testing"
	"time"

	"coord"
	"coord/servicetest"
)

// reviewedWorld is a store with a project by the policy, a submission of
// pay-1 in review, and its author.
func reviewedWorld(t *testing.T, edit func(*coord.Policy)) (*Store, coord.Service, coord.Submission) {
	t.Helper()
	s := openAt(t, filepath.Join(t.TempDir(), "coord.db"), servicetest.NewClock().Now)
	reviewedProject(t, s, "pay", edit)
	author := who{"red", "forge", nil}.opens(t, s, "alpha")
	return s, author, submittedBy(t, author, newTask(t, author, "pay"))
}

func warden(s *Store) coord.Service {
	return s.As(coord.Caller{Principal: "warden", Role: coord.RoleOperator, Name: "warden"})
}

// setsPolicy changes the policy of pay as a person.
func setsPolicy(t *testing.T, s *Store, edit func(*coord.Policy)) {
	t.Helper()
	p, err := warden(s).Project(t.Context(), "pay")
	if err != nil {
		t.Fatal(err)
	}
	c := coord.SetPolicy{Key: newKey(), Project: "pay", Revision: p.PolicyRevision, Policy: p.Policy, Reason: "r"}
	edit(&c.Policy)
	if _, err := warden(s).SetPolicy(t.Context(), c); err != nil {
		t.Fatal(err)
	}
}

func asks(t *testing.T, by coord.Service, c coord.Ask) coord.Decision {
	t.Helper()
	c.Key, c.Project, c.Question, c.Options = newKey(), "pay", "Which?", []string{"a", "b"}
	d, err := by.Ask(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func reviewsAs(t *testing.T, by coord.Service, sub coord.Submission, j coord.Judgement) coord.Review {
	t.Helper()
	c, err := by.Claim(t.Context(), coord.Claim{Key: newKey(), Project: "pay", Task: sub.Reviews[0]})
	if err != nil {
		t.Fatal(err)
	}
	j.Note = "n"
	r, err := by.Review(t.Context(), coord.RecordReview{Key: newKey(), Attempt: c.Attempt.ID, Fence: c.Attempt.Fence, Judgement: j})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func taskNow(t *testing.T, s *Store, id coord.TaskID) coord.TaskDetail {
	t.Helper()
	d, err := warden(s).Task(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// What is parked takes no review, so nobody is sent to give one.
func TestV9_AReviewOfParkedWorkIsPassedOver(t *testing.T) {
	s, author, sub := reviewedWorld(t, func(*coord.Policy) {})
	d := asks(t, author, coord.Ask{Tasks: []coord.TaskID{sub.Task}, RequiredActor: coord.ActorHuman})
	reviewer := who{"blue", "mill", nil}.opens(t, s, "bravo")
	n, err := reviewer.Next(t.Context(), "pay")
	if err != nil || n.Activity != coord.ActivityNone {
		t.Errorf("next is %s %s (%v)", n.Activity, n.Command, err)
	}
	if _, err := reviewer.Claim(t.Context(), coord.Claim{Key: newKey(), Project: "pay", Kind: coord.KindReview}); coord.CodeOf(err) != coord.CodeNothingEligible {
		t.Errorf("the next review: %v", err)
	}
	if _, err := warden(s).Decide(t.Context(), coord.Decide{Key: newKey(), Project: "pay", Decision: d.ID, Option: "a"}); err != nil {
		t.Fatal(err)
	}
	if n, err = reviewer.Next(t.Context(), "pay"); err != nil || n.Activity != coord.ActivityReview {
		t.Errorf("after the answer, next is %s (%v)", n.Activity, err)
	}
}

// A session that descends from one that worked on a task is as near to the
// work as that one.
func TestV5_ADescendantDoesNotChangeTheCriteria(t *testing.T) {
	s, author, sub := reviewedWorld(t, func(*coord.Policy) {})
	child := who{"red", "forge", author}.opens(t, s, "child")
	weaker := []string{"it is there"}
	edit := coord.EditTask{Key: newKey(), Task: sub.Task, Revision: taskNow(t, s, sub.Task).Revision, Criteria: &weaker}
	if _, err := child.EditTask(t.Context(), edit); coord.CodeOf(err) != coord.CodeNotIndependent {
		t.Errorf("the edit: %v", err)
	}
	if _, err := child.Revise(t.Context(), coord.Revise{Key: newKey(), Task: sub.Task, Reason: coord.ReviseWithdrawn}); err != nil {
		t.Errorf("it takes back what its parent did: %v", err)
	}
}

// A policy that asks for no review any more accepts no general task that is
// parked, or that says something else by now.
func TestV9_ALooserPolicyAcceptsNothingParkedOrEdited(t *testing.T) {
	for name, trouble := range map[string]func(*testing.T, *Store, coord.Service, coord.TaskID){
		"parked": func(t *testing.T, _ *Store, by coord.Service, id coord.TaskID) {
			asks(t, by, coord.Ask{Tasks: []coord.TaskID{id}})
		},
		"edited": func(t *testing.T, s *Store, _ coord.Service, id coord.TaskID) {
			title := "another thing"
			if _, err := warden(s).EditTask(t.Context(), coord.EditTask{Key: newKey(), Task: id, Revision: taskNow(t, s, id).Revision, Title: &title}); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := openAt(t, filepath.Join(t.TempDir(), "coord.db"), servicetest.NewClock().Now)
			reviewedProject(t, s, "pay", func(*coord.Policy) {})
			author := who{"red", "forge", nil}.opens(t, s, "alpha")
			task, err := author.CreateTask(t.Context(), coord.CreateTask{Key: newKey(), Project: "pay", Kind: coord.KindGeneral, Title: "a task"})
			if err != nil {
				t.Fatal(err)
			}
			sub := submittedBy(t, author, task.ID)
			trouble(t, s, author, task.ID)
			setsPolicy(t, s, func(p *coord.Policy) { p.Review = coord.ReviewNone })
			if now := taskNow(t, s, task.ID); now.Lifecycle != coord.LifecycleOpen || now.Status != coord.StatusWaitingReview {
				t.Fatalf("%s is %s", task.ID, now.Status)
			}
			switch name {
			case "parked":
				if _, err := warden(s).Decide(t.Context(), coord.Decide{Key: newKey(), Project: "pay", Decision: "D1", Option: "a"}); err != nil {
					t.Fatal(err)
				}
				reviewsAs(t, who{"blue", "mill", nil}.opens(t, s, "bravo"), sub, coord.Judgement{Verdict: coord.VerdictApproved})
				if now := taskNow(t, s, task.ID); now.Status != coord.StatusDone {
					t.Errorf("after its review %s is %s", task.ID, now.Status)
				}
			case "edited":
				other := who{"blue", "mill", nil}.opens(t, s, "bravo")
				n, err := other.Next(t.Context(), "pay")
				if err != nil || n.Activity != coord.ActivityRevise {
					t.Errorf("next is %s (%v)", n.Activity, err)
				}
			}
			checkRecord(t, s)
		})
	}
}

// A reviewer who lost access while the push was under way does not vouch for
// another one.
func TestV6_AReviewerLostDuringAPushApprovesNoSecondOne(t *testing.T) {
	s, author, sub := reviewedWorld(t, func(*coord.Policy) {})
	_ = author
	reviewsAs(t, who{"blue", "mill", nil}.opens(t, s, "bravo"), sub, coord.Judgement{Verdict: coord.VerdictApproved})
	err := s.writer.do(t.Context(), coord.Caller{}, func(x *tx) error {
		return x.change("INSERT INTO tokens (verifier, principal, role, label, tail, created_by, created_at) VALUES ('v', 'blue', 'agent', 'l', 't', 'red', 1)")
	})
	if err != nil {
		t.Fatal(err)
	}
	echo := who{"grey", "loom", nil}.opens(t, s, "echo")
	held, err := echo.Hold(t.Context(), coord.Hold{Key: newKey(), Project: "pay", Task: sub.Task})
	if err != nil {
		t.Fatal(err)
	}
	merge := coord.RecordMerge{Key: newKey(), Landing: held.Landing.ID, Fence: held.Attempt.Fence, Base: oid("4"), Result: oid("5"), Tree: oid("6"), Parents: []coord.OID{oid("4"), held.Submission.Commit}}
	permit := coord.Permit{Key: newKey(), Landing: held.Landing.ID, Fence: held.Attempt.Fence, Base: oid("4"), Result: oid("5"), Tree: oid("6")}
	if _, err := echo.RecordMerge(t.Context(), merge); err != nil {
		t.Fatal(err)
	}
	if _, err := echo.Permit(t.Context(), permit); err != nil {
		t.Fatal(err)
	}
	if _, err := warden(s).RevokeToken(t.Context(), coord.RevokeToken{Key: newKey(), ID: "tok1", Reason: "r"}); err != nil {
		t.Fatal(err)
	}
	seen := coord.RecordObservation{Key: newKey(), Landing: held.Landing.ID, Fence: held.Attempt.Fence, Tip: oid("7"), Refusal: "the target moved"}
	if _, err := echo.RecordObservation(t.Context(), seen); err != nil {
		t.Fatal(err)
	}
	merge.Key, permit.Key = newKey(), newKey()
	_, err = echo.RecordMerge(t.Context(), merge)
	if err == nil {
		_, err = echo.Permit(t.Context(), permit)
	}
	if err == nil {
		t.Fatal("it may be pushed again, and its only reviewer lost access")
	}
	if now := taskNow(t, s, sub.Task); now.Status != coord.StatusWaitingReview {
		t.Errorf("it is %s", now.Status)
	}
	checkRecord(t, s)
}

// Who is not asked does not answer by letting time answer.
func TestAnEscalationIsNotAnsweredByTime(t *testing.T) {
	s, author, sub := reviewedWorld(t, func(p *coord.Policy) { p.FindingLimit = 1; p.TimedAnswers = true })
	finding := []coord.Finding{{Class: "tests", Severity: coord.SeverityRequired, Text: "x"}}
	reviewer := who{"blue", "mill", nil}.opens(t, s, "bravo")
	reviewsAs(t, reviewer, sub, coord.Judgement{Verdict: coord.VerdictChangesRequested, Findings: finding})
	sub = resubmits(t, author, sub)
	reviewsAs(t, reviewer, sub, coord.Judgement{Verdict: coord.VerdictChangesRequested, Findings: finding})
	_, err := author.Ask(t.Context(), coord.Ask{
		Key: newKey(), Project: "pay", Question: "Go on?", Options: []string{"yes", "no"}, Recommendation: "yes", Reversible: true, StandsIn: coord.Duration(time.Second), Supersedes: "D1",
	})
	if err == nil {
		t.Error("a contributor lets its own recommendation answer an escalation")
	}
}

// resubmits goes on from what was sent back.
func resubmits(t *testing.T, by coord.Service, sub coord.Submission) coord.Submission {
	t.Helper()
	task, err := by.Task(t.Context(), sub.Task)
	if err != nil {
		t.Fatal(err)
	}
	c, err := by.Claim(t.Context(), coord.Claim{
		Key: newKey(), Project: "pay", Task: sub.Task, Recovery: &coord.Recovery{Generation: task.Generation, Disposition: coord.DispositionResume, Commit: sub.Commit},
	})
	if err != nil {
		t.Fatal(err)
	}
	out, err := by.Submit(t.Context(), coord.Submit{
		Key: newKey(), Attempt: c.Attempt.ID, Fence: c.Attempt.Fence, Commit: oid("1"), Tree: oid("2"), Base: oid("3"), Ref: "refs/coord/x", Summary: "x",
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.Submission
}

// A review that says in its note alone what it wants changed is counted too.
func TestRejectionsByNoteAloneAreCounted(t *testing.T) {
	s, author, sub := reviewedWorld(t, func(p *coord.Policy) { p.FindingLimit = 2 })
	reviewer := who{"blue", "mill", nil}.opens(t, s, "bravo")
	for range 2 {
		reviewsAs(t, reviewer, sub, coord.Judgement{Verdict: coord.VerdictChangesRequested})
		sub = resubmits(t, author, sub)
	}
	reviewsAs(t, reviewer, sub, coord.Judgement{Verdict: coord.VerdictChangesRequested})
	if now := taskNow(t, s, sub.Task); now.Status != coord.StatusBlocked {
		t.Errorf("after three rejections, of which two may be, it is %s", now.Status)
	}
}

// What a person allowed in one place is not allowed in another.
func TestAnAuthorizationForAnotherEnvironmentLandsNothing(t *testing.T) {
	s, author, sub := reviewedWorld(t, func(p *coord.Policy) { p.Review = coord.ReviewNone; p.Integration = coord.IntegrateHuman })
	hold := func() error {
		_, err := author.Hold(t.Context(), coord.Hold{Key: newKey(), Project: "pay", Task: sub.Task})
		return err
	}
	allow := func(environment string) {
		if _, err := warden(s).Authorize(t.Context(), coord.Authorize{Key: newKey(), Project: "pay", Task: sub.Task, Environment: environment}); err != nil {
			t.Fatal(err)
		}
	}
	allow("staging")
	if err := hold(); coord.CodeOf(err) != coord.CodeNotPermitted {
		t.Errorf("an authorization for staging lands on main: %v", err)
	}
	if n, err := author.Next(t.Context(), "pay"); err != nil || n.Activity != coord.ActivityNone {
		t.Errorf("next is %s (%v)", n.Activity, err)
	}
	allow("main")
	if n, err := author.Next(t.Context(), "pay"); err != nil || n.Activity != coord.ActivityIntegrate {
		t.Errorf("next is %s (%v)", n.Activity, err)
	}
	if err := hold(); err != nil {
		t.Error(err)
	}
}

// A question that nobody answered in time is asked anew by whoever asks for
// work, or what it parks is never worked on again.
func TestAnExpiredQuestionIsAskedAnew(t *testing.T) {
	clock := servicetest.NewClock()
	s := openAt(t, filepath.Join(t.TempDir(), "coord.db"), clock.Now)
	project(t, s, "pay")
	alpha := session(t, s, agents, "alpha")
	id := newTask(t, alpha, "pay")
	asks(t, alpha, coord.Ask{Tasks: []coord.TaskID{id}, ExpiresIn: coord.Duration(time.Hour)})
	clock.Advance(2 * time.Hour)
	n, err := alpha.Next(t.Context(), "pay")
	if err != nil || n.Activity != coord.ActivityDecide || n.Command != "coord ask --supersedes D1" {
		t.Errorf("next is %s %q (%v)", n.Activity, n.Command, err)
	}
}

// A reviewer whom a stricter policy stops is told how to let go.
func TestV5_AStricterPolicyLetsAReviewerGo(t *testing.T) {
	s, _, sub := reviewedWorld(t, func(*coord.Policy) {})
	reviewer := who{"red", "mill", nil}.opens(t, s, "bravo")
	c, err := reviewer.Claim(t.Context(), coord.Claim{Key: newKey(), Project: "pay", Task: sub.Reviews[0]})
	if err != nil {
		t.Fatal(err)
	}
	setsPolicy(t, s, func(p *coord.Policy) { p.Independence = coord.IndependentAgent })
	_, err = reviewer.Review(t.Context(), coord.RecordReview{Key: newKey(), Attempt: c.Attempt.ID, Fence: c.Attempt.Fence, Judgement: coord.Judgement{Verdict: coord.VerdictApproved, Note: "n"}})
	var e *coord.Error
	if !asCoord(err, &e) || e.Code != coord.CodeNotIndependent || len(e.Next) != 1 || e.Next[0] != "coord release -m REASON" {
		t.Errorf("%+v", err)
	}
}
