package store

import (
	"context"
	"time"

	"coord"
)

// keepImports is how long an import that nobody goes on with is kept.
const keepImports = 7 * 24 * time.Hour

// read looks for the plan among the imports that were begun.
func (a *applier) read(ctx context.Context) (begun bool, err error) {
	text, err := reading(ctx, a.Store, func(v *view) (text string, err error) {
		_, err = v.get([]any{&text}, "SELECT plan FROM imports WHERE project = ? AND digest = ?", string(a.c.Project), a.c.Digest)
		return text, err
	})
	if err != nil || text == "" {
		return false, err
	}
	if err := fromJSON(text, &a.plan); err != nil {
		return false, err
	}
	a.work, _ = a.plan.Effective()
	for _, f := range a.plan.Files {
		if a.digests[f.Path] != f.Digest {
			return true, coord.Errorf(coord.CodePlanStale, "%s is not the file that the plan was made of; nothing was applied", f.Path).WithNext("coord import --dry-run")
		}
	}
	return true, nil
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
		if _, err := t.exec("DELETE FROM imports WHERE project = ? AND at < ?", string(a.c.Project), nanos(t.now.Add(-keepImports))); err != nil {
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
			return t.change("UPDATE imports SET done = ?, result = ? WHERE project = ? AND digest = ? AND done = ?",
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
		if err := t.change("DELETE FROM imports WHERE project = ? AND digest = ?", string(a.c.Project), a.plan.Digest); err != nil {
			return m.out, err
		}
		m.stored = true
		return m.finish(a)
	})
}

// resumed is the import as its last step left it.
func (t *tx) resumed(a *applier) (*importing, error) {
	var text string
	found, err := t.get([]any{&text}, "SELECT result FROM imports WHERE project = ? AND digest = ?", string(a.c.Project), a.plan.Digest)
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
