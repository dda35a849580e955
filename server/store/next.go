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
		return v.nextAction(p, s.caller)
	})
}

// option is one thing that a caller might do, in order of value.
type option struct {
	activity coord.Activity
	find     func() (coord.TaskID, error)
}

func (v *view) nextAction(p coord.Project, me coord.Caller) (out coord.NextAction, err error) {
	for _, o := range v.options(p, me) {
		if o.activity == coord.ActivityDecide {
			err = v.toDecide(&out, p.Key, me)
		} else {
			err = v.toDo(&out, o, me)
		}
		if err != nil {
			return out, err
		}
		if out.Activity != "" {
			break
		}
	}
	if out.Activity == "" {
		out.Activity = coord.ActivityNone
	}
	for _, k := range []coord.Kind{coord.KindCode, coord.KindGeneral, coord.KindReview, coord.KindIntegration} {
		skips, err := v.skips(p, k, me.Session)
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

// toDo fills in the task of the option, if there is one.
func (v *view) toDo(out *coord.NextAction, o option, me coord.Caller) error {
	id, err := o.find()
	if err != nil || id == "" {
		return err
	}
	task, err := v.task(id)
	if err != nil {
		return err
	}
	if err := v.told(out, o.activity, task); err != nil {
		return err
	}
	out.Command, err = v.commandFor(o.activity, task, me)
	return err
}

// toDecide fills in the oldest question that parks something and that the
// caller may answer, or else one that has to be asked anew, if there is one.
func (v *view) toDecide(out *coord.NextAction, p coord.ProjectKey, me coord.Caller) error {
	rows, err := v.answerable(p, me, 1)
	if err != nil {
		return err
	}
	if len(rows) > 0 {
		d := rows[0].Decision
		out.Activity, out.Decision, out.Command = coord.ActivityDecide, &d, answer(d, me.Role)
		return nil
	}
	d, found, err := v.lapsed(p, me)
	if err != nil || !found {
		return err
	}
	out.Activity, out.Decision, out.Command = coord.ActivityDecide, &d.Decision, askAnew(d.Decision, me.Role)
	return nil
}

func (v *view) options(p coord.Project, me coord.Caller) []option {
	if me.Role == coord.RoleOperator {
		return v.personOptions(p)
	}
	best := func(k coord.Kind, recovery bool) func() (coord.TaskID, error) {
		return func() (coord.TaskID, error) {
			id, is, err := v.best(p, k, me.Session)
			if is != recovery {
				return "", err
			}
			return id, err
		}
	}
	return []option{
		{coord.ActivityContinue, func() (coord.TaskID, error) { return v.ownTask(p.Key, me.Session) }},
		{coord.ActivityRecover, best(coord.KindIntegration, true)},
		{coord.ActivityRecover, best("", true)},
		{coord.ActivityRecover, best(coord.KindReview, true)},
		{coord.ActivityRevise, func() (coord.TaskID, error) { return v.revisable(p.Key) }},
		{coord.ActivityRevise, func() (coord.TaskID, error) { return v.stale(p.Key) }},
		{coord.ActivityDecide, nil},
		{coord.ActivityReview, best(coord.KindReview, false)},
		{coord.ActivityIntegrate, func() (coord.TaskID, error) { return v.freeLanding(p, "") }},
		{coord.ActivityAccept, func() (coord.TaskID, error) { return v.acceptable(p, me.Role) }},
		{coord.ActivityImplement, best("", false)},
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

func (v *view) commandFor(a coord.Activity, t taskRow, me coord.Caller) (string, error) {
	switch {
	case me.Role == coord.RoleOperator:
		return personCommand(a, t), nil
	case a == coord.ActivityRevise && t.Kind == coord.KindIntegration:
		return wayBack(t), nil
	case a == coord.ActivityRevise:
		worked, err := v.workedOn(t.ID, me.Session)
		if worked {
			return "coord revise --withdrawn " + string(t.ID), err
		}
		return "coord revise --requirements-changed " + string(t.ID), err
	case t.Kind == coord.KindIntegration:
		return "coord integrate " + string(codeTask(t)), nil
	case a == coord.ActivityReview:
		return "coord start --kind review", nil
	case a == coord.ActivityAccept:
		return "coord task accept " + string(t.ID) + " -m NOTE", nil
	case a == coord.ActivityImplement && t.Kind == coord.KindCode:
		return "coord start", nil
	}
	return "coord start " + string(t.ID), nil
}

// wayBack is the command that sends back the submission of a landing that met
// a conflict or a failed check.
func wayBack(t taskRow) string {
	for _, b := range t.Blockers {
		if b.Kind == coord.BlockedByConflict || b.Kind == coord.BlockedByCheck {
			return b.Reopen
		}
	}
	return "coord task show " + string(t.ID)
}
