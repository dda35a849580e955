package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"coord"
)

// Task returns one task with its whole record.
func (s *service) Task(ctx context.Context, id coord.TaskID) (coord.TaskDetail, error) {
	if err := s.mayRead(); err != nil {
		return coord.TaskDetail{}, err
	}
	return reading(ctx, s.Store, func(v *view) (coord.TaskDetail, error) { return v.detail(id) })
}

func (v *view) detail(id coord.TaskID) (d coord.TaskDetail, err error) {
	task, err := v.task(id)
	if err != nil {
		return d, err
	}
	d.Task = task.Task
	if err := v.workOf(&d); err != nil {
		return d, err
	}
	if err := v.judgementsOf(&d); err != nil {
		return d, err
	}
	if err := v.remarksOf(&d); err != nil {
		return d, err
	}
	if d.Obligations, err = v.obligations(id, ""); err != nil {
		return d, err
	}
	d.Events, err = list(v, scanEvent, "SELECT "+eventColumns+" FROM events WHERE task = ? AND task <> '' ORDER BY seq DESC LIMIT 200", string(id))
	if err != nil {
		return d, err
	}
	slices.Reverse(d.Events)
	d.Places = d.PlacesOf()
	d.AsOf, err = v.lastSeq()
	return d, err
}

func (v *view) workOf(d *coord.TaskDetail) error {
	attempts, err := list(v, v.scanAttempt, "SELECT "+attemptColumns+attemptFrom+" WHERE a.task = ? ORDER BY a.generation", string(d.ID))
	if err != nil {
		return err
	}
	d.Attempts = make([]coord.Attempt, len(attempts))
	for i, a := range attempts {
		d.Attempts[i] = a.Attempt
	}
	if d.Checkpoints, err = list(v, scanCheckpoint, "SELECT "+checkpointColumns+" FROM checkpoints WHERE task = ? ORDER BY id", string(d.ID)); err != nil {
		return err
	}
	d.Receipts, err = v.taskReceipts(d.Project, d.ID)
	return err
}

// judgementsOf adds what was submitted, decided and landed: all of a
// task's, or what a follower is about.
func (v *view) judgementsOf(d *coord.TaskDetail) error {
	where, arg := "task = ?", string(d.ID)
	if !d.Kind.Submits() {
		where, arg = "id = ?", string(d.Submission)
	}
	submissions, err := list(v, scanSubmission, "SELECT "+submissionColumns+" FROM submissions WHERE "+where+" ORDER BY number", arg)
	if err != nil {
		return err
	}
	d.Submissions = submissionsOf(submissions)
	d.Reviews, err = list(v, scanReview, "SELECT "+reviewColumns+" FROM reviews WHERE submission IN (SELECT id FROM submissions WHERE "+where+") ORDER BY id", arg)
	if err != nil {
		return err
	}
	where = "l.task = ?"
	if !d.Kind.Submits() {
		where = "l.integration = ?"
	}
	landings, err := list(v, scanLanding, "SELECT "+landingColumns+" FROM landings l WHERE "+where+" ORDER BY l.number", string(d.ID))
	if err != nil {
		return err
	}
	d.Landings = landingsOf(landings)
	d.Authorizations, err = v.authorizationsOf(d.ID)
	return err
}

// ListTasks returns one page: open tasks first, in selection order, then
// planned, then closed ones.
func (s *service) ListTasks(ctx context.Context, q coord.TaskQuery) (coord.Page[coord.Task], error) {
	if err := s.mayRead(); err != nil {
		return coord.Page[coord.Task]{}, err
	}
	return reading(ctx, s.Store, func(v *view) (coord.Page[coord.Task], error) { return v.listTasks(q) })
}

func (v *view) listTasks(q coord.TaskQuery) (page coord.Page[coord.Task], err error) {
	if _, err := v.project(q.Project); err != nil {
		return page, err
	}
	limit := 50
	if q.Limit > 0 {
		limit = min(q.Limit, 200)
	}
	where, args, err := v.filter(q)
	if err != nil {
		return page, err
	}
	args = append(args, limit+1)
	rows, err := list(v, v.scanTask, "SELECT "+taskColumns+" FROM tasks t"+indexFor(q, where)+taskJoins+" WHERE "+where+" ORDER BY t.phase, t.priority, t.ready_since, t.number LIMIT ?", args...)
	if err == nil {
		err = v.stall(rows)
	}
	if err != nil {
		return page, err
	}
	if len(rows) > limit {
		rows = rows[:limit]
		page.NextCursor = rows[limit-1].position().String()
	}
	page.Items = tasksOf(rows)
	page.AsOf, err = v.lastSeq()
	return page, err
}

// indexFor is the index that holds few enough tasks to be read whole and
// sorted, for a filter that has one.
func indexFor(q coord.TaskQuery, where string) string {
	switch {
	case q.Owner != "":
		return " INDEXED BY tasks_owned"
	case q.Parent != "":
		return " INDEXED BY tasks_parent"
	case q.Title != "":
		return " INDEXED BY tasks_title"
	case strings.Contains(where, ofLabel):
		return byID
	}
	return ""
}

// ofLabel is the condition of few tasks: see labelled. byID keeps SQLite from
// walking all tasks in order instead.
const (
	ofLabel = "t.id IN (SELECT task FROM task_words WHERE task_words MATCH ?)"
	byID    = " INDEXED BY sqlite_autoindex_tasks_1"
)

// labelled is the condition of a label: a look-up of the few tasks that have
// it, or a test of each on the way along the list where many do.
func (v *view) labelled(q coord.TaskQuery) (clause string, arg any, err error) {
	if !coord.IsLabel(q.Label) {
		return "t.labels = ?", q.Label, nil // which nothing has
	}
	n, err := v.howCommon(labelToken(q.Project, q.Label))
	if n < commonWord {
		return ofLabel, sought(labelToken(q.Project, q.Label)), err
	}
	return `t.labels LIKE ? ESCAPE '\'`, "%" + escapeLike(toJSON(q.Label)) + "%", err
}

func (v *view) filter(q coord.TaskQuery) (string, []any, error) {
	where, args := []string{"t.project = ?"}, []any{string(q.Project)}
	add := func(clause string, arg ...any) {
		where, args = append(where, clause), append(args, arg...)
	}
	if q.Kind != "" {
		add("t.kind = ?", string(q.Kind))
	}
	if q.Label != "" {
		clause, arg, err := v.labelled(q)
		if err != nil {
			return "", nil, err
		}
		add(clause, arg)
	}
	if q.Parent != "" {
		add("t.parent = ?", string(q.Parent))
	}
	if q.Owner != "" {
		add("t.attempt IS NOT NULL AND a.owner = ?", q.Owner)
	}
	if q.Title != "" {
		add("t.title = ?", q.Title)
	}
	if q.Text != "" {
		add(`t.title LIKE ? ESCAPE '\'`, "%"+escapeLike(q.Text)+"%")
	}
	if q.Status != "" {
		add(phaseOf(q.Status))
		add("("+statusOf+") = ?", nanos(v.now), string(q.Status))
	}
	if q.Cursor != "" {
		p, err := parsePosition(q.Cursor)
		if err != nil {
			return "", nil, err
		}
		add("(t.phase, t.priority, t.ready_since, t.number) > (?, ?, ?, ?)", p.phase, p.priority, p.ready, p.number)
	}
	return strings.Join(where, " AND "), args, nil
}

// phaseOf narrows a status to what an index holds.
func phaseOf(s coord.Status) string {
	switch s {
	case coord.StatusPlanned:
		return "t.phase = 1"
	case coord.StatusDone, coord.StatusCanceled, coord.StatusSuperseded:
		return "t.phase = 2"
	case coord.StatusReady:
		return claimable
	}
	return "t.phase = 0"
}

// position is a task's place in the order of a list: what a cursor holds.
type position struct{ phase, priority, ready, number int64 }

func (t taskRow) position() position {
	p := position{priority: t.row.priority, ready: t.row.ready}
	_, p.number, _ = t.ID.Split()
	switch {
	case t.Lifecycle == coord.LifecyclePlanned:
		p.phase = 1
	case t.Lifecycle.Closed():
		p.phase = 2
	}
	return p
}

// before compares within a phase.
func (p position) before(q position) bool {
	return cmp.Or(cmp.Compare(p.priority, q.priority), cmp.Compare(p.ready, q.ready), cmp.Compare(p.number, q.number)) < 0
}

func (p position) String() string {
	return fmt.Sprintf("%d.%d.%d.%d", p.phase, p.priority, p.ready, p.number)
}

func parsePosition(s string) (p position, err error) {
	n, err := fmt.Sscanf(s, "%d.%d.%d.%d", &p.phase, &p.priority, &p.ready, &p.number)
	if err != nil || n != 4 || p.String() != s {
		return p, badCursor()
	}
	return p, nil
}

func badCursor() error {
	return coord.Errorf(coord.CodeBadRequest, "the cursor is not one that a list answered")
}
