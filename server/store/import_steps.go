package store

import (
	"context"
	"time"

	"coord"
)

// keepImports is how long an import is kept that nobody goes on with, or that
// is finished.
const keepImports = 7 * 24 * time.Hour

// applied is how far the plan of an applier is.
type applied int

const (
	notBegun applied = iota
	goingOn
	finished
)

// read looks for the plan among the imports that were begun. What an agent had
// to leave to an operator is not finished for one.
func (a *applier) read(ctx context.Context) (applied, error) {
	var text, result string
	found, err := reading(ctx, a.Store, func(v *view) (bool, error) {
		return v.get([]any{&text, &result}, "SELECT plan, result FROM imports WHERE project = ? AND digest = ?", string(a.c.Project), a.c.Digest)
	})
	if err != nil || !found {
		return notBegun, err
	}
	if text == "" {
		var out coord.ImportResult
		if err := fromJSON(result, &out); err != nil || out.Skipped > 0 && a.caller.Role == coord.RoleOperator {
			return notBegun, err
		}
		return finished, nil
	}
	if err := fromJSON(text, &a.plan); err != nil {
		return notBegun, err
	}
	a.work, _ = a.plan.Effective()
	for _, f := range a.plan.Files {
		if a.digests[f.Path] != f.Digest {
			return goingOn, coord.Errorf(coord.CodePlanStale, "%s is not the file that the plan was made of; nothing was applied", f.Path).WithNext("coord import --dry-run")
		}
	}
	return goingOn, nil
}

// again answers for a plan that was applied before with what was done then.
func (a *applier) again(ctx context.Context) (coord.ImportResult, error) {
	return mutate(ctx, a.service, a.i, func(t *tx) (out coord.ImportResult, err error) {
		var text string
		found, err := t.get([]any{&text}, "SELECT result FROM imports WHERE project = ? AND digest = ? AND plan = ''", string(a.c.Project), a.c.Digest)
		if err == nil && !found {
			err = coord.Errorf(coord.CodePlanStale, "what the import plan rests on has changed; nothing was applied").WithNext("coord import --dry-run")
		}
		if err != nil {
			return out, err
		}
		err = fromJSON(text, &out)
		out.Replayed = true
		return out, err
	})
}

// keepFinished keeps what a plan did in place of the plan.
func (m *importing) keepFinished() error {
	if _, err := m.exec("DELETE FROM imports WHERE project = ? AND at < ?", string(m.project.Key), nanos(m.now.Add(-keepImports))); err != nil {
		return err
	}
	return m.change(`INSERT INTO imports (project, digest, plan, done, result, at) VALUES (?, ?, '', ?, ?, ?)
		ON CONFLICT (project, digest) DO UPDATE SET plan = '', done = excluded.done, result = excluded.result, at = excluded.at`,
		string(m.project.Key), m.plan.Digest, m.out.Done, toJSON(m.out), nanos(m.now))
}

// inSteps keeps the plan, applies its first changes, and goes on.
func (a *applier) inSteps(ctx context.Context, first int, ready func(*tx) error) (out coord.ImportResult, err error) {
	answered := false
	err = a.writer.do(ctx, a.caller, func(t *tx) error {
		if err := t.checkSession(a.i.session); err != nil {
			return err
		}
		if answered, err = t.replay(a.i.operation, a.i.key, a.i.fingerprint(a.caller), &out); err != nil || answered {
			return err
		}
		if err := ready(t); err != nil {
			return err
		}
		m, err := t.importing(a)
		if err != nil {
			return err
		}
		if err := m.applyAll(a.work[:first]); err != nil {
			return err
		}
		return t.change("INSERT INTO imports (project, digest, plan, done, result, at) VALUES (?, ?, ?, ?, ?, ?)",
			string(a.c.Project), a.plan.Digest, toJSON(a.plan), first, toJSON(m.out), nanos(t.now))
	})
	if err != nil || answered {
		return out, err
	}
	return a.goOn(ctx)
}

// goOn applies what is left of a plan that was begun, step by step. Several
// callers may do so at once: each step is taken by one of them.
func (a *applier) goOn(ctx context.Context) (out coord.ImportResult, err error) {
	for {
		last, answered := false, false
		err := a.writer.do(ctx, a.caller, func(t *tx) error {
			if err := t.checkSession(a.i.session); err != nil {
				return err
			}
			if answered, err = t.replay(a.i.operation, a.i.key, a.i.fingerprint(a.caller), &out); err != nil || answered {
				return err
			}
			m, err := t.resumed(a)
			if err != nil {
				return err
			}
			if last = len(a.work)-m.out.Done <= a.opt.Step; last {
				return nil
			}
			done := m.out.Done
			if err := m.applyAll(a.work[done : done+a.opt.Step]); err != nil {
				return err
			}
			return t.change("UPDATE imports SET done = ?, result = ? WHERE project = ? AND digest = ? AND done = ? AND plan <> ''",
				m.out.Done, toJSON(m.out), string(a.c.Project), a.plan.Digest, done)
		})
		switch {
		case err != nil || answered:
			return out, err
		case last:
			return a.finishSteps(ctx)
		}
	}
}

// finishSteps applies the last changes, and says what all steps did.
func (a *applier) finishSteps(ctx context.Context) (coord.ImportResult, error) {
	return mutate(ctx, a.service, a.i, func(t *tx) (coord.ImportResult, error) {
		m, err := t.resumed(a)
		if err != nil {
			return coord.ImportResult{}, err
		}
		if err := m.applyAll(a.work[m.out.Done:]); err != nil {
			return m.out, err
		}
		m.stored = true
		return m.finish(a)
	})
}

// resumed is the import as its last step left it.
func (t *tx) resumed(a *applier) (*importing, error) {
	var text string
	found, err := t.get([]any{&text}, "SELECT result FROM imports WHERE project = ? AND digest = ? AND plan <> ''", string(a.c.Project), a.plan.Digest)
	if err == nil && !found {
		err = coord.Errorf(coord.CodePlanStale, "the import was finished meanwhile; nothing more was applied").WithNext("coord import --dry-run")
	}
	if err != nil {
		return nil, err
	}
	m, err := t.importing(a)
	if err != nil {
		return nil, err
	}
	m.later = true
	return m, fromJSON(text, &m.out)
}
