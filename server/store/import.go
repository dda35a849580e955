package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"

	"coord"
)

// PlanImport says what importing the files would do, as of one snapshot.
func (s *service) PlanImport(ctx context.Context, r coord.ImportRequest) (coord.ImportPlan, error) {
	if err := s.mayRead(); err != nil {
		return coord.ImportPlan{}, err
	}
	if err := r.Validate(); err != nil {
		return coord.ImportPlan{}, err
	}
	base, err := s.importBase(ctx, r)
	if err != nil {
		return coord.ImportPlan{}, err
	}
	return s.opt.Plan(base, r.Files)
}

// ApplyImport executes exactly the plan that the caller saw: it plans again and
// compares. A plan of at most Options.Step changes is applied all or nothing. A
// longer one is kept as it is and applied step by step; one that was begun is
// gone on with. A plan that was applied is applied once: repeating it, under any
// key, says what was done.
func (s *service) ApplyImport(ctx context.Context, c coord.ApplyImport) (coord.ImportResult, error) {
	if err := cmp.Or(s.mayRead(), c.Validate()); err != nil {
		return coord.ImportResult{}, err
	}
	a := &applier{service: s, c: c, digests: digestsOf(c.Files)}
	a.i = intent[coord.ImportResult]{operation: "apply_import", key: c.Key, ids: []string{string(c.Project)}, command: c}
	far, err := a.read(ctx)
	switch {
	case err != nil:
		return coord.ImportResult{}, err
	case far == finished:
		return a.again(ctx)
	case far == goingOn:
		return a.goOn(ctx)
	}
	return a.begin(ctx)
}

// applier is one caller's execution of a plan.
type applier struct {
	*service
	c    coord.ApplyImport
	i    intent[coord.ImportResult]
	plan coord.ImportPlan
	work []coord.ImportChange // of the plan, in the order of applying

	digests map[string]string // of the files that came, by path
}

// digestsOf is the SHA-256 of each file's bytes in hex, by path: computed before
// the writer's turn.
func digestsOf(files []coord.SourceFile) map[string]string {
	digests := make(map[string]string, len(files))
	for _, f := range files {
		sum := sha256.Sum256(f.Content)
		digests[f.Path] = hex.EncodeToString(sum[:])
	}
	return digests
}

// begin plans again and applies the plan, or the first step of it.
func (a *applier) begin(ctx context.Context) (coord.ImportResult, error) {
	const tries = 3 // the project may change between planning and the writer's turn
	for n := 1; ; n++ {
		plan, seq, stale := a.planAgain(ctx, a.c)
		if stale != nil && coord.CodeOf(stale) != coord.CodePlanStale {
			return coord.ImportResult{}, stale
		}
		a.plan = plan
		work, early := plan.Effective()
		a.work = work
		moved := false
		ready := func(t *tx) error {
			if stale != nil {
				return stale
			}
			now, err := t.projectSeq(a.c.Project)
			if moved = now != seq; moved && err == nil {
				err = coord.Errorf(coord.CodeUnavailable, "%s changed while the import was planned; nothing was applied", a.c.Project)
			}
			return err
		}
		var out coord.ImportResult
		var err error
		if step := max(a.opt.Step, early); stale == nil && len(work) > step {
			out, err = a.inSteps(ctx, step, ready)
		} else {
			out, err = a.atOnce(ctx, ready)
		}
		if !moved {
			return out, err
		}
		if n == tries {
			return out, coord.Errorf(coord.CodePlanStale, "%s kept changing while the import was planned; nothing was applied", a.c.Project).WithNext("coord import --dry-run")
		}
	}
}

// atOnce applies the whole plan in one transaction.
func (a *applier) atOnce(ctx context.Context, ready func(*tx) error) (coord.ImportResult, error) {
	return mutate(ctx, a.service, a.i, func(t *tx) (coord.ImportResult, error) {
		if err := ready(t); err != nil {
			return coord.ImportResult{}, err
		}
		m, err := t.importing(a)
		if err != nil {
			return coord.ImportResult{}, err
		}
		if err := m.applyAll(a.work); err != nil {
			return m.out, err
		}
		return m.finish(a)
	})
}

// planAgain makes the plan from what is stored now. It returns CodePlanStale
// when that is not the plan that the caller saw.
func (s *service) planAgain(ctx context.Context, c coord.ApplyImport) (coord.ImportPlan, coord.Seq, error) {
	base, err := s.importBase(ctx, c.Request())
	if err != nil {
		return coord.ImportPlan{}, 0, err
	}
	seq := base.AsOf
	base.AsOf = c.AsOf
	plan, err := s.opt.Plan(base, c.Files)
	if err == nil && plan.Digest != c.Digest {
		err = coord.Errorf(coord.CodePlanStale, "what the import plan rests on has changed; nothing was applied").WithNext("coord import --dry-run")
	}
	return plan, seq, err
}
