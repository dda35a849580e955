package store

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"coord"
)

// The queries that pick, each a walk along one index that stops at the first
// row. Expired is earliest lease end first; the others are in selection
// order: priority, ready since, number.
const (
	first = " ORDER BY t.priority, t.ready_since, t.number LIMIT 1"

	// Parameters: project, kind, latest expiry that is past its grace, session.
	pickExpired = `SELECT t.id FROM attempts a JOIN tasks t ON t.id = a.task
		WHERE a.project = ? AND a.kind = ? AND a.ended IS NULL AND a.expires_at <= ? AND a.session <> ?
		ORDER BY a.expires_at LIMIT 1`

	// Parameters: project, kind.
	pickSaved = "SELECT t.id FROM tasks t WHERE t.project = ? AND t.kind = ? AND " + claimable + " AND t.saved IS NOT NULL AND NOT " + localOnly + first
	// A landing that met a conflict or a failed check. Parameter: project.
	pickRevisable = "SELECT t.id FROM tasks t WHERE t.project = ? AND t.kind = 'integration' AND " + waiting + " AND t.blocker_kind IS NOT NULL" + first
	pickReady     = "SELECT t.id FROM tasks t WHERE t.project = ? AND t.kind = ? AND " + claimable + " AND t.saved IS NULL" + first

	// The same for reviews: parameters then session. A session does not judge
	// what it worked on.
	ownWork            = "EXISTS (SELECT 1 FROM submissions s JOIN attempts x ON x.task = s.task WHERE s.id = t.subject AND x.session = ?)"
	notOwnWork         = " AND NOT " + ownWork
	pickExpiredReviews = `SELECT t.id FROM attempts a JOIN tasks t ON t.id = a.task
		WHERE a.project = ? AND a.kind = ? AND a.ended IS NULL AND a.expires_at <= ? AND a.session <> ?` + notOwnWork + `
		ORDER BY a.expires_at LIMIT 1`
	pickReview = "SELECT t.id FROM tasks t WHERE t.project = ? AND t.kind = ? AND " + claimable + notOwnWork + first
)

// pick is the task that the session should take next: a dead owner's, then
// one with saved work, then the first ready one; or CodeNothingEligible.
func (t *tx) pick(p coord.Project, kind coord.Kind) (coord.TaskID, error) {
	id, _, err := t.best(p, kind, t.caller.Session)
	if err == nil && id == "" {
		return "", t.nothing(p, kind)
	}
	return id, err
}

// best is pick without the refusal. It says whether the task is to be
// recovered rather than begun.
func (v *view) best(p coord.Project, kind coord.Kind, session coord.SessionID) (id coord.TaskID, recovery bool, err error) {
	key, k, me := string(p.Key), string(kind), string(session)
	free := nanos(v.now.Add(-time.Duration(p.Policy.RecoveryGrace)))
	if kind == coord.KindReview {
		if found, err := v.get([]any{&id}, pickExpiredReviews, key, k, free, me, me); found || err != nil {
			return id, true, err
		}
		_, err = v.get([]any{&id}, pickReview, key, k, me)
		return id, false, err
	}
	if found, err := v.get([]any{&id}, pickExpired, key, k, free, me); found || err != nil {
		return id, true, err
	}
	if found, err := v.get([]any{&id}, pickSaved, key, k); found || err != nil {
		return id, true, err
	}
	_, err = v.get([]any{&id}, pickReady, key, k)
	return id, false, err
}

// nothing is the refusal when no task of the kind is for the session now: a
// normal stop, with the reasons and when to look again.
func (t *tx) nothing(p coord.Project, kind coord.Kind) error {
	skips, err := t.skips(p, kind, t.caller.Session)
	if err != nil {
		return err
	}
	var reasons []string
	for _, s := range skips {
		reasons = append(reasons, fmt.Sprintf("%d %s", s.Count, s.Reason))
	}
	if len(reasons) == 0 {
		reasons = []string{"there is none"}
	}
	e := coord.Errorf(coord.CodeNothingEligible, "no %s task of %s is for this session now: %s", kind, p.Key, strings.Join(reasons, "; ")).
		WithNext("coord next", "coord board")
	if kind == coord.KindIntegration {
		if e, err = t.wayOut(p.Key, e); err != nil {
			return err
		}
	}
	wait, err := t.untilNextExpiry(p, kind)
	if wait > 0 {
		e = e.WithRetryAfter(wait)
	}
	if err != nil {
		return err
	}
	return e
}

// wayOut names the submission that has to go back first, if there is one: a
// caller whose answer was lost learns here what its landing met.
func (t *tx) wayOut(p coord.ProjectKey, e *coord.Error) (*coord.Error, error) {
	id, err := t.revisable(p)
	if err != nil || id == "" {
		return e, err
	}
	blocked, err := t.task(id)
	if err != nil {
		return e, err
	}
	return e.WithNext(append([]string{blocked.Blocker.Reopen}, e.Next...)...), nil
}

// untilNextExpiry is how long until the first lease that runs is free for
// others to recover; 0 when none runs.
func (v *view) untilNextExpiry(p coord.Project, kind coord.Kind) (time.Duration, error) {
	free := nanos(v.now.Add(-time.Duration(p.Policy.RecoveryGrace)))
	var first int64
	found, err := v.get([]any{&first}, "SELECT expires_at FROM attempts WHERE project = ? AND kind = ? AND ended IS NULL AND expires_at > ? ORDER BY expires_at LIMIT 1",
		string(p.Key), string(kind), free)
	if err != nil || !found {
		return 0, err
	}
	return instant(first).Add(time.Duration(p.Policy.RecoveryGrace)).Sub(v.now), nil
}

// skip is what is true of some tasks, with the query that counts them.
type skip struct {
	what, query string
	args        []any
}

// nouns are what people call tasks of a kind.
var nouns = map[coord.Kind]string{coord.KindCode: "task", coord.KindReview: "review", coord.KindIntegration: "integration"}

// skips says why open tasks of the kind are not for the session now, in words
// that follow the number: "tasks blocked".
func (v *view) skips(p coord.Project, kind coord.Kind, session coord.SessionID) ([]coord.Skip, error) {
	key, k := string(p.Key), string(kind)
	held := "SELECT count(*), coalesce(min(t.id), '') FROM attempts a JOIN tasks t ON t.id = a.task WHERE a.project = ? AND a.kind = ? AND a.ended IS NULL AND a.session "
	reasons := []skip{
		{"held by others", held + "<> ?", []any{key, k, string(session)}},
		{"held by this session", held + "= ?", []any{key, k, string(session)}},
		{"blocked", blockedSet.and("t.kind = ?").count(), []any{key, k}},
	}
	switch kind {
	case coord.KindCode:
		reasons = append(reasons,
			skip{"saved on one machine only", savedSet.and("t.kind = 'code' AND " + localOnly).count(), []any{key}},
			skip{"planned, not admitted", plannedSet.count(), []any{key}},
			skip{"submitted and waiting for others", submittedSet.count(), []any{key}})
	case coord.KindReview:
		reasons = append(reasons, skip{
			"of this session's own work",
			readySet.and("t.kind = ?").count() + " AND " + ownWork,
			[]any{key, k, string(session)},
		})
	}
	return v.count(nouns[kind], reasons)
}

func (v *view) count(noun string, reasons []skip) ([]coord.Skip, error) {
	var out []coord.Skip
	for _, r := range reasons {
		var s coord.Skip
		if _, err := v.get([]any{&s.Count, &s.Example}, r.query, r.args...); err != nil {
			return nil, err
		}
		s.Reason = pluralOf(s.Count, noun) + " " + r.what
		if s.Count > 0 {
			out = append(out, s)
		}
	}
	return slices.Clip(out), nil
}
