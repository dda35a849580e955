package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"time"

	"coord"
)

// observeWithin is how long a job stands without an observation when its
// registration does not say.
const observeWithin = 5 * time.Minute

// jobRow is a stored job. Its State is the stored one: what a caller is told
// is shown.
type jobRow struct {
	coord.Job
	id int64
}

const jobColumns = `j.id, j.project, j.task, j.attempt, j.name, j.external, j.argv, j.machine, j.tree, j.state, j.pid, j.started, j.sequence, j.exit_status,
	j.log_digest, j.observe_every, j.registered_at, j.observed_at, j.ended_at, j.conflict,
	(SELECT json_object('effect', o.effect, 'by', o.observer, 'at', o.at, 'detail', json(o.detail)) FROM job_observations o
		WHERE o.job = j.id AND o.effect <> 'counted' ORDER BY o.id DESC LIMIT 1),
	(SELECT CASE WHEN json_extract(o.detail, '$.settled') THEN json_object('effect', o.effect, 'by', o.observer, 'at', o.at, 'detail', json(o.detail)) END
		FROM job_observations o WHERE o.job = j.id AND o.effect = 'counted' ORDER BY o.id DESC LIMIT 1)`

func scanJob(r scanner) (j jobRow, err error) {
	var pid, exit, ended sql.NullInt64
	var started string
	var registered, observed int64
	var evidence, settled sql.NullString
	err = r.Scan(&j.id, &j.Project, &j.Task, &j.Attempt, &j.Name, &j.External, &j.Argv, &j.Machine, &j.Tree, &j.State, &pid, &started, &j.Sequence, &exit,
		&j.LogDigest, &j.ObserveEvery, &registered, &observed, &ended, &j.Conflict, &evidence, &settled)
	if err != nil {
		return j, err
	}
	j.ID, j.RegisteredAt, j.ObservedAt, j.EndedAt = jobID(j.id), instant(registered), instant(observed), instantOrNil(ended)
	if pid.Valid {
		j.Process = &coord.Process{PID: pid.Int64, Start: started}
	}
	if exit.Valid {
		status := int(exit.Int64)
		j.Exit = &status
	}
	if j.Evidence, err = decodeObservation(evidence.String); err == nil {
		j.Settled, err = decodeObservation(settled.String)
	}
	return j, err
}

// shown is the job as it stands at the time of the view.
func (j jobRow) shown(now time.Time) coord.Job {
	j.State = j.Standing(now)
	return j.Job
}

func shownJobs(rows []jobRow, now time.Time) []coord.Job {
	out := make([]coord.Job, len(rows))
	for i, r := range rows {
		out[i] = r.shown(now)
	}
	return out
}

func jobID(n int64) coord.JobID { return coord.JobID(fmt.Sprintf("j%d", n)) }

// numbered is the inverse of the ids that are a letter and a number; 0, which
// no row has, for anything else.
func numbered(letter, id string) int64 {
	n, err := strconv.ParseInt(strings.TrimPrefix(id, letter), 10, 64)
	if err != nil || letter+strconv.FormatInt(n, 10) != id {
		return 0
	}
	return n
}

// job reads one job, or returns CodeNotFound.
func (v *view) job(id coord.JobID) (jobRow, error) {
	j, found, err := one(v, scanJob, "SELECT "+jobColumns+" FROM jobs j WHERE j.id = ?", numbered("j", string(id)))
	if err == nil && !found {
		err = coord.Errorf(coord.CodeNotFound, "there is no job %q; nothing was changed", string(id)).WithNext("coord jobs")
	}
	return j, err
}

// RegisterJob records a job before it is launched. Its reporter's credential
// is in the first answer alone: only its verifier is kept. An external id that
// the project knows is answered with the job that has it.
func (s *service) RegisterJob(ctx context.Context, c coord.RegisterJob) (coord.RegisteredJob, error) {
	if err := cmp.Or(s.mayWork(), c.Validate()); err != nil {
		return coord.RegisteredJob{}, err
	}
	secret := ""
	i := intent[coord.RegisteredJob]{operation: "register_job", key: c.Key, ids: []string{string(c.Attempt)}, command: c, session: true}
	i.current = func(t *tx, out *coord.RegisteredJob) error {
		j, err := t.job(out.Job.ID)
		out.Job = j.shown(t.now)
		return err
	}
	out, err := mutate(ctx, s, i, func(t *tx) (out coord.RegisteredJob, err error) {
		out.ReporterShown = true // to whoever asks again
		out.Job, secret, err = t.registerJob(c)
		return out, err
	})
	if err == nil && secret != "" {
		out.Reporter, out.ReporterShown = secret, false
	}
	return out, err
}

// registerJob returns the job and, when it is new, its reporter's credential.
func (t *tx) registerJob(c coord.RegisterJob) (coord.Job, string, error) {
	a, err := t.owned(c.Attempt, c.Fence)
	if err != nil {
		return coord.Job{}, "", err
	}
	if c.External != "" {
		known, found, err := one(&t.view, scanJob, "SELECT "+jobColumns+" FROM jobs j WHERE j.project = ? AND j.external = ? AND j.external <> ''", string(a.project), c.External)
		if err == nil && found {
			err = known.CheckSame(a.Task, c)
		}
		if err != nil || found {
			return known.shown(t.now), "", err
		}
	}
	return t.addJob(a, c)
}

func (t *tx) addJob(a attemptRow, c coord.RegisterJob) (coord.Job, string, error) {
	secret, err := coord.NewToken(coord.RoleReporter, t.store.opt.Random)
	if err != nil {
		return coord.Job{}, "", err
	}
	every := cmp.Or(time.Duration(c.ObserveEvery), observeWithin)
	var id int64
	_, err = t.get([]any{&id}, `INSERT INTO jobs (project, task, attempt, name, external, argv, machine, tree, state, observe_every, registered_at, observed_at, verifier)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'registered', ?, ?, ?, ?) RETURNING id`,
		string(a.project), string(a.Task), string(a.ID), c.Name, c.External, c.Argv, c.Machine, string(c.Tree), int64(every), nanos(t.now), nanos(t.now), coord.TokenVerifier(secret))
	if err != nil {
		return coord.Job{}, "", err
	}
	j, err := t.job(jobID(id))
	if err != nil {
		return coord.Job{}, "", err
	}
	return j.Job, secret, t.recordJob(coord.EventJobRegistered, j.Job, "%s registered %s for %s: %s", t.caller.Name, j.ID, j.Task, coord.OneLine(j.Name))
}

func (t *tx) recordJob(kind coord.EventKind, j coord.Job, format string, args ...any) error {
	return t.record(coord.Event{
		Kind: kind, Project: j.Project, Task: j.Task, Text: fmt.Sprintf(format, args...),
		Data: map[string]string{"job": string(j.ID), "state": string(j.State)},
	})
}

// Job returns one job as it stands now.
func (s *service) Job(ctx context.Context, id coord.JobID) (coord.Job, error) {
	if err := s.mayRead(); err != nil {
		return coord.Job{}, err
	}
	return reading(ctx, s.Store, func(v *view) (coord.Job, error) {
		j, err := v.job(id)
		return j.shown(v.now), err
	})
}

// ListJobs returns jobs of a project, newest first.
func (s *service) ListJobs(ctx context.Context, q coord.JobQuery) ([]coord.Job, error) {
	if err := s.mayRead(); err != nil {
		return nil, err
	}
	return reading(ctx, s.Store, func(v *view) ([]coord.Job, error) {
		if _, err := v.project(q.Project); err != nil {
			return nil, err
		}
		rows, err := list(v, scanJob, listJobs(q), string(q.Project), string(q.Task), min(cmp.Or(max(q.Limit, 0), 50), 200))
		return shownJobs(rows, v.now), err
	})
}

// listJobs names the index that has the fewest jobs to look at. Parameters:
// project, task, limit.
func listJobs(q coord.JobQuery) string {
	index, where := "jobs_project", "j.project = ? AND ? = ''"
	switch {
	case q.Task != "":
		index, where = "jobs_task", "j.project = ? AND j.task = ?"
	case q.Open:
		index = "jobs_open"
	}
	if q.Open {
		where += " AND " + jobMayRun
	}
	return "SELECT " + jobColumns + " FROM jobs j INDEXED BY " + index + " WHERE " + where + " ORDER BY j.id DESC LIMIT ?"
}

// jobMayRun is coord.Job.MayRun in SQL.
const jobMayRun = "j.state IN ('registered', 'running')"

// reporter finds the job that a reporter's credential belongs to. It ends with
// nothing: a job outlives the session that registered it, and what its
// reporter says is judged by the attempt that answers for it.
func (v *view) reporter(token string) (c coord.Caller, found bool, err error) {
	var id int64
	found, err = v.get([]any{&id}, "SELECT id FROM jobs WHERE verifier = ?", coord.TokenVerifier(token))
	name := "reporter of " + string(jobID(id))
	return coord.Caller{Principal: coord.PrincipalID(name), Role: coord.RoleReporter, Job: jobID(id), Name: name}, found, err
}

// authenticateReporter is Authenticate for a job's reporter.
func (s *Store) authenticateReporter(ctx context.Context, token string) (c coord.Caller, err error) {
	err = s.look(ctx, func(v *view) error {
		found := false
		c, found, err = v.reporter(token)
		if err == nil && !found {
			err = errCredential()
		}
		return err
	})
	if err != nil {
		return coord.Caller{}, err
	}
	return c, nil
}
