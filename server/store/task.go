package store

import (
	"database/sql"
	"strings"
	"time"

	"coord"
)

// taskRow is a stored task with the records that its status is derived from.
type taskRow struct {
	coord.Task
	facts  coord.TaskFacts
	holder coord.SessionID // session of the attempt that was not ended
	never  []coord.TaskID  // dependencies that will never be done
	row    taskScan
}

// taskScan holds the columns that may be NULL or need decoding.
type taskScan struct {
	criteria, deps, children               string
	priority, created, ready               int64
	labels, paths, capabilities            string
	blockers, parent, supersededBy         sql.NullString
	attempt, submission, subject, saved    sql.NullString
	session, owner, submissionState        sql.NullString
	landingState                           sql.NullString
	landedID, landedCommit, landedTree     sql.NullString
	closed, started, expires               sql.NullInt64
	progress, attemptGeneration, landingAt sql.NullInt64
	landingEnds                            sql.NullInt64
}

// taskColumns are what scanTask reads. Of an objective's open children, the
// first 100 are named.
const taskColumns = `t.id, t.project, t.kind, t.title, t.outcome, t.criteria, t.priority, t.lifecycle, t.repository, t.target, t.source,
	t.source_key, t.labels, t.paths, t.capabilities, t.parent, t.superseded_by, t.slot,
	t.digest, t.revision, t.generation, ` + openBlockers + `,
	t.attempt, t.submission, t.subject, t.saved, t.created_at, t.created_by, t.ready_since, t.closed_at,
	a.session, a.owner, a.generation, a.started_at, a.expires_at, a.progress_at,
	s.state, l.state, h.expires_at, d.id, d.result, d.tree, d.landed_at,
	coalesce((SELECT group_concat(x.depends_on || ' ' || y.lifecycle) FROM dependencies x JOIN tasks y ON y.id = x.depends_on WHERE x.task = t.id), ''),
	CASE WHEN t.open_children > 0 THEN (SELECT group_concat(x.id) FROM (SELECT id FROM tasks INDEXED BY tasks_children WHERE parent = t.id AND lifecycle IN ('open', 'planned') ORDER BY number LIMIT 100) x) ELSE '' END`

// taskJoins adds the attempt that was not ended, the submission, its latest
// landing, the attempt that holds a code task's target for it, the landing
// that the task is done by, and the integration task of a code task's
// submission, whose blocker is the code task's too.
const taskJoins = `
	LEFT JOIN attempts a ON a.id = t.attempt
	LEFT JOIN submissions s ON s.id = coalesce(t.submission, t.subject)
	LEFT JOIN landings l ON l.id = s.landing
	LEFT JOIN attempts h ON t.submission IS NOT NULL AND l.state IN ('held', 'merged', 'publishing') AND h.id = l.attempt
	LEFT JOIN landings d ON d.id = t.landing
	LEFT JOIN tasks i ON t.submission IS NOT NULL AND i.id = s.integration`

const taskFrom = " FROM tasks t" + taskJoins

func (v *view) scanTask(r scanner) (taskRow, error) {
	var t taskRow
	x := &t.row
	err := r.Scan(&t.ID, &t.Project, &t.Kind, &t.Title, &t.Outcome, &x.criteria, &x.priority, &t.Lifecycle, &t.Repository, &t.Target, &t.Source,
		&t.SourceKey, &x.labels, &x.paths, &x.capabilities, &x.parent, &x.supersededBy, &t.Slot,
		&t.Digest, &t.Revision, &t.Generation, &x.blockers,
		&x.attempt, &x.submission, &x.subject, &x.saved, &x.created, &t.CreatedBy, &x.ready, &x.closed,
		&x.session, &x.owner, &x.attemptGeneration, &x.started, &x.expires, &x.progress,
		&x.submissionState, &x.landingState, &x.landingEnds, &x.landedID, &x.landedCommit, &x.landedTree, &x.landingAt, &x.deps, &x.children)
	if err != nil {
		return t, err
	}
	if err := t.decode(v.now); err != nil {
		return t, err
	}
	t.derive(v)
	return t, nil
}

func (t *taskRow) decode(now time.Time) error {
	x := &t.row
	t.Priority, t.CreatedAt, t.ClosedAt = coord.PriorityOf(int(x.priority)), instant(x.created), instantOrNil(x.closed)
	t.Submission = coord.SubmissionID(x.submission.String + x.subject.String)
	t.Parent, t.SupersededBy = coord.TaskID(x.parent.String), coord.TaskID(x.supersededBy.String)
	t.Capabilities = strings.Fields(x.capabilities)
	blockers, err := decodeBlockers(x.blockers.String, now)
	if err != nil {
		return err
	}
	t.Blockers = blockers
	if x.landedID.Valid {
		t.Landed = &coord.LandedFact{
			Landing: coord.LandingID(x.landedID.String), Commit: coord.OID(x.landedCommit.String), Tree: coord.OID(x.landedTree.String),
			Target: t.Target, At: instant(x.landingAt.Int64),
		}
	}
	t.decodeDependencies()
	if err := fromJSON(x.labels, &t.Labels); err != nil {
		return err
	}
	if err := fromJSON(x.paths, &t.Paths); err != nil {
		return err
	}
	if x.saved.Valid {
		t.Saved = &coord.Saved{}
		if err := fromJSON(x.saved.String, t.Saved); err != nil {
			return err
		}
	}
	return fromJSON(x.criteria, &t.Criteria)
}

func (t *taskRow) decodeDependencies() {
	t.WaitsFor = idsOf(t.row.children)
	for _, d := range strings.FieldsFunc(t.row.deps, func(r rune) bool { return r == ',' }) {
		id, lifecycle, _ := strings.Cut(d, " ")
		t.DependsOn = append(t.DependsOn, coord.TaskID(id))
		if coord.Lifecycle(lifecycle) != coord.LifecycleDone {
			t.WaitsFor = append(t.WaitsFor, coord.TaskID(id))
		}
		if l := coord.Lifecycle(lifecycle); l.Closed() && l != coord.LifecycleDone {
			t.never = append(t.never, coord.TaskID(id))
		}
	}
	sortTaskIDs(t.DependsOn)
	sortTaskIDs(t.WaitsFor)
	sortTaskIDs(t.never)
}

// derive fills in what depends on the time of the view.
func (t *taskRow) derive(v *view) {
	x := &t.row
	t.facts = coord.TaskFacts{
		ID: t.ID, Kind: t.Kind, Lifecycle: t.Lifecycle, Waiting: t.WaitsFor, Never: t.never, Blockers: t.Blockers, Generation: t.Generation,
		Children: len(idsOf(x.children)), Capabilities: t.Capabilities, Slot: t.Slot,
		Submission: coord.SubmissionState(x.submissionState.String), SubmissionID: t.Submission,
		Landing: coord.LandingState(x.landingState.String), Saved: t.Saved,
	}
	if x.landingEnds.Valid {
		t.facts.LandingEnds = instant(x.landingEnds.Int64)
	}
	if x.attempt.Valid {
		t.holder = coord.SessionID(x.session.String)
		f := coord.AttemptFacts{
			Task: t.ID, Generation: x.attemptGeneration.Int64, Session: t.holder, Owner: x.owner.String, ExpiresAt: instant(x.expires.Int64),
			StartedAt: instant(x.started.Int64), ProgressAt: instant(x.progress.Int64),
		}
		t.facts.Attempt = &f
		t.Owner = &coord.Owner{
			Attempt: coord.AttemptID(x.attempt.String), Name: f.Owner, Generation: f.Generation, Standing: f.Standing(v.now, t.Generation),
			Since: instant(x.started.Int64), ExpiresAt: f.ExpiresAt, LastProgress: instant(x.progress.Int64),
		}
	}
	t.Status = t.facts.Status(v.now)
	if t.Status == coord.StatusReady {
		ready := instant(x.ready)
		t.ReadySince = &ready
	}
}

// task reads one task, or returns CodeNotFound.
func (v *view) task(id coord.TaskID) (taskRow, error) {
	if _, _, err := id.Split(); err != nil {
		return taskRow{}, err
	}
	t, found, err := one(v, v.scanTask, "SELECT "+taskColumns+taskFrom+" WHERE t.id = ?", string(id))
	if err == nil && !found {
		err = coord.Errorf(coord.CodeNotFound, "there is no task %s", id).WithNext("coord task list")
	}
	if err != nil {
		return t, err
	}
	all := []taskRow{t}
	err = v.stall(all)
	return all[0], err
}

// stall says of each task that is held whether its lease is still renewed,
// which is the policy's to say. The tasks are of one project; where none is
// held nothing is read.
func (v *view) stall(tasks []taskRow) error {
	var p coord.Policy
	read := false
	for _, t := range tasks {
		if t.Owner == nil {
			continue
		}
		if !read {
			var text string
			if _, err := v.get([]any{&text}, "SELECT policy FROM projects WHERE key = ?", string(t.Project)); err != nil {
				return err
			}
			if err := fromJSON(text, &p); err != nil {
				return err
			}
			p, read = p.Complete(), true
		}
		t.Owner.Stalled = p.Stalled(*t.facts.Attempt, v.now)
	}
	return nil
}

// taskOf reads a task of the project that the request's path names.
func (v *view) taskOf(p coord.ProjectKey, id coord.TaskID) (taskRow, error) {
	t, err := v.task(id)
	if err == nil && p != "" && t.Project != p {
		return t, coord.Errorf(coord.CodeNotFound, "there is no task %s in project %s", id, p).WithNext("coord task list")
	}
	return t, err
}

func tasksOf(rows []taskRow) []coord.Task {
	out := make([]coord.Task, len(rows))
	for i, r := range rows {
		out[i] = r.Task
	}
	return out
}
