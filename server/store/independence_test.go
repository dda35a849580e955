package store

import (
	"fmt"
	"testing"
	"time"

	"coord"
	"coord/servicetest"
)

// reviewedProject registers a project by the policy.
func reviewedProject(t *testing.T, s *Store, key coord.ProjectKey, edit func(*coord.Policy)) {
	t.Helper()
	p := coord.DefaultPolicy()
	edit(&p)
	id := coord.RepositoryID("git.example.com/" + key)
	_, err := setup(s).CreateProject(t.Context(), coord.CreateProject{
		Key: newKey(), Project: key, Name: string(key), Policy: p,
		Repositories: []coord.Repository{{ID: id, Remote: "https://" + string(id), Target: "main"}},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// who is a session as a test wants it.
type who struct {
	principal coord.PrincipalID
	machine   string
	parent    coord.Service
}

// opens opens a session of its own.
func (w who) opens(t *testing.T, s *Store, name string) coord.Service {
	t.Helper()
	c := coord.Caller{Principal: w.principal, Role: coord.RoleAgent, Name: name}
	open := coord.OpenSession{ID: coord.SessionID(newKey()[:20]), Verifier: coord.SessionVerifier(proof), Name: name, Machine: w.machine}
	if w.parent != nil {
		open.Parent = whoami(t, w.parent).Session
	}
	if _, err := s.As(c).OpenSession(t.Context(), open); err != nil {
		t.Fatal(err)
	}
	c, err := s.VerifySession(t.Context(), c, open.ID, proof)
	if err != nil {
		t.Fatal(err)
	}
	return s.As(c)
}

// submittedBy is a task that the session worked on alone.
func submittedBy(t *testing.T, author coord.Service, id coord.TaskID) coord.Submission {
	t.Helper()
	c, err := author.Claim(t.Context(), coord.Claim{Key: newKey(), Project: id.Project(), Task: id})
	if err != nil {
		t.Fatal(err)
	}
	out, err := author.Submit(t.Context(), coord.Submit{
		Key: newKey(), Attempt: c.Attempt.ID, Fence: c.Attempt.Fence, Commit: oid("1"), Tree: oid("2"), Base: oid("3"), Ref: "refs/coord/x", Summary: "x",
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.Submission
}

// TestV5_MatrixOfPrincipalsAndSessionLines tries every degree against every
// relation that a reviewer may have to the one who did the work: at the claim
// of the review, and again at the decision.
func TestV5_MatrixOfPrincipalsAndSessionLines(t *testing.T) {
	const session, agent, machine = coord.IndependentSession, coord.IndependentAgent, coord.IndependentMachine
	for _, c := range []struct {
		relation string
		reviewer func(author coord.Service) who
		refused  []coord.Independence
	}{
		{"a stranger", func(coord.Service) who { return who{"blue", "mill", nil} }, nil},
		{"a stranger on the machine", func(coord.Service) who { return who{"blue", "forge", nil} }, []coord.Independence{machine}},
		{"another session of the agent", func(coord.Service) who { return who{"red", "mill", nil} }, []coord.Independence{agent, machine}},
		{"an agent that the author's made", func(coord.Service) who { return who{"green", "mill", nil} }, []coord.Independence{agent, machine}},
		{"a child", func(a coord.Service) who { return who{"red", "mill", a} }, []coord.Independence{session, agent, machine}},
	} {
		for _, degree := range []coord.Independence{session, agent, machine} {
			t.Run(fmt.Sprintf("%s, %s", c.relation, degree), func(t *testing.T) {
				s := openAt(t, t.TempDir()+"/coord.db", servicetest.NewClock().Now)
				reviewedProject(t, s, "pay", func(p *coord.Policy) { p.Independence = degree })
				author := who{"red", "forge", nil}.opens(t, s, "alpha")
				sub := submittedBy(t, author, newTask(t, author, "pay"))
				err := s.writer.do(t.Context(), coord.Caller{}, func(x *tx) error {
					return x.change("INSERT INTO tokens (verifier, principal, role, label, tail, created_by, created_at) VALUES ('v', 'green', 'agent', 'l', 't', 'red', 1)")
				})
				if err != nil {
					t.Fatal(err)
				}
				reviewer := c.reviewer(author).opens(t, s, "bravo")
				refused := false
				for _, d := range c.refused {
					refused = refused || d == degree
				}
				claim, err := reviewer.Claim(t.Context(), coord.Claim{Key: newKey(), Project: "pay", Task: sub.Reviews[0]})
				if (coord.CodeOf(err) == coord.CodeNotIndependent) != refused || err != nil && !refused {
					t.Fatalf("the claim: %v", err)
				}
				if refused {
					_, err = reviewer.Claim(t.Context(), coord.Claim{Key: newKey(), Project: "pay", Kind: coord.KindReview})
					if coord.CodeOf(err) != coord.CodeNothingEligible {
						t.Errorf("the next review: %v", err)
					}
					return
				}
				judge := coord.RecordReview{Key: newKey(), Attempt: claim.Attempt.ID, Fence: claim.Attempt.Fence, Judgement: coord.Judgement{Verdict: coord.VerdictApproved, Note: "n"}}
				if _, err := reviewer.Review(t.Context(), judge); err != nil {
					t.Errorf("the decision: %v", err)
				}
			})
		}
	}
}

// TestV5_TheWholeHistoryCounts: a grandchild of a session that gave the task
// back long ago, and the child of one that the author named.
func TestV5_TheWholeHistoryCounts(t *testing.T) {
	s := openAt(t, t.TempDir()+"/coord.db", servicetest.NewClock().Now)
	reviewedProject(t, s, "pay", func(*coord.Policy) {})
	former := who{"red", "forge", nil}.opens(t, s, "former")
	named := who{"grey", "loom", nil}.opens(t, s, "named")
	author := who{"blue", "mill", nil}.opens(t, s, "author")
	id := newTask(t, author, "pay")
	c, err := former.Claim(t.Context(), coord.Claim{Key: newKey(), Project: "pay", Task: id})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := former.Release(t.Context(), coord.Release{Key: newKey(), Attempt: c.Attempt.ID, Fence: c.Attempt.Fence, Reason: "r"}); err != nil {
		t.Fatal(err)
	}
	if c, err = author.Claim(t.Context(), coord.Claim{Key: newKey(), Project: "pay", Task: id}); err != nil {
		t.Fatal(err)
	}
	out, err := author.Submit(t.Context(), coord.Submit{
		Key: newKey(), Attempt: c.Attempt.ID, Fence: c.Attempt.Fence, Commit: oid("1"), Tree: oid("2"), Base: oid("3"), Ref: "refs/coord/x", Summary: "x",
		Contributors: []coord.SessionID{whoami(t, named).Session.Short()},
	})
	if err != nil {
		t.Fatal(err)
	}
	child := who{"red", "forge", former}.opens(t, s, "child")
	for name, w := range map[string]who{"grandchild": {"red", "loom", child}, "child of the one named": {"grey", "mill", named}} {
		_, err := w.opens(t, s, name).Claim(t.Context(), coord.Claim{Key: newKey(), Project: "pay", Task: out.Submission.Reviews[0]})
		if coord.CodeOf(err) != coord.CodeNotIndependent {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := (who{"red", "forge", nil}).opens(t, s, "stranger").Claim(t.Context(), coord.Claim{Key: newKey(), Project: "pay", Task: out.Submission.Reviews[0]}); err != nil {
		t.Errorf("a session of nobody's line: %v", err)
	}
}

// TestV6_Fault62_ADisabledReviewersApprovalPermitsNothing: the account is
// disabled between the approval and the push.
func TestV6_Fault62_ADisabledReviewersApprovalPermitsNothing(t *testing.T) {
	s := openAt(t, t.TempDir()+"/coord.db", servicetest.NewClock().Now)
	reviewedProject(t, s, "pay", func(p *coord.Policy) { p.Review = coord.ReviewHuman })
	for _, name := range []string{"echo", "warden"} {
		if err := s.CreateOperator(t.Context(), name, "correct horse battery"); err != nil {
			t.Fatal(err)
		}
	}
	as := func(name string) coord.Service {
		return s.As(coord.Caller{Principal: coord.PrincipalID(name), Role: coord.RoleOperator, Name: name})
	}
	approve := func(name string, x coord.Submission) {
		t.Helper()
		_, err := as(name).Judge(t.Context(), coord.Judge{Key: newKey(), Submission: x.ID, Judgement: coord.Judgement{Verdict: coord.VerdictApproved, Note: "n"}})
		if err != nil {
			t.Fatal(err)
		}
	}
	author, lander := session(t, s, agents, "alpha"), session(t, s, agents, "bravo")
	hers, his := submittedBy(t, author, newTask(t, author, "pay")), submittedBy(t, author, newTask(t, author, "pay"))
	approve("echo", hers)
	approve("warden", his)
	h, err := lander.Hold(t.Context(), coord.Hold{Key: newKey(), Project: "pay", Task: hers.Task})
	if err != nil {
		t.Fatal(err)
	}
	merge := coord.RecordMerge{Key: newKey(), Landing: h.Landing.ID, Fence: h.Attempt.Fence, Base: oid("4"), Parents: []coord.OID{oid("4"), h.Submission.Commit}, Result: oid("5"), Tree: oid("6")}
	if _, err := lander.RecordMerge(t.Context(), merge); err != nil {
		t.Fatal(err)
	}
	if err := s.DisableOperator(t.Context(), "echo", "the account is not used any more"); err != nil {
		t.Fatal(err)
	}
	_, err = lander.Permit(t.Context(), coord.Permit{Key: newKey(), Landing: h.Landing.ID, Fence: h.Attempt.Fence, Base: merge.Base, Result: merge.Result, Tree: merge.Tree})
	if coord.CodeOf(err) != coord.CodeFenced && coord.CodeOf(err) != coord.CodeStateConflict {
		t.Errorf("the permit: %v", err)
	}
	state := func(x coord.Submission) coord.SubmissionState {
		row, err := reading(t.Context(), s, func(v *view) (submissionRow, error) { return v.submission(x.ID) })
		if err != nil {
			t.Fatal(err)
		}
		return row.State
	}
	if state(hers) != coord.SubmissionInReview || state(his) != coord.SubmissionApproved {
		t.Errorf("hers is %s and his is %s", state(hers), state(his))
	}
	if _, err := lander.Hold(t.Context(), coord.Hold{Key: newKey(), Project: "pay", Task: his.Task}); err != nil {
		t.Errorf("the target is free for what others approved: %v", err)
	}
	approve("warden", hers)
	if state(hers) != coord.SubmissionApproved {
		t.Errorf("approved again, it is %s", state(hers))
	}
}

// TestV6_ThePermitCountsTheApprovals: a submission whose state says approved
// and whose approval counts no more gets no permit, whoever wrote the state.
func TestV6_ThePermitCountsTheApprovals(t *testing.T) {
	clock := servicetest.NewClock()
	s := openAt(t, t.TempDir()+"/coord.db", clock.Now)
	reviewedProject(t, s, "pay", func(*coord.Policy) {})
	author, reviewer, lander := session(t, s, agents, "alpha"), session(t, s, agents, "bravo"), session(t, s, agents, "echo")
	x := submittedBy(t, author, newTask(t, author, "pay"))
	c, err := reviewer.Claim(t.Context(), coord.Claim{Key: newKey(), Project: "pay", Task: x.Reviews[0]})
	if err != nil {
		t.Fatal(err)
	}
	judge := coord.RecordReview{Key: newKey(), Attempt: c.Attempt.ID, Fence: c.Attempt.Fence, Judgement: coord.Judgement{Verdict: coord.VerdictApproved, Note: "n"}}
	if _, err := reviewer.Review(t.Context(), judge); err != nil {
		t.Fatal(err)
	}
	h, err := lander.Hold(t.Context(), coord.Hold{Key: newKey(), Project: "pay", Task: x.Task})
	if err != nil {
		t.Fatal(err)
	}
	merge := coord.RecordMerge{Key: newKey(), Landing: h.Landing.ID, Fence: h.Attempt.Fence, Base: oid("4"), Parents: []coord.OID{oid("4"), h.Submission.Commit}, Result: oid("5"), Tree: oid("6")}
	if _, err := lander.RecordMerge(t.Context(), merge); err != nil {
		t.Fatal(err)
	}
	clock.Advance(time.Minute)
	err = s.writer.do(t.Context(), whoami(t, lander), func(x *tx) error {
		return x.change("UPDATE tasks SET lifecycle = 'open', closed_at = NULL WHERE kind = 'review' AND lifecycle = 'done'")
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = lander.Permit(t.Context(), coord.Permit{Key: newKey(), Landing: h.Landing.ID, Fence: h.Attempt.Fence, Base: merge.Base, Result: merge.Result, Tree: merge.Tree})
	if coord.CodeOf(err) != coord.CodeStateConflict {
		t.Errorf("got %v", err)
	}
}

// TestV7_TheDecisionAsksForThePersonToo: an agent that got hold of a person's
// review, by whatever way, decides nothing under it.
func TestV7_TheDecisionAsksForThePersonToo(t *testing.T) {
	s := openAt(t, t.TempDir()+"/coord.db", servicetest.NewClock().Now)
	reviewedProject(t, s, "pay", func(*coord.Policy) {})
	author, reviewer := session(t, s, agents, "alpha"), session(t, s, agents, "bravo")
	x := submittedBy(t, author, newTask(t, author, "pay"))
	c := claim(t, reviewer, x.Reviews[0])
	err := s.writer.do(t.Context(), whoami(t, reviewer), func(x *tx) error {
		return x.change("UPDATE tasks SET slot = 'human' WHERE kind = 'review'")
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, verdict := range []coord.Verdict{coord.VerdictApproved, coord.VerdictChangesRequested} {
		judge := coord.RecordReview{Key: newKey(), Attempt: c.Attempt.ID, Fence: c.Attempt.Fence, Judgement: coord.Judgement{Verdict: verdict, Note: "n"}}
		if _, err := reviewer.Review(t.Context(), judge); coord.CodeOf(err) != coord.CodeNotPermitted {
			t.Errorf("%s: %v", verdict, err)
		}
	}
}
