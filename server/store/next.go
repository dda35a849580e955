package store

import (
	"context"
	"slices"

	"coord"
)

// Next says what the caller should do now, and claims nothing.
func (s *service) Next(ctx context.Context, project coord.ProjectKey) (coord.NextAction, error) {
	if err := s.mayRead(); err != nil {
		return coord.NextAction{}, err
	}
	return reading(ctx, s.Store, func(v *view) (coord.NextAction, error) {
		p, err := v.project(project)
		if err != nil {
			return coord.NextAction{}, err
		}
		return v.nextAction(p, s.caller.Session)
	})
}

// option is one thing that a caller might do, in order of value.
type option struct {
	activity coord.Activity
	find     func() (coord.TaskID, error)
}

func (v *view) nextAction(p coord.Project, me coord.SessionID) (out coord.NextAction, err error) {
	for _, o := range v.options(p, me) {
		id, err := o.find()
		if err != nil {
			return out, err
		}
		if id == "" {
			continue
		}
		task, err := v.task(id)
		if err != nil {
			return out, err
		}
		out.Activity, out.Task, out.Command = o.activity, &task.Task, commandFor(o.activity, task)
		break
	}
	if out.Activity == "" {
		out.Activity = coord.ActivityNone
	}
	for _, k := range []coord.Kind{coord.KindCode, coord.KindReview, coord.KindIntegration} {
		skips, err := v.skips(p, k, me)
		if err != nil {
			return out, err
		}
		out.Skipped = append(out.Skipped, skips...)
	}
	if out.Task != nil { // what is recommended is not passed over
		out.Skipped = slices.DeleteFunc(out.Skipped, func(s coord.Skip) bool { return s.Count == 1 && s.Example == out.Task.ID })
	}
	out.AsOf, err = v.lastSeq()
	return out, err
}

func (v *view) options(p coord.Project, me coord.SessionID) []option {
	best := func(k coord.Kind, recovery bool) func() (coord.TaskID, error) {
		return func() (coord.TaskID, error) {
			id, is, err := v.best(p, k, me)
			if is != recovery {
				return "", err
			}
			return id, err
		}
	}
	return []option{
		{coord.ActivityContinue, func() (coord.TaskID, error) { return v.ownTask(p.Key, me) }},
		{coord.ActivityRecover, best(coord.KindIntegration, true)},
		{coord.ActivityRecover, best(coord.KindCode, true)},
		{coord.ActivityRecover, best(coord.KindReview, true)},
		{coord.ActivityRevise, func() (coord.TaskID, error) { return v.revisable(p.Key) }},
		{coord.ActivityReview, best(coord.KindReview, false)},
		{coord.ActivityIntegrate, func() (id coord.TaskID, err error) {
			_, err = v.get([]any{&id}, pickFreeLanding, string(p.Key), "", "")
			return id, err
		}},
		{coord.ActivityImplement, best(coord.KindCode, false)},
	}
}

// ownTask is the task that the session holds, with a live lease or one that
// it may resume; the oldest, if several, as a claim without a name gives it.
func (v *view) ownTask(p coord.ProjectKey, me coord.SessionID) (id coord.TaskID, err error) {
	_, err = v.get([]any{&id}, "SELECT task FROM attempts WHERE session = ? AND project = ? AND ended IS NULL ORDER BY started_at, task LIMIT 1", string(me), string(p))
	return id, err
}

// revisable is an integration task whose submission has to go back.
func (v *view) revisable(p coord.ProjectKey) (id coord.TaskID, err error) {
	_, err = v.get([]any{&id}, pickRevisable, string(p))
	return id, err
}

func commandFor(a coord.Activity, t taskRow) string {
	switch {
	case a == coord.ActivityRevise:
		return t.Blocker.Reopen
	case t.Kind == coord.KindIntegration:
		return "coord integrate " + string(codeTask(t))
	case a == coord.ActivityReview:
		return "coord start --kind review"
	case a == coord.ActivityImplement:
		return "coord start"
	}
	return "coord start " + string(t.ID)
}
