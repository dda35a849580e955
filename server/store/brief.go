package store

import (
	"context"
	"slices"

	"coord"
)

// Bounds of a brief.
const (
	briefHolds     = 10
	briefRules     = 20
	briefDecisions = 5
	briefLessons   = 3
)

// Brief is the caller's orientation, in one read.
func (s *service) Brief(ctx context.Context, project coord.ProjectKey) (coord.Brief, error) {
	if err := s.mayRead(); err != nil {
		return coord.Brief{}, err
	}
	return reading(ctx, s.Store, func(v *view) (coord.Brief, error) { return v.brief(project, s.caller) })
}

const (
	// Parameters: session, project, limit.
	heldTasks = "SELECT " + taskColumns + taskFrom + " WHERE t.id IN (SELECT x.task FROM attempts x WHERE x.session = ? AND x.project = ? AND x.ended IS NULL ORDER BY x.started_at, x.task LIMIT ?) ORDER BY a.started_at, t.id"
)

func (v *view) brief(key coord.ProjectKey, me coord.Caller) (b coord.Brief, err error) {
	if b.Project, err = v.project(key); err != nil {
		return b, err
	}
	b.Caller = me
	if b.Holds, err = v.tasksHeld(key, me.Session); err != nil {
		return b, err
	}
	rules, err := v.rules(key)
	if err != nil {
		return b, err
	}
	b.Rules = rules[:min(len(rules), briefRules)]
	if b.Decisions, err = v.pressing(key, me, b.Holds); err != nil {
		return b, err
	}
	if b.Lessons, err = v.lessonsOfBrief(key, b.Holds); err != nil {
		return b, err
	}
	b.Next, err = v.nextAction(b.Project, me)
	b.AsOf = b.Next.AsOf
	return b, err
}

// lessonsOfBrief are those that apply to what is held first, or the latest that
// hold for everybody.
func (v *view) lessonsOfBrief(p coord.ProjectKey, holds []coord.Task) ([]coord.Lesson, error) {
	if len(holds) > 0 && holds[0].Kind.Submits() {
		found, err := v.relevantLessons(holds[0])
		return found[:min(len(found), briefLessons)], err
	}
	return v.latestVerified(p, briefLessons)
}

// tasksHeld are the tasks that the session holds, live or expired, oldest first.
func (v *view) tasksHeld(p coord.ProjectKey, me coord.SessionID) ([]coord.Task, error) {
	rows, err := list(v, v.scanTask, heldTasks, string(me), string(p), briefHolds)
	return tasksOf(rows), err
}

// pressing are the open questions that park what the caller holds, then those
// that it may answer.
func (v *view) pressing(p coord.ProjectKey, me coord.Caller, holds []coord.Task) (out []coord.Decision, err error) {
	add := func(d coord.Decision) {
		known := func(x coord.Decision) bool { return x.ID == d.ID }
		if d.State == coord.DecisionOpen && len(out) < briefDecisions && !slices.ContainsFunc(out, known) {
			out = append(out, d)
		}
	}
	for _, t := range holds {
		for _, b := range t.Blockers {
			if b.Decision == "" || len(out) == briefDecisions {
				continue
			}
			d, err := v.decision(p, b.Decision)
			if err != nil {
				return nil, err
			}
			add(d.Decision)
		}
	}
	rows, err := v.answerable(p, me, briefDecisions)
	for _, d := range rows {
		add(d.Decision)
	}
	return out, err
}
