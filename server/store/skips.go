package store

import (
	"slices"

	"coord"
)

// skip is what is true of some tasks, with the query that counts them as far
// as someLimit.
type skip struct {
	what, query string
	args        []any
}

// nouns are what people call tasks of a kind.
var nouns = map[coord.Kind]string{coord.KindCode: "task", coord.KindGeneral: "general task", coord.KindReview: "review", coord.KindIntegration: "integration"}

// skips says why open tasks of the kind are not for the session now, in words
// that follow the number: "tasks blocked". What it costs does not grow with the
// number of tasks.
func (v *view) skips(p coord.Project, kind coord.Kind, session coord.SessionID) ([]coord.Skip, error) {
	key, k, me := string(p.Key), string(kind), string(session)
	out, err := v.count(nouns[kind], []skip{
		{"held by others", heldBy("<>"), []any{key, k, me}},
		{"held by this session", heldBy("="), []any{key, k, me}},
	})
	if err != nil {
		return nil, err
	}
	blocked, err := v.blockedSkips(p.Key, kind)
	if err != nil {
		return nil, err
	}
	out = append(out, blocked...)
	var reasons []skip
	switch {
	case kind.Submits():
		of := "t.kind = '" + k + "'"
		reasons = append(reasons,
			skip{"saved on one machine only", localSet.and(of).some(), []any{key}},
			skip{"planned, not admitted", plannedOf, []any{key, k}},
			skip{"submitted and waiting for others", submittedSet.and(of).some(), []any{key}})
	case kind == coord.KindReview:
		reasons = append(reasons,
			skip{"of this session's own work", readyReviews("coalesce(t.slot, '') <> 'human' AND " + workFree + " AND " + ownWork(p.Policy.Independence)), append([]any{key}, ownArgs(p.Policy.Independence, session)...)},
			skip{"of blocked work", readyReviews("coalesce(t.slot, '') <> 'human' AND NOT " + workFree), []any{key}},
			skip{"waiting for a person", readyReviews("t.slot = 'human'"), []any{key}})
	case p.Policy.Integration == coord.IntegrateHuman:
		reasons = append(reasons, skip{"waiting for a person's authorization", unauthorized, []any{key, nanos(v.now)}})
	}
	rest, err := v.count(nouns[kind], reasons)
	if err != nil || !kind.Submits() {
		return append(out, rest...), err
	}
	beyond, err := v.beyond(p.Key, kind, session)
	return slices.Concat(out, rest, beyond), err
}

// heldBy counts live and expired attempts of the session, or of others.
// Parameters: project, kind, session.
func heldBy(is string) string {
	return "SELECT count(*), coalesce(min(x.task), '') FROM (SELECT a.task FROM attempts a INDEXED BY attempts_lease WHERE a.project = ? AND a.kind = ? AND a.ended IS NULL AND a.session " + is + " ?" + someRows + ") x"
}

// plannedOf counts what was recorded and not admitted. Parameters: project,
// kind.
const plannedOf = "SELECT count(*), coalesce(min(x.id), '') FROM (SELECT t.id FROM tasks t INDEXED BY tasks_kind_order WHERE t.project = ? AND t.kind = ? AND t.phase = 1" + someRows + ") x"

// readyReviews counts those of the first ready reviews that meet the
// condition. Its first parameter is the project.
func readyReviews(condition string) string {
	return "SELECT count(*), coalesce(min(t.id), '') FROM (SELECT t.id, t.subject, t.slot FROM tasks t INDEXED BY tasks_claimable WHERE t.project = ? AND t.kind = 'review' AND " +
		claimable + someRows + ") t WHERE " + condition
}

// beyond counts the ready tasks that need what the session does not offer.
func (v *view) beyond(p coord.ProjectKey, kind coord.Kind, session coord.SessionID) ([]coord.Skip, error) {
	offers, err := v.offers(session)
	if err != nil {
		return nil, err
	}
	var out coord.Skip
	for _, pickup := range []int{pickupSaved, pickupFresh} {
		sets, err := v.needs(p, kind, pickup)
		if err != nil {
			return nil, err
		}
		for _, needs := range sets {
			if suits(needs, offers) || out.Count >= someLimit {
				continue
			}
			var n int
			var example coord.TaskID
			if _, err := v.get([]any{&n, &example}, countOfNeeds, string(p), string(kind), pickup, needs); err != nil {
				return nil, err
			}
			if out.Count = min(out.Count+n, someLimit); out.Example == "" {
				out.Example = example
			}
		}
	}
	if out.Count == 0 {
		return nil, nil
	}
	out.Reason = pluralOf(out.Count, nouns[kind]) + " needing a capability that this session does not offer"
	return []coord.Skip{out}, nil
}

const countOfNeeds = "SELECT count(*), coalesce(min(x.id), '') FROM (SELECT t.id" + ofNeeds + someRows + ") x"

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
