package servicetest

import (
	"strings"
	"time"

	"coord"
)

// reviewed goes on in a project of the review mode.
func (s *stage) reviewed(m coord.ReviewMode) {
	s.governed(func(p *coord.Policy) { p.Review = m })
}

// setPolicy changes the project's policy as an operator.
func (s *stage) setPolicy(edit func(*coord.Policy)) coord.Project {
	p := must(s.h.AsOperator().Project(s.ctx, s.project))
	next := p.Policy
	edit(&next)
	return must(s.h.AsOperator().SetPolicy(s.ctx, coord.SetPolicy{Key: newKey(), Project: s.project, Revision: p.PolicyRevision, Policy: next, Reason: "we learnt"}))
}

func mode(m coord.ReviewMode) func(*coord.Policy) {
	return func(p *coord.Policy) { p.Review = m }
}

// submission is the latest one of the task, as it is now.
func (s *stage) submission(id coord.TaskID) coord.Submission {
	all := s.task(id).Submissions
	return all[len(all)-1]
}

// open are the slots that the submission waits for.
func (s *stage) open(sub coord.Submission) (out []coord.Actor) {
	for _, id := range s.submission(sub.Task).Reviews {
		if t := s.task(id); t.Lifecycle == coord.LifecycleOpen {
			out = append(out, t.Slot)
		}
	}
	return out
}

// judge is a person's decision.
func (s *stage) judge(p coord.Service, sub coord.Submission, v coord.Verdict) (coord.Review, error) {
	return p.Judge(s.ctx, coord.Judge{Key: newKey(), Submission: sub.ID, Judgement: coord.Judgement{Verdict: v, Note: "read it all"}})
}

// lastEvent is the latest of the kind in the project.
func (s *stage) lastEvent(k coord.EventKind) (out coord.Event) {
	for _, e := range must(s.h.AsOperator().Events(s.ctx, s.project, 0, 1000)) {
		if e.Kind == k {
			out = e
		}
	}
	return out
}

var policyScenes = []scene{
	{"a change is a revision with author and reason, and says what changed", func(s *stage) {
		person := s.person()
		before := must(person.Project(s.ctx, s.project))
		next := before.Policy
		next.Lease, next.Review = coord.Duration(time.Hour), coord.ReviewBoth
		after := must(person.SetPolicy(s.ctx, coord.SetPolicy{Key: newKey(), Project: s.project, Revision: 1, Policy: next, Reason: "builds are slow"}))
		is(s, "policy", after.Policy, next)
		is(s, "revision", after.PolicyRevision, int64(2))
		all := must(person.PolicyRevisions(s.ctx, s.project))
		is(s, "revisions", len(all), 2)
		is(s, "the first", all[0].Policy, before.Policy)
		author := must(person.Whoami(s.ctx)).Name
		is(s, "the second", all[1], coord.PolicyRevision{Revision: 2, Policy: next, Author: author, Reason: "builds are slow", At: s.h.Now()})
		is(s, "event", s.lastEvent(coord.EventPolicyChanged).Text, author+" changed the policy: lease: 30m0s → 1h0m0s; review: agent → both")
	}},
	{"only an operator changes it, whatever the policy delegates", func(s *stage) {
		s.governed(func(p *coord.Policy) { p.AgentRules = true })
		for _, who := range []coord.Service{s.as("alpha"), s.h.AsSetup()} {
			_, err := who.SetPolicy(s.ctx, coord.SetPolicy{Key: newKey(), Project: s.project, Revision: 1, Reason: "r"})
			s.refused(err, coord.CodeNotPermitted)
			is(s, "actor", asError(err).RequiredActor, "operator")
		}
		is(s, "revision", must(s.as("alpha").Project(s.ctx, s.project)).PolicyRevision, int64(1))
	}},
	{"whoever did not read the latest is refused", func(s *stage) {
		s.setPolicy(func(p *coord.Policy) { p.HeldLimit = 2 })
		_, err := s.h.AsOperator().SetPolicy(s.ctx, coord.SetPolicy{Key: newKey(), Project: s.project, Revision: 1, Policy: policy(coord.ReviewNone), Reason: "r"})
		s.refused(err, coord.CodeStateConflict)
		is(s, "limit", must(s.as("alpha").Project(s.ctx, s.project)).Policy.HeldLimit, 2)
	}},
	{"the same policy again is no revision, and a bad one is refused", func(s *stage) {
		is(s, "revision", s.setPolicy(func(*coord.Policy) {}).PolicyRevision, int64(1))
		for _, edit := range []func(*coord.SetPolicy){
			func(c *coord.SetPolicy) { c.Reason = "" },
			func(c *coord.SetPolicy) { c.Policy.Review = "twice" },
			func(c *coord.SetPolicy) { c.Policy.Lease = -1 },
		} {
			c := coord.SetPolicy{Key: newKey(), Project: s.project, Revision: 1, Policy: policy(coord.ReviewNone), Reason: "r"}
			edit(&c)
			_, err := s.h.AsOperator().SetPolicy(s.ctx, c)
			s.refused(err, coord.CodeBadRequest)
		}
	}},
	{"K1 the same change again is one", func(s *stage) {
		c := coord.SetPolicy{Key: newKey(), Project: s.project, Revision: 1, Policy: policy(coord.ReviewNone), Reason: "r"}
		p := s.h.AsOperator()
		is(s, "the replay", must(p.SetPolicy(s.ctx, c)), must(p.SetPolicy(s.ctx, c)))
		is(s, "revisions", len(must(p.PolicyRevisions(s.ctx, s.project))), 2)
	}},
	{"nothing that was submitted becomes stale", func(s *stage) {
		sub := s.approved("x")
		_, other := s.submitted()
		s.unchanged(sub.Task, func() {
			s.unchanged(other.Task, func() {
				s.setPolicy(func(p *coord.Policy) {
					p.Lease, p.FindingLimit, p.ReviseLimit, p.HeldLimit = coord.Duration(time.Hour), 1, 1, 3
					p.Recovery, p.Independence, p.AgentRules, p.TimedAnswers = coord.RecoverManual, coord.IndependentSession, true, true
				})
			})
		})
		s.land(sub.Task)
		s.approve(other)
		s.land(other.Task)
	}},
	{"a stricter mode adds the reviews that are missing", func(s *stage) {
		done := s.approved("done")
		_, waiting := s.submitted()
		s.setPolicy(mode(coord.ReviewBoth))
		is(s, "approved", s.submission(done.Task).State, coord.SubmissionInReview)
		is(s, "its open slots", s.open(done), []coord.Actor{coord.ActorHuman})
		is(s, "in review", s.open(waiting), []coord.Actor{coord.ActorAgent, coord.ActorHuman})
		s.status(done.Integration, coord.StatusBlocked)
		_, err := s.as("bravo").tryHold(done.Task, nil)
		s.refused(err, coord.CodeStateConflict)
		must(s.judge(s.h.AsOperator(), done, coord.VerdictApproved))
		s.status(done.Integration, coord.StatusReady)
		s.land(done.Task)
		s.approve(waiting)
		is(s, "half of it", s.submission(waiting.Task).State, coord.SubmissionInReview)
		must(s.judge(s.h.AsOperator(), waiting, coord.VerdictApproved))
		s.land(waiting.Task)
	}},
	{"from none to an agent's review", func(s *stage) {
		s.withoutReview()
		alpha := s.as("alpha")
		sub := alpha.start(alpha.newTask("x").ID).submit()
		s.setPolicy(mode(coord.ReviewAgent))
		is(s, "open slots", s.open(sub), []coord.Actor{coord.ActorAgent})
		s.status(sub.Task, coord.StatusWaitingReview)
		s.approve(s.submission(sub.Task))
		s.land(sub.Task)
	}},
	{"a looser mode cancels the reviews that nobody has begun", func(s *stage) {
		s.reviewed(coord.ReviewBoth)
		alpha := s.as("alpha")
		first, second := alpha.start(alpha.newTask("x").ID).submit(), alpha.start(alpha.newTask("y").ID).submit()
		s.approve(first)
		s.setPolicy(mode(coord.ReviewAgent))
		is(s, "with what it needs", s.submission(first.Task).State, coord.SubmissionApproved)
		s.status(first.Integration, coord.StatusReady)
		is(s, "without", s.open(second), []coord.Actor{coord.ActorAgent})
		s.setPolicy(mode(coord.ReviewNone))
		is(s, "open slots", s.open(second), nil)
		for _, sub := range []coord.Submission{first, second} {
			s.land(sub.Task)
		}
	}},
	{"a review that somebody is at is waited for", func(s *stage) {
		_, sub := s.submitted()
		w := s.as("bravo").start(sub.Reviews[0])
		s.setPolicy(mode(coord.ReviewNone))
		is(s, "state", s.submission(sub.Task).State, coord.SubmissionInReview)
		must(w.review(coord.VerdictApproved))
		s.land(sub.Task)
	}},
	{"an approval that was given stays, whatever the mode becomes", func(s *stage) {
		sub := s.approved("x")
		for _, m := range []coord.ReviewMode{coord.ReviewHuman, coord.ReviewBoth, coord.ReviewEither, coord.ReviewHuman, coord.ReviewAgent} {
			s.setPolicy(mode(m))
		}
		is(s, "state", s.submission(sub.Task).State, coord.SubmissionApproved)
		s.land(sub.Task)
	}},
	{"what is being landed right now is left alone until that ends", func(s *stage) {
		first, second := s.approved("first"), s.approved("second", target("release"))
		h, given := s.as("bravo").hold(first.Task), s.as("echo").hold(second.Task)
		s.setPolicy(mode(coord.ReviewBoth))
		m := h.merge()
		must(h.see(must(h.permit(m, passing(m.Tree)))))
		s.status(first.Task, coord.StatusDone)
		must(given.fail(coord.FailLanding{State: coord.LandingReleased, Reason: "later"}))
		is(s, "given back", s.open(second), []coord.Actor{coord.ActorHuman})
		must(s.judge(s.h.AsOperator(), second, coord.VerdictApproved))
		s.land(second.Task)
	}},
}

func (s *stage) rule(who coord.Service, name, text string, revision int64) (coord.Rule, error) {
	return who.SetRule(s.ctx, coord.SetRule{Key: newKey(), Project: s.project, Name: name, Text: text, Revision: revision, Reason: "we learnt"})
}

var ruleScenes = []scene{
	{"rules are an operator's where the policy does not delegate them", func(s *stage) {
		alpha := s.as("alpha")
		_, err := s.rule(alpha, "tests", "Every change has a test.", 0)
		s.refused(err, coord.CodeNotPermitted)
		is(s, "actor", asError(err).RequiredActor, "operator")
		person := s.person()
		r := must(s.rule(person, "tests", "Every change has a test.", 0))
		is(s, "rule", r, coord.Rule{Project: s.project, Name: "tests", Text: "Every change has a test.", Revision: 1, Author: must(person.Whoami(s.ctx)).Name, Reason: "we learnt", At: s.h.Now()})
		is(s, "in force", must(alpha.Rules(s.ctx, s.project)), []coord.Rule{r})
		is(s, "told at the claim", alpha.start(alpha.newTask("x").ID).Rules, []coord.Rule{r})
	}},
	{"an agent may write them where the policy says so", func(s *stage) {
		s.governed(func(p *coord.Policy) { p.AgentRules = true })
		r := must(s.rule(s.as("alpha"), "tests", "Every change has a test.", 0))
		is(s, "author", r.Author, "alpha")
		s.setPolicy(func(p *coord.Policy) { p.AgentRules = false })
		_, err := s.rule(s.as("alpha"), "tests", "", 1)
		s.refused(err, coord.CodeNotPermitted)
		is(s, "in force", len(must(s.as("alpha").Rules(s.ctx, s.project))), 1)
	}},
	{"a rule is changed by whoever read it, and withdrawn by an empty text", func(s *stage) {
		p := s.h.AsOperator()
		must(s.rule(p, "tests", "one", 0))
		must(s.rule(p, "style", "gofmt", 0))
		_, err := s.rule(p, "tests", "two", 0)
		s.refused(err, coord.CodeStateConflict)
		must(s.rule(p, "tests", "two", 1))
		_, err = s.rule(p, "tests", "three", 1)
		s.refused(err, coord.CodeStateConflict)
		rules := must(p.Rules(s.ctx, s.project))
		is(s, "texts", []string{rules[0].Text, rules[1].Text}, []string{"gofmt", "two"})
		must(s.rule(p, "tests", "", 2))
		is(s, "in force", len(must(p.Rules(s.ctx, s.project))), 1)
		is(s, "written anew", must(s.rule(p, "tests", "three", 0)).Revision, int64(4))
		is(s, "event", s.lastEvent(coord.EventRuleChanged).Data["rule"], "tests")
	}},
}

func (s *stage) authorize(c coord.Authorize) coord.Authorization {
	c.Key, c.Project = newKey(), s.project
	return must(s.h.AsOperator().Authorize(s.ctx, c))
}

// byHand goes on in a project whose landings need a person's word.
func (s *stage) byHand() {
	s.governed(func(p *coord.Policy) { p.Integration = coord.IntegrateHuman })
}

var authorizationScenes = []scene{
	{"a landing needs a person's word where the policy wants one", func(s *stage) {
		s.byHand()
		sub := s.approved("x")
		bravo := s.as("bravo")
		for _, id := range []coord.TaskID{"", sub.Task, sub.Integration} {
			s.unchanged(sub.Task, func() {
				_, err := bravo.tryHold(id, nil)
				s.refused(err, coord.CodeNotPermitted)
				is(s, "actor", asError(err).RequiredActor, "operator")
				is(s, "next", asError(err).Next[0], "coord authorize "+string(sub.Task))
			})
		}
		person := s.person()
		a := must(person.Authorize(s.ctx, coord.Authorize{Key: newKey(), Project: s.project, Task: sub.Integration, Note: "after the demo"}))
		is(s, "authorization", a, coord.Authorization{
			ID: "A1", Project: s.project, Task: sub.Task, Action: coord.ActionLand, Until: s.h.Now().Add(24 * time.Hour), By: must(person.Whoami(s.ctx)).Name, Note: "after the demo", At: s.h.Now(),
		})
		is(s, "event", s.lastEvent(coord.EventAuthorized).Data["authorization"], "A1")
		is(s, "the record", s.task(sub.Task).Authorizations, []coord.Authorization{a})
		s.land(sub.Task)
	}},
	{"an objective has no act of its own that could be authorized", func(s *stage) {
		alpha := s.as("alpha")
		goal := must(alpha.CreateTask(s.ctx, coord.CreateTask{Key: newKey(), Project: s.project, Kind: coord.KindObjective, Title: "the goal", Criteria: []string{"it is there"}})).Task
		person := s.person()
		for _, action := range []string{"", "deploy"} {
			s.unchanged(goal.ID, func() {
				_, err := person.Authorize(s.ctx, coord.Authorize{Key: newKey(), Project: s.project, Task: goal.ID, Action: action})
				s.refused(err, coord.CodeStateConflict)
				if !strings.Contains(err.Error(), "is an objective") || len(asError(err).Next) == 0 {
					s.Errorf("it says %v, next %q", err, asError(err).Next)
				}
			})
		}
	}},
	{"an agent authorizes nothing", func(s *stage) {
		s.byHand()
		sub := s.approved("x")
		_, err := s.as("bravo").Authorize(s.ctx, coord.Authorize{Key: newKey(), Project: s.project, Task: sub.Task})
		s.refused(err, coord.CodeNotPermitted)
	}},
	{"it covers its task, its commit and its time, and nothing else", func(s *stage) {
		s.byHand()
		sub, other := s.approved("x"), s.approved("other")
		s.authorize(coord.Authorize{Task: other.Task})
		s.authorize(coord.Authorize{Task: sub.Task, Revision: newOID()})
		s.authorize(coord.Authorize{Task: sub.Task, Action: "deploy"})
		s.authorize(coord.Authorize{Task: sub.Task, For: coord.Duration(time.Minute)})
		s.h.Advance(time.Minute)
		_, err := s.as("bravo").tryHold(sub.Task, nil)
		s.refused(err, coord.CodeNotPermitted)
		s.authorize(coord.Authorize{Task: sub.Task, Revision: sub.Commit})
		s.land(sub.Task)
		is(s, "what may land is picked", s.as("bravo").hold("").Task.ID, other.Task)
	}},
	{"without a task it covers any", func(s *stage) {
		s.byHand()
		sub := s.approved("x")
		s.authorize(coord.Authorize{})
		s.land(sub.Task)
	}},
	{"what is not authorized does not stand in the way of what is", func(s *stage) {
		s.byHand()
		s.approved("x", priority(coord.PriorityUrgent))
		sub := s.approved("y", priority(coord.PriorityLow))
		s.authorize(coord.Authorize{Task: sub.Task})
		is(s, "held", s.as("bravo").hold("").Task.ID, sub.Task)
	}},
	{"V6 it is asked for again when the push is permitted", func(s *stage) {
		s.byHand()
		sub := s.approved("x")
		s.authorize(coord.Authorize{Task: sub.Task, For: coord.Duration(time.Minute)})
		h := s.as("bravo").hold(sub.Task)
		m := h.merge()
		s.h.Advance(time.Minute)
		s.unchanged(sub.Task, func() {
			_, err := h.permit(m, passing(m.Tree))
			s.refused(err, coord.CodeNotPermitted)
		})
		s.authorize(coord.Authorize{Task: sub.Task})
		must(h.see(must(h.permit(m, passing(m.Tree)))))
	}},
	{"bad input is refused", func(s *stage) {
		for _, c := range []coord.Authorize{{For: -1}, {For: coord.Duration(10000 * time.Hour)}, {Action: "Not So"}, {Revision: "abc"}, {Note: strings.Repeat("x", 3000)}} {
			c.Key, c.Project = newKey(), s.project
			_, err := s.h.AsOperator().Authorize(s.ctx, c)
			s.refused(err, coord.CodeBadRequest)
		}
		_, err := s.h.AsOperator().Authorize(s.ctx, coord.Authorize{Key: newKey(), Project: s.project, Task: coord.NewTaskID(s.project, 99)})
		s.refused(err, coord.CodeNotFound)
	}},
}
