package store

import (
	"slices"

	"coord"
)

const (
	// Oldest first. Parameters: project, now, whether a person asks, the
	// session twice, limit. A session's own question waits for others.
	pickDecisions = "SELECT " + decisionColumns + " FROM decisions d WHERE " + openDecisions + ` AND (? OR d.required_actor <> 'human') AND (d.session = '' OR d.session <> ?)
		AND EXISTS (SELECT 1 FROM blockers b WHERE b.project = d.project AND b.decision = d.number AND b.lifted_at IS NULL)
		AND NOT (d.escalation AND ` + touched + ") ORDER BY d.number LIMIT ?"

	// Nobody answered in time, and it still parks something. Parameters: project,
	// now, whether a person asks.
	pickLapsed = "SELECT " + decisionColumns + " FROM decisions d WHERE " + unanswered + ` AND d.expires_at <= ? AND (? OR d.required_actor <> 'human')
		AND EXISTS (SELECT 1 FROM blockers b WHERE b.project = d.project AND b.decision = d.number AND b.lifted_at IS NULL) ORDER BY d.number LIMIT 1`

	// A code or general task that was edited after what its submission is
	// judged by. It looks at 1,000 of those that are submitted. Parameter:
	// project.
	pickStale = `SELECT x.id FROM (SELECT t.id, t.digest, t.submission FROM tasks t INDEXED BY tasks_submitted
			WHERE t.project = ? AND t.lifecycle = 'open' AND t.submission IS NOT NULL AND t.open_blockers = 0 LIMIT 1000) x
		JOIN submissions s ON s.id = x.submission LEFT JOIN landings l ON l.id = s.landing
		WHERE s.judged <> x.digest AND s.state IN ('in_review', 'approved') AND coalesce(l.state, '') NOT IN ('held', 'merged', 'publishing') LIMIT 1`

	// An objective whose children are closed and one of them done. Parameter:
	// project.
	pickAcceptable = "SELECT t.id FROM tasks t WHERE t.project = ? AND t.kind = 'objective' AND " + claimable +
		" AND t.open_children = 0 AND EXISTS (SELECT 1 FROM tasks c WHERE c.parent = t.id AND c.lifecycle = 'done')" + first
)

// answerable are the oldest open questions that park something and that the
// caller may answer: see coord.Decision.Decided.
func (v *view) answerable(p coord.ProjectKey, me coord.Caller, limit int) ([]decisionRow, error) {
	session := string(me.Session)
	return list(v, v.scanDecision, pickDecisions, string(p), nanos(v.now), me.Role == coord.RoleOperator, session, session, limit)
}

// lapsed is the oldest question that nobody answered in time, that still parks
// something, and that the caller may ask anew: see coord.Decision.CheckSupersede.
func (v *view) lapsed(p coord.ProjectKey, me coord.Caller) (decisionRow, bool, error) {
	return one(v, v.scanDecision, pickLapsed, string(p), nanos(v.now), me.Role == coord.RoleOperator)
}

// askAnew is the command that asks it anew, as it was.
func askAnew(d coord.Decision, r coord.Role) string {
	if r == coord.RoleOperator {
		return "coord ask --supersedes " + string(d.ID) + " --person"
	}
	return "coord ask --supersedes " + string(d.ID)
}

// stale is a task whose submission is judged by what the task says no more.
func (v *view) stale(p coord.ProjectKey) (id coord.TaskID, err error) {
	_, err = v.get([]any{&id}, pickStale, string(p))
	return id, err
}

// acceptable is an objective that waits for nothing but its acceptance, if the
// policy lets the role accept one.
func (v *view) acceptable(p coord.Project, r coord.Role) (id coord.TaskID, err error) {
	if r != coord.RoleOperator && slices.Contains(p.Policy.Review.Slots(), coord.ActorHuman) {
		return "", nil
	}
	_, err = v.get([]any{&id}, pickAcceptable, string(p.Key))
	return id, err
}
