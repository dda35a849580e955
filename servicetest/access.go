package servicetest

import (
	"slices"
	"strings"
	"time"

	"coord"
)

// person is an operator at a command line.
func (s *stage) person() coord.Service {
	s.Helper()
	if s.h.AsPerson == nil {
		s.Skip("this service is not asked by an operator's token")
	}
	return s.h.AsPerson(s.T)
}

// issue makes a token for an agent's principal.
func (s *stage) issue(p coord.Service, principal coord.PrincipalID) coord.IssuedToken {
	return must(p.IssueToken(s.ctx, coord.IssueToken{Key: newKey(), Principal: principal, Role: coord.RoleAgent, Label: "for " + string(principal)}))
}

// under opens a session under a token.
func (s *stage) under(k coord.IssuedToken, name string) *actor {
	return &actor{s.h.Under(s.T, k.Secret, name), s, name}
}

// fresh is a principal that no other scene has.
func (s *stage) fresh() coord.PrincipalID { return coord.PrincipalID("machine-of-" + s.project) }

func revoke(id coord.TokenID) coord.RevokeToken {
	return coord.RevokeToken{Key: newKey(), ID: id, Reason: "the machine was sold"}
}

// over wants an attempt to be dead, and the task to be anybody's without a
// grace: what it saved needs a disposition, nothing else.
func (s *stage) over(w work, how coord.Standing) {
	s.Helper()
	a := s.task(w.Task.ID).Attempts
	if last := a[len(a)-1]; last.Standing != how || last.EndedAt == nil || last.EndReason == "" {
		s.Errorf("the attempt is %+v, want %s", last, how)
	}
	_, err := s.as("echo").try(w.Task.ID, nil)
	s.refused(err, coord.CodeRecoveryRequired)
	must(s.as("echo").try(w.Task.ID, &coord.Recovery{Generation: 1, Disposition: coord.DispositionRestart, Reason: "its owner is gone"}))
}

// held is work with something saved.
func (a *actor) held(title string) work {
	w := a.start(a.newTask(title).ID)
	must(w.checkpoint())
	return w
}

var tokenScenes = []scene{
	{"K6 fault 41: a secret is shown once", func(s *stage) {
		p := s.person()
		c := coord.IssueToken{Key: newKey(), Principal: s.fresh(), Role: coord.RoleAgent, Label: "laptop", TTL: coord.Duration(time.Hour)}
		first, again := must(p.IssueToken(s.ctx, c)), must(p.IssueToken(s.ctx, c))
		if coord.CheckToken(first.Secret) != nil || first.SecretShown || first.Token.Masked != "coord_agt_…"+coord.TokenTail(first.Secret) {
			s.Errorf("issued %+v", first)
		}
		if again.Secret != "" || !again.SecretShown || again.Token.ID != first.Token.ID {
			s.Errorf("issued again %+v", again)
		}
		if e := first.Token.ExpiresAt; e == nil || !e.Equal(s.h.Now().Add(time.Hour)) {
			s.Errorf("it expires at %v", e)
		}
		for _, k := range must(p.ListTokens(s.ctx)) {
			if k.ID == first.Token.ID && (k.Label != "laptop" || k.Principal != c.Principal || k.Role != coord.RoleAgent || k.CreatedBy == "" || k.LastUsedAt != nil) {
				s.Errorf("listed as %+v", k)
			}
		}
	}},
	{"W25 agents and set-up have no say over tokens", func(s *stage) {
		k := s.issue(s.person(), s.fresh()).Token.ID
		for name, svc := range map[string]coord.Service{"agent": s.as("alpha"), "setup": s.h.AsSetup()} {
			_, err := svc.ListTokens(s.ctx)
			s.refused(err, coord.CodeNotPermitted)
			is(s, name+" needs", asError(err).RequiredActor, "operator")
			_, err = svc.IssueToken(s.ctx, coord.IssueToken{Key: newKey(), Principal: "x", Role: coord.RoleAgent, Label: "x"})
			s.refused(err, coord.CodeNotPermitted)
			_, err = svc.RevokeToken(s.ctx, revoke(k))
			s.refused(err, coord.CodeNotPermitted)
			_, err = svc.RotateToken(s.ctx, coord.RotateToken{Key: newKey(), ID: k})
			s.refused(err, coord.CodeNotPermitted)
		}
	}},
	{"a token of a person is not issued, and forms are checked", func(s *stage) {
		p := s.person()
		for _, c := range []coord.IssueToken{
			{Principal: "x", Role: coord.RoleOperator, Label: "x"},
			{Principal: "", Role: coord.RoleAgent, Label: "x"},
			{Principal: "x", Role: coord.RoleAgent, Label: ""},
			{Principal: "x", Role: coord.RoleAgent, Label: "x", TTL: coord.Duration(time.Second)},
			{Principal: "x\ny", Role: coord.RoleAgent, Label: "x"},
		} {
			c.Key = newKey()
			_, err := p.IssueToken(s.ctx, c)
			s.refused(err, coord.CodeBadRequest)
		}
		_, err := p.RevokeToken(s.ctx, revoke("tok99999"))
		s.refused(err, coord.CodeNotFound)
		_, err = p.RevokeToken(s.ctx, revoke("7"))
		s.refused(err, coord.CodeBadRequest)
	}},
	{"L14 fault 23: with the last token the leases are dead, without a grace", func(s *stage) {
		p := s.person()
		k := s.issue(p, s.fresh())
		bravo := s.under(k, "bravo")
		w := bravo.held("x")
		ended := must(p.RevokeToken(s.ctx, revoke(k.Token.ID)))
		if ended.RevokedAt == nil || ended.RevokeReason != "the machine was sold" {
			s.Errorf("revoked as %+v", ended)
		}
		s.unchanged(w.Task.ID, func() {
			for _, use := range w.uses(bravo, w.Attempt.Fence) {
				s.refused(use(), coord.CodeUnauthenticated)
			}
			_, err := bravo.CreateTask(s.ctx, coord.CreateTask{Key: newKey(), Project: s.project, Title: "y"})
			s.refused(err, coord.CodeUnauthenticated)
		})
		s.over(w, coord.StandingRevoked)
	}},
	{"L12 fault 25: the right fence is useless under another credential", func(s *stage) {
		p := s.person()
		delta := s.under(s.issue(p, s.fresh()), "delta")
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		s.useless(w, delta, w.Attempt.Fence, coord.CodeFenced)
		must(w.renew())
	}},
	{"L14 an expired lease of a revoked principal needs no grace either", func(s *stage) {
		p := s.person()
		k := s.issue(p, s.fresh())
		w := s.under(k, "bravo").held("x")
		s.h.Advance(lease + 1)
		must(p.RevokeToken(s.ctx, revoke(k.Token.ID)))
		s.over(w, coord.StandingRevoked)
	}},
	{"revoking again changes nothing", func(s *stage) {
		p := s.person()
		k := s.issue(p, s.fresh())
		first := must(p.RevokeToken(s.ctx, revoke(k.Token.ID)))
		s.h.Advance(time.Hour)
		is(s, "revoked again", must(p.RevokeToken(s.ctx, coord.RevokeToken{Key: newKey(), ID: k.Token.ID, Reason: "another"})), first)
	}},
	{"sessions go on while their principal has a valid token", func(s *stage) {
		p := s.person()
		one, two := s.issue(p, s.fresh()), s.issue(p, s.fresh())
		w := s.under(two, "bravo").held("x")
		must(p.RevokeToken(s.ctx, revoke(one.Token.ID)))
		must(w.renew())
		s.status(w.Task.ID, coord.StatusInProgress)
		must(p.RevokeToken(s.ctx, revoke(two.Token.ID)))
		s.over(w, coord.StandingRevoked)
	}},
	{"an expired token keeps no session", func(s *stage) {
		p := s.person()
		short := must(p.IssueToken(s.ctx, coord.IssueToken{Key: newKey(), Principal: s.fresh(), Role: coord.RoleAgent, Label: "x", TTL: coord.Duration(lease / 2)}))
		long := s.issue(p, s.fresh())
		bravo := s.under(short, "bravo")
		w := bravo.held("x")
		s.h.Advance(lease/2 - 1)
		must(w.renew())
		s.h.Advance(1)
		_, err := w.renew()
		s.refused(err, coord.CodeUnauthenticated)
		s.status(w.Task.ID, coord.StatusInProgress) // its lease is what it was
		must(p.RevokeToken(s.ctx, revoke(long.Token.ID)))
		s.over(w, coord.StandingRevoked)
	}},
	{"a rotation ends the old token and no session", func(s *stage) {
		p := s.person()
		old := s.issue(p, s.fresh())
		bravo := s.under(old, "bravo")
		w := bravo.held("x")
		c := coord.RotateToken{Key: newKey(), ID: old.Token.ID}
		next, again := must(p.RotateToken(s.ctx, c)), must(p.RotateToken(s.ctx, c))
		if next.Token.Principal != old.Token.Principal || next.Token.Label != old.Token.Label || next.Token.ID == old.Token.ID || next.Secret == old.Secret {
			s.Errorf("rotated %+v to %+v", old.Token, next.Token)
		}
		if again.Secret != "" || !again.SecretShown || again.Token.ID != next.Token.ID {
			s.Errorf("rotated again %+v", again)
		}
		_, err := w.renew()
		s.refused(err, coord.CodeUnauthenticated)
		s.status(w.Task.ID, coord.StatusInProgress)
		must(s.under(next, "delta").ListTasks(s.ctx, coord.TaskQuery{Project: s.project}))
		_, err = p.RotateToken(s.ctx, coord.RotateToken{Key: newKey(), ID: old.Token.ID})
		s.refused(err, coord.CodeStateConflict)
	}},
	{"K8 fault 39: keys of one principal do not meet another's", func(s *stage) {
		p := s.person()
		bravo, delta := s.under(s.issue(p, s.fresh()+"-b"), "bravo"), s.under(s.issue(p, s.fresh()+"-d"), "delta")
		key := newKey()
		first := must(bravo.CreateTask(s.ctx, coord.CreateTask{Key: key, Project: s.project, Title: "one"}))
		other := must(delta.CreateTask(s.ctx, coord.CreateTask{Key: key, Project: s.project, Title: "two"}))
		if first.ID == other.ID || other.Title != "two" {
			s.Errorf("%+v, then %+v", first, other)
		}
		again := must(delta.CreateTask(s.ctx, coord.CreateTask{Key: key, Project: s.project, Title: "two"}))
		is(s, "replay", again.ID, other.ID)
	}},
	{"last used is noted to the minute", func(s *stage) {
		p := s.person()
		k := s.issue(p, s.fresh())
		bravo := s.under(k, "bravo")
		used := func() time.Time {
			for _, t := range must(p.ListTokens(s.ctx)) {
				if t.ID == k.Token.ID && t.LastUsedAt != nil {
					return *t.LastUsedAt
				}
			}
			return time.Time{}
		}
		first := used()
		is(s, "first use", first, s.h.Now())
		s.h.Advance(59 * time.Second)
		s.under(k, "bravo")
		is(s, "within the minute", used(), first)
		s.h.Advance(time.Second)
		s.under(k, "bravo")
		is(s, "after it", used(), s.h.Now())
		_ = bravo
	}},
}

var sessionScenes = []scene{
	{"L14 a session that an operator closes is over, and its attempts are revoked", func(s *stage) {
		p := s.person()
		bravo := s.under(s.issue(p, s.fresh()), "bravo")
		w := bravo.held("x")
		mine := s.sessionOf(p, s.fresh())
		is(s, "holds", mine.Attempts, []coord.AttemptID{w.id()})
		c := coord.CloseSession{Key: newKey(), Session: mine.ID, Reason: "it went astray"}
		closed := must(p.CloseSession(s.ctx, c))
		if len(closed.Ended) != 1 || closed.Ended[0].Attempt != w.id() || closed.Ended[0].Task != w.Task.ID || closed.Ended[0].Next != "coord start "+string(w.Task.ID) || !strings.Contains(closed.Ended[0].Kept, "saved as commit") {
			s.Errorf("it ended %+v", closed.Ended)
		}
		is(s, "the same again", must(p.CloseSession(s.ctx, c)), closed)
		s.unchanged(w.Task.ID, func() {
			_, err := w.renew()
			s.refused(err, coord.CodeSessionUnknown)
			if detail(err, "closed") == "" || !strings.Contains(err.Error(), "it went astray") {
				s.Errorf("the session is told %v", err)
			}
		})
		s.over(w, coord.StandingRevoked)
		if all := must(p.ListSessions(s.ctx)); slices.ContainsFunc(all, func(r coord.SessionRecord) bool { return r.ID == mine.ID }) {
			s.Error("a closed session is listed")
		}
	}},
	{"a session closes itself and releases what it holds", func(s *stage) {
		p := s.person()
		bravo := s.under(s.issue(p, s.fresh()), "bravo")
		w := bravo.held("x")
		closed := must(bravo.CloseSession(s.ctx, coord.CloseSession{Key: newKey(), Reason: "done for today"}))
		is(s, "closed", closed.Name, "bravo")
		is(s, "ended", []any{len(closed.Ended), closed.Ended[0].Attempt, len(closed.Attempts)}, []any{1, w.id(), 0})
		_, err := bravo.try(w.Task.ID, nil)
		s.refused(err, coord.CodeSessionUnknown)
		s.over(w, coord.StandingReleased)
	}},
	{"W25 a session closes no other one, whether it exists or not", func(s *stage) {
		p := s.person()
		bravo := s.under(s.issue(p, s.fresh()), "bravo")
		w := bravo.held("x")
		alpha := s.as("alpha")
		var said []string
		for _, id := range []coord.SessionID{s.sessionOf(p, s.fresh()).ID, "nobody-has-this-one"} {
			_, err := alpha.CloseSession(s.ctx, coord.CloseSession{Key: newKey(), Session: id})
			s.refused(err, coord.CodeNotPermitted)
			said = append(said, err.Error())
		}
		is(s, "one answer", said[0], said[1])
		must(w.renew())
		_, err := p.CloseSession(s.ctx, coord.CloseSession{Key: newKey(), Session: "nobody-has-this-one"})
		s.refused(err, coord.CodeNotFound)
	}},
	{"W25 an agent sees its principal's sessions only", func(s *stage) {
		p := s.person()
		bravo := s.under(s.issue(p, s.fresh()), "bravo")
		seen := must(bravo.ListSessions(s.ctx))
		if len(seen) != 1 || seen[0].Principal != s.fresh() || seen[0].Name != "bravo" || len(seen[0].ID) > 12 {
			s.Errorf("bravo sees %+v", seen)
		}
		for _, r := range must(s.as("alpha").ListSessions(s.ctx)) {
			if r.Principal == s.fresh() {
				s.Errorf("alpha sees %+v", r)
			}
		}
		_, err := s.h.AsSetup().ListSessions(s.ctx)
		s.refused(err, coord.CodeNotPermitted)
	}},
	{"a closed session's target is free, unless a push may be under way", func(s *stage) {
		p := s.person()
		s.withoutReview()
		held := s.approved("held")
		bravo := s.under(s.issue(p, s.fresh()), "bravo")
		h := bravo.hold(held.Task)
		h.merge()
		ended := must(bravo.CloseSession(s.ctx, coord.CloseSession{Key: newKey()})).Ended
		is(s, "ended", ended, []coord.EndedAttempt{{
			Attempt: coord.NewAttemptID(held.Integration, 1), Task: held.Integration, Kind: coord.KindIntegration, Kept: "its target is free again", Next: "coord integrate " + string(held.Task),
		}})
		s.status(held.Integration, coord.StatusReady)
		delta := s.under(s.issue(p, s.fresh()), "delta")
		_, push := delta.publishing(held.Task)
		ended = must(p.CloseSession(s.ctx, coord.CloseSession{Key: newKey(), Session: s.sessionOf(p, s.fresh()).ID})).Ended
		if len(ended) != 1 || !strings.Contains(ended[0].Kept, "may have been pushed") || ended[0].Next != "coord integrate "+string(held.Task) {
			s.Errorf("it ended %+v", ended)
		}
		s.status(held.Integration, coord.StatusRecoveryRequired)
		taken := must(s.as("echo").tryHold(held.Task, takeUp(2))) // at once: no grace
		if taken.Landing.State != coord.LandingPublishing || taken.Landing.Result != push.Result {
			s.Errorf("taken over as %+v", taken.Landing)
		}
	}},
}

// sessionOf is the one open session of a principal.
func (s *stage) sessionOf(p coord.Service, principal coord.PrincipalID) coord.SessionRecord {
	s.Helper()
	var found []coord.SessionRecord
	for _, r := range must(p.ListSessions(s.ctx)) {
		if r.Principal == principal {
			found = append(found, r)
		}
	}
	if len(found) != 1 {
		s.Fatalf("%d open sessions of %s", len(found), principal)
	}
	return found[0]
}
