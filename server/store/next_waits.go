package store

import (
	"coord"
)

const (
	// A landing that met a conflict or a failed check, of work that is not
	// parked meanwhile.
	metTrouble = `t.open_blockers > 0 AND EXISTS (SELECT 1 FROM blockers b WHERE b.task = t.id AND b.lifted_at IS NULL AND b.kind IN ('conflict', 'check_failed'))
		AND NOT EXISTS (SELECT 1 FROM submissions x JOIN tasks c ON c.id = x.task WHERE x.id = t.subject AND c.open_blockers > 0)`

	// The tasks of a kind that wait, with one that has no blocker of its own
	// where there is one. Parameters: project, kind.
	countBlocked = "SELECT count(*), coalesce(min(CASE WHEN x.open_blockers = 0 THEN x.id END), min(x.id), '') FROM (SELECT t.id, t.open_blockers FROM tasks t INDEXED BY tasks_blocked WHERE t.project = ? AND t.kind = ? AND " +
		waiting + someRows + ") x"

	// Those of them that only a person can free, and those that a question
	// parks which an agent may answer. Parameters: project, kind.
	countPersonal = "SELECT count(*), coalesce(min(x.id), '') FROM (SELECT DISTINCT t.id FROM blockers b INDEXED BY blockers_actor JOIN tasks t ON t.id = b.task WHERE b.project = ? AND b.actor = 'human' AND b.lifted_at IS NULL AND t.kind = ? AND " +
		waiting + someRows + ") x"
	countParked = "SELECT count(*), coalesce(min(x.id), '') FROM (SELECT DISTINCT t.id FROM blockers b INDEXED BY blockers_decision JOIN tasks t ON t.id = b.task WHERE b.project = ? AND b.decision IS NOT NULL AND b.lifted_at IS NULL AND t.kind = ? AND " +
		waiting + " AND NOT EXISTS (SELECT 1 FROM blockers y WHERE y.task = t.id AND y.lifted_at IS NULL AND y.actor = 'human')" + someRows + ") x"
)

// unauthorized counts approved work that a person has to let land: see
// coord.Policy.CheckAuthorized. Parameters: project, now.
var unauthorized = readySet.and("t.kind = 'integration'").count() + ` AND NOT EXISTS (SELECT 1 FROM submissions x JOIN authorizations z ON z.project = t.project AND z.action = 'land'
	WHERE x.id = t.subject AND z.until > ? AND (z.task IS NULL OR z.task = x.task) AND z.revision IN ('', x.commit_id) AND z.environment IN ('', t.target))`

// blockedSkips says why tasks of the kind wait: for a person, for the answer
// to a question, or for something else. Each is counted once.
func (v *view) blockedSkips(p coord.ProjectKey, kind coord.Kind) ([]coord.Skip, error) {
	key, k := string(p), string(kind)
	all, err := v.count(nouns[kind], []skip{{"blocked", countBlocked, []any{key, k}}})
	if err != nil || len(all) == 0 {
		return nil, err
	}
	out, err := v.count(nouns[kind], []skip{
		{"waiting for a person", countPersonal, []any{key, k}}, {"parked by a decision", countParked, []any{key, k}},
	})
	if err != nil {
		return nil, err
	}
	rest := all[0]
	for _, s := range out {
		rest.Count -= s.Count
	}
	if rest.Count > 0 {
		rest.Reason = pluralOf(rest.Count, nouns[kind]) + " blocked"
		out = append([]coord.Skip{rest}, out...)
	}
	return out, nil
}
