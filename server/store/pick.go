package store

import (
	"slices"
	"strings"
	"time"

	"coord"
)

// The queries that pick, each a walk along one index that stops at the first
// row that will do. Expired is earliest lease end first; the others are in
// selection order: priority, ready since, number.
const (
	first = " ORDER BY t.priority, t.ready_since, t.number LIMIT 1"

	// Parameters: project, kind, latest expiry that is past its grace, session,
	// and that of mayRecover.
	pickExpired = `SELECT t.id, t.capabilities, a.expires_at FROM attempts a JOIN tasks t ON t.id = a.task
		WHERE a.project = ? AND a.kind = ? AND a.ended IS NULL AND a.expires_at <= ? AND a.session <> ? AND ` + mayRecover + `
		ORDER BY a.expires_at`

	// What coord.TaskFacts.Grant would not let the next session recover is
	// passed over: a task that waits for something by now, and, where an
	// operator releases first, all but a landing that may have been pushed.
	// Parameter: whether agents recover.
	mayRecover = `t.blocked = 0 AND (? OR EXISTS (SELECT 1 FROM landings l WHERE l.integration = t.id AND l.state = 'publishing'))`

	// What ready tasks need, each set of capabilities once, by a look-up for
	// each. Parameters: project, kind, pickup.
	pickNeeds = `WITH RECURSIVE sets (needs) AS (
			SELECT (SELECT t.capabilities FROM tasks t INDEXED BY tasks_capable WHERE t.project = ?1 AND t.kind = ?2 AND t.pickup = ?3 AND ` + claimable + ` ORDER BY t.capabilities LIMIT 1)
			UNION ALL
			SELECT (SELECT t.capabilities FROM tasks t INDEXED BY tasks_capable WHERE t.project = ?1 AND t.kind = ?2 AND t.pickup = ?3 AND t.capabilities > sets.needs AND ` + claimable + ` ORDER BY t.capabilities LIMIT 1)
			FROM sets WHERE sets.needs IS NOT NULL)
		SELECT needs FROM sets WHERE needs IS NOT NULL`
	// The first ready task of one set. Parameters: project, kind, pickup,
	// capabilities.
	ofNeeds   = " FROM tasks t INDEXED BY tasks_capable WHERE t.project = ? AND t.kind = ? AND t.pickup = ? AND t.capabilities = ? AND " + claimable
	pickReady = "SELECT t.id, t.priority, t.ready_since, t.number" + ofNeeds + first

	// A landing that met a conflict or a failed check. Parameter: project.
	pickRevisable = "SELECT t.id FROM tasks t WHERE t.project = ? AND t.kind = 'integration' AND " + waiting + " AND " + metTrouble + first
)

// workFree is true of a review task t while nothing blocks the work that it is
// of, or its landing: what is blocked takes no judgement.
const workFree = "NOT EXISTS (SELECT 1 FROM submissions fs JOIN tasks fw ON fw.id IN (fs.task, fs.integration) WHERE fs.id = t.subject AND fw.open_blockers > 0)"

// pickExpiredReviews and pickReview are the same for reviews. Nobody judges
// what they are not independent of or what is parked, and no agent gives a
// person's approval.
// Parameters: project, kind, latest expiry that is past its grace, session,
// that of mayRecover, and ownArgs.
func pickExpiredReviews(d coord.Independence) string {
	return `SELECT t.id FROM attempts a JOIN tasks t ON t.id = a.task
		WHERE a.project = ? AND a.kind = ? AND a.ended IS NULL AND a.expires_at <= ? AND a.session <> ? AND ` + mayRecover + ` AND t.slot <> 'human' AND ` + workFree + ` AND NOT ` + ownWork(d) + `
		ORDER BY a.expires_at LIMIT 1`
}

// Parameters: project, kind, and ownArgs.
func pickReview(d coord.Independence) string {
	return "SELECT t.id FROM tasks t WHERE t.project = ? AND t.kind = ? AND " + claimable + " AND t.slot <> 'human' AND " + workFree + " AND NOT " + ownWork(d) + first
}

// What a claim of a ready task would begin with: tasks.pickup.
const (
	pickupSaved = 0
	pickupFresh = 1
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

// kindsOf are the kinds that a claim of the kind may answer: no kind stands
// for those that are done by a submission.
func kindsOf(k coord.Kind) []coord.Kind {
	if k == "" {
		return []coord.Kind{coord.KindCode, coord.KindGeneral}
	}
	return []coord.Kind{k}
}

// best is pick without the refusal. It says whether the task is to be
// recovered rather than begun.
func (v *view) best(p coord.Project, kind coord.Kind, session coord.SessionID) (id coord.TaskID, recovery bool, err error) {
	if kind == coord.KindReview {
		return v.bestReview(p, session)
	}
	offers, err := v.offers(session)
	if err != nil {
		return "", false, err
	}
	if id, err = v.firstExpired(p, kind, session, offers); id != "" || err != nil {
		return id, true, err
	}
	if id, err = v.firstReady(p.Key, kind, pickupSaved, offers); id != "" || err != nil {
		return id, true, err
	}
	id, err = v.firstReady(p.Key, kind, pickupFresh, offers)
	return id, false, err
}

func (v *view) bestReview(p coord.Project, session coord.SessionID) (id coord.TaskID, recovery bool, err error) {
	key, k, me := string(p.Key), string(coord.KindReview), string(session)
	free := nanos(v.now.Add(-time.Duration(p.Policy.RecoveryGrace)))
	d, own := p.Policy.Independence, ownArgs(p.Policy.Independence, session)
	if found, err := v.get([]any{&id}, pickExpiredReviews(d), append([]any{key, k, free, me, p.Policy.Recovery != coord.RecoverManual}, own...)...); found || err != nil {
		return id, true, err
	}
	_, err = v.get([]any{&id}, pickReview(d), append([]any{key, k}, own...)...)
	return id, false, err
}

// offers is what the session can do; nothing for one that was never opened.
func (v *view) offers(session coord.SessionID) (out []string, err error) {
	var text string
	found, err := v.get([]any{&text}, "SELECT capabilities FROM sessions WHERE id = ?", string(session))
	if err != nil || !found {
		return nil, err
	}
	err = fromJSON(text, &out)
	return out, err
}

// suits reports whether a session that offers so much can do a task that
// needs so much.
func suits(needs string, offers []string) bool {
	for _, n := range strings.Fields(needs) {
		if !slices.Contains(offers, n) {
			return false
		}
	}
	return true
}

// firstExpired is the task of a dead owner whose lease ended first.
func (v *view) firstExpired(p coord.Project, kind coord.Kind, session coord.SessionID, offers []string) (id coord.TaskID, err error) {
	free := nanos(v.now.Add(-time.Duration(p.Policy.RecoveryGrace)))
	var earliest int64
	for _, k := range kindsOf(kind) {
		x, at, err := v.expired(offers, string(p.Key), string(k), free, string(session), p.Policy.Recovery != coord.RecoverManual)
		if err != nil {
			return "", err
		}
		if x != "" && (id == "" || at < earliest) {
			id, earliest = x, at
		}
	}
	return id, nil
}

func (v *view) expired(offers []string, args ...any) (id coord.TaskID, at int64, err error) {
	rows, err := v.query(pickExpired, args...)
	if err != nil {
		return "", 0, err
	}
	defer discard(rows)
	for rows.Next() {
		var needs string
		if err := rows.Scan(&id, &needs, &at); err != nil {
			return "", 0, err
		}
		if suits(needs, offers) {
			return id, at, nil
		}
	}
	return "", 0, rows.Err()
}

// firstReady is the first ready task in selection order that the session can
// do.
func (v *view) firstReady(p coord.ProjectKey, kind coord.Kind, pickup int, offers []string) (id coord.TaskID, err error) {
	var best position
	for _, k := range kindsOf(kind) {
		sets, err := v.needs(p, k, pickup)
		if err != nil {
			return "", err
		}
		for _, needs := range sets {
			if !suits(needs, offers) {
				continue
			}
			var x coord.TaskID
			var at position
			found, err := v.get([]any{&x, &at.priority, &at.ready, &at.number}, pickReady, string(p), string(k), pickup, needs)
			if err != nil {
				return "", err
			}
			if found && (id == "" || at.before(best)) {
				id, best = x, at
			}
		}
	}
	return id, nil
}

// needs are the sets of capabilities that ready tasks of the kind need.
func (v *view) needs(p coord.ProjectKey, kind coord.Kind, pickup int) ([]string, error) {
	return list(v, scanText[string], pickNeeds, string(p), string(kind), pickup)
}

// nothing is the refusal when no task of the kind is for the session now: a
// normal stop, with the reasons and when to look again.
func (t *tx) nothing(p coord.Project, kind coord.Kind) error {
	var reasons []string
	for _, k := range kindsOf(kind) {
		skips, err := t.skips(p, k, t.caller.Session)
		if err != nil {
			return err
		}
		for _, s := range skips {
			reasons = append(reasons, s.Text())
		}
	}
	if len(reasons) == 0 {
		reasons = []string{"there is none"}
	}
	what := "task"
	if kind != "" {
		what = string(kind) + " task"
	}
	e := coord.Errorf(coord.CodeNothingEligible, "no %s of %s is for this session now: %s", what, p.Key, strings.Join(reasons, "; ")).
		WithNext("coord next", "coord board")
	if kind == coord.KindIntegration {
		var err error
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
	return e.WithNext(append([]string{wayBack(blocked)}, e.Next...)...), nil
}

// untilNextExpiry is how long until the first lease that runs is free for
// others to recover; 0 when none runs.
func (v *view) untilNextExpiry(p coord.Project, kind coord.Kind) (time.Duration, error) {
	free := nanos(v.now.Add(-time.Duration(p.Policy.RecoveryGrace)))
	var first int64
	for _, k := range kindsOf(kind) {
		var at int64
		found, err := v.get([]any{&at}, "SELECT expires_at FROM attempts WHERE project = ? AND kind = ? AND ended IS NULL AND expires_at > ? ORDER BY expires_at LIMIT 1",
			string(p.Key), string(k), free)
		if err != nil {
			return 0, err
		}
		if found && (first == 0 || at < first) {
			first = at
		}
	}
	if first == 0 {
		return 0, nil
	}
	return instant(first).Add(time.Duration(p.Policy.RecoveryGrace)).Sub(v.now), nil
}
