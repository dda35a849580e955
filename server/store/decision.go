package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"coord"
)

// Ask records a question and parks the tasks it names.
func (s *service) Ask(ctx context.Context, c coord.Ask) (coord.Decision, error) {
	if err := s.mayDecide(); err != nil {
		return coord.Decision{}, err
	}
	if err := c.Validate(); err != nil {
		return coord.Decision{}, err
	}
	i := intent[coord.Decision]{operation: "ask", key: c.Key, ids: []string{string(c.Project)}, command: c, session: s.caller.Role == coord.RoleAgent, current: currentDecision}
	return mutate(ctx, s, i, func(t *tx) (coord.Decision, error) { return t.ask(c, false) })
}

// mayDecide refuses an agent without a session: only of a session is it known
// what it worked on. A person needs none.
func (s *service) mayDecide() error {
	if s.caller.Role == coord.RoleAgent {
		return s.mayWork()
	}
	return s.need(coord.RoleOperator)
}

// currentDecision replaces a replayed decision by what it is now.
func currentDecision(t *tx, out *coord.Decision) error {
	d, err := t.decision(out.Project, out.ID)
	*out = d.Decision
	return err
}

// ask numbers the question, parks what it names, and puts it in the place of
// the one that it supersedes: what that parked is parked by the new one. An
// escalation stays one through whatever supersedes it.
func (t *tx) ask(c coord.Ask, escalation bool) (coord.Decision, error) {
	if _, err := t.project(c.Project); err != nil {
		return coord.Decision{}, err
	}
	old, err := t.toSupersede(c)
	if err != nil {
		return coord.Decision{}, err
	}
	if c.Tasks, err = t.toPark(c, old); err != nil {
		return coord.Decision{}, err
	}
	d := c.Begin(t.now)
	d.Escalation, d.AskedBy = escalation || old.Escalation, t.actor()
	n, err := t.addDecision(d, escalation)
	if err != nil {
		return d, err
	}
	d.ID = decisionID(n)
	if err := t.record(coord.Event{
		Kind: coord.EventDecisionAsked, Project: d.Project, Task: onlyOf(d.Tasks), Text: fmt.Sprintf("%s asked %s: %s", d.AskedBy, d.ID, coord.OneLine(d.Question)),
		Data: map[string]string{"decision": string(d.ID), "required_actor": string(d.RequiredActor)},
	}); err != nil {
		return d, err
	}
	if err := t.park(d, n); err != nil {
		return d, err
	}
	if old.ID != "" {
		if err := t.supersede(old, d.ID, n); err != nil {
			return d, err
		}
	}
	row, err := t.decision(d.Project, d.ID)
	return row.Decision, err
}

// onlyOf is the task that something is about, when it is about one.
func onlyOf(tasks []coord.TaskID) coord.TaskID {
	if len(tasks) == 1 {
		return tasks[0]
	}
	return ""
}

// toSupersede is the decision that the question takes the place of; the zero
// one when it takes none.
func (t *tx) toSupersede(c coord.Ask) (decisionRow, error) {
	if c.Supersedes == "" {
		return decisionRow{}, nil
	}
	old, err := t.decision(c.Project, c.Supersedes)
	if err != nil {
		return old, err
	}
	return old, old.CheckSupersede(c, t.caller.Role)
}

// toPark are the tasks that the question names, each once, and those of the
// superseded one that are not closed.
func (t *tx) toPark(c coord.Ask, old decisionRow) (out []coord.TaskID, err error) {
	for i, id := range slices.Concat(c.Tasks, old.Tasks) {
		task, err := t.taskOf(c.Project, id)
		switch {
		case err != nil:
			return nil, err
		case task.Lifecycle.Closed() && i < len(c.Tasks):
			return nil, coord.Errorf(coord.CodeStateConflict, "%s is %s, and a decision parks only what is not closed; nothing was changed", id, task.Lifecycle).
				WithNext("coord task show " + string(id))
		case !task.Lifecycle.Closed() && !slices.Contains(out, id):
			out = append(out, id)
		}
	}
	return out, nil
}

func (t *tx) addDecision(d coord.Decision, escalation bool) (n int64, err error) {
	if _, err := t.get([]any{&n}, "UPDATE projects SET last_decision = last_decision + 1 WHERE key = ? RETURNING last_decision", string(d.Project)); err != nil {
		return 0, err
	}
	asker := t.caller.Session
	if escalation {
		asker = ""
	}
	var supersedes any
	if d.Supersedes != "" {
		supersedes = decisionNumber(d.Supersedes)
	}
	t.batch.timed = t.batch.timed || d.StandsAt != nil
	return n, t.change(`INSERT INTO decisions (project, number, question, options, recommendation, required_actor, reopen, reversible, stands_at, expires_at, escalation,
			supersedes, asked_by, session, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		string(d.Project), n, d.Question, toJSON(d.Options), d.Recommendation, string(d.RequiredActor), d.Reopen, d.Reversible, nanosOrNil(d.StandsAt), nanosOrNil(d.ExpiresAt),
		d.Escalation, supersedes, d.AskedBy, string(asker), nanos(d.At))
}

// park names the decision's tasks and blocks them by it.
func (t *tx) park(d coord.Decision, n int64) error {
	for _, id := range d.Tasks {
		if err := t.change("INSERT INTO decision_tasks (project, number, task) VALUES (?, ?, ?)", string(d.Project), n, string(id)); err != nil {
			return err
		}
		b := coord.Blocker{
			Task: id, Kind: coord.BlockedByDecision, Text: fmt.Sprintf("parked by %s: %s", d.ID, coord.OneLine(d.Question)), Reopen: "coord decide " + string(d.ID) + " OPTION",
			Actor: d.RequiredActor,
		}
		if err := t.addBlocker(b, n); err != nil {
			return err
		}
	}
	return nil
}

// supersede ends a decision by another, which has parked its tasks by now.
func (t *tx) supersede(old decisionRow, by coord.DecisionID, n int64) error {
	err := t.change("UPDATE decisions SET superseded_by = ? WHERE project = ? AND number = ? AND superseded_by IS NULL", n, string(old.Project), old.number)
	if err != nil {
		return err
	}
	err = t.record(coord.Event{
		Kind: coord.EventDecisionSuperseded, Project: old.Project, Task: onlyOf(old.Tasks), Text: fmt.Sprintf("%s supersedes %s", by, old.ID),
		Data: map[string]string{"decision": string(old.ID), "by": string(by)},
	})
	if err != nil {
		return err
	}
	return t.liftOf(old, "superseded by "+string(by))
}

// decisionNumber is the inverse of decisionID; 0, which no decision has, for
// anything else.
func decisionNumber(id coord.DecisionID) int64 {
	n, err := strconv.ParseInt(strings.TrimPrefix(string(id), "D"), 10, 64)
	if err != nil || decisionID(n) != id {
		return 0
	}
	return n
}

// decisionRow is a stored decision with its number.
type decisionRow struct {
	coord.Decision
	number int64
	asker  coord.SessionID
}

const decisionColumns = `d.project, d.number, d.question, d.options, d.recommendation, d.required_actor, d.reopen, d.reversible, d.stands_at, d.expires_at, d.escalation,
	d.answer, d.supersedes, d.superseded_by, d.asked_by, d.session, d.at,
	coalesce((SELECT group_concat(x.task) FROM decision_tasks x WHERE x.project = d.project AND x.number = d.number), '')`

func (v *view) scanDecision(r scanner) (d decisionRow, err error) {
	var options, tasks string
	var answer sql.NullString
	var stands, expires, supersedes, by sql.NullInt64
	var at int64
	err = r.Scan(&d.Project, &d.number, &d.Question, &options, &d.Recommendation, &d.RequiredActor, &d.Reopen, &d.Reversible, &stands, &expires, &d.Escalation,
		&answer, &supersedes, &by, &d.AskedBy, &d.asker, &at, &tasks)
	if err != nil {
		return d, err
	}
	d.ID, d.At, d.StandsAt, d.ExpiresAt, d.Tasks = decisionID(d.number), instant(at), instantOrNil(stands), instantOrNil(expires), idsOf(tasks)
	sortTaskIDs(d.Tasks)
	d.State = coord.DecisionOpen
	if supersedes.Valid {
		d.Supersedes = decisionID(supersedes.Int64)
	}
	if answer.Valid {
		d.State, d.Answer = coord.DecisionAnswered, &coord.Answer{}
		if err := fromJSON(answer.String, d.Answer); err != nil {
			return d, err
		}
	}
	if by.Valid {
		d.State, d.SupersededBy = coord.DecisionSuperseded, decisionID(by.Int64)
	}
	d.State = d.Standing(v.now)
	return d, fromJSON(options, &d.Options)
}

// decision reads one decision of a project, or returns CodeNotFound.
func (v *view) decision(p coord.ProjectKey, id coord.DecisionID) (decisionRow, error) {
	d, found, err := one(v, v.scanDecision, "SELECT "+decisionColumns+" FROM decisions d WHERE d.project = ? AND d.number = ?", string(p), decisionNumber(id))
	if err == nil && !found {
		err = coord.Errorf(coord.CodeNotFound, "there is no decision %q in project %s", string(id), p).WithNext("coord decisions")
	}
	return d, err
}

// Decision returns one decision.
func (s *service) Decision(ctx context.Context, p coord.ProjectKey, id coord.DecisionID) (coord.Decision, error) {
	if err := s.mayRead(); err != nil {
		return coord.Decision{}, err
	}
	return reading(ctx, s.Store, func(v *view) (coord.Decision, error) {
		if _, err := v.project(p); err != nil {
			return coord.Decision{}, err
		}
		d, err := v.decision(p, id)
		return d.Decision, err
	})
}

// ListDecisions returns the open ones, then the rest, each newest first.
func (s *service) ListDecisions(ctx context.Context, q coord.DecisionQuery) ([]coord.Decision, error) {
	if err := s.mayRead(); err != nil {
		return nil, err
	}
	return reading(ctx, s.Store, func(v *view) ([]coord.Decision, error) {
		if _, err := v.project(q.Project); err != nil {
			return nil, err
		}
		return v.decisions(q)
	})
}

// The two halves of a list; each takes the project and now.
const (
	unanswered    = "d.project = ? AND d.answer IS NULL AND d.superseded_by IS NULL"
	openDecisions = unanswered + " AND (d.expires_at IS NULL OR d.expires_at > ?)"
	restDecisions = "d.project = ? AND (d.answer IS NOT NULL OR d.superseded_by IS NOT NULL OR d.expires_at <= ?)"
)

func (v *view) decisions(q coord.DecisionQuery) ([]coord.Decision, error) {
	limit := min(cmp.Or(max(q.Limit, 0), 50), 200)
	halves, args := []string{openDecisions, restDecisions}, []any{string(q.Project), nanos(v.now)}
	narrow := map[coord.DecisionState]string{
		coord.DecisionAnswered: " AND d.answer IS NOT NULL AND d.superseded_by IS NULL", coord.DecisionSuperseded: " AND d.superseded_by IS NOT NULL",
		coord.DecisionExpired: " AND d.answer IS NULL AND d.superseded_by IS NULL",
	}
	switch q.State {
	case "":
	case coord.DecisionOpen:
		halves = halves[:1]
	default:
		if narrow[q.State] == "" {
			return nil, coord.Errorf(coord.CodeBadRequest, "state %q is not open, answered, expired or superseded", string(q.State))
		}
		halves = []string{restDecisions + narrow[q.State]}
	}
	named := ""
	if q.Task != "" {
		named = " AND d.number IN (SELECT number FROM decision_tasks WHERE task = ?)"
		args = append(args, string(q.Task))
	}
	out := []coord.Decision{}
	for _, where := range halves {
		rows, err := list(v, v.scanDecision, "SELECT "+decisionColumns+" FROM decisions d WHERE "+where+named+" ORDER BY d.number DESC LIMIT ?", append(args, limit-len(out))...)
		if err != nil {
			return nil, err
		}
		for _, d := range rows {
			out = append(out, d.Decision)
		}
	}
	return out, nil
}
