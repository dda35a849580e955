package store

import (
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

// importBase is all that a planner may know, read in one transaction.
func (s *Store) importBase(ctx context.Context, r coord.ImportRequest) (coord.ImportBase, error) {
	return reading(ctx, s, func(v *view) (coord.ImportBase, error) {
		b := coord.ImportBase{Project: r.Project, Admit: r.Admit}
		if _, err := v.project(r.Project); err != nil {
			return b, err
		}
		var err error
		if b.AsOf, err = v.projectSeq(r.Project); err != nil {
			return b, err
		}
		err = v.importRecords(&b)
		return b, err
	})
}

// projectSeq is the project's last event: while it stands, nothing about the
// project has changed.
func (v *view) projectSeq(p coord.ProjectKey) (seq coord.Seq, err error) {
	_, err = v.get([]any{&seq}, "SELECT coalesce(max(seq), 0) FROM events WHERE project = ?", string(p))
	return seq, err
}

func (v *view) importRecords(b *coord.ImportBase) (err error) {
	b.Records, err = list(v, func(r scanner) (a coord.ImportAnchor, err error) {
		var text string
		if err = r.Scan(&text); err != nil {
			return a, err
		}
		err = fromJSON(text, &a)
		return a, err
	}, "SELECT anchor FROM anchors WHERE project = ? ORDER BY key", string(b.Project))
	if err != nil {
		return err
	}
	if b.Tasks, err = v.importTasks(b.Project); err != nil {
		return err
	}
	b.Lessons, err = list(v, func(r scanner) (l coord.ImportLesson, err error) {
		var n int64
		err = r.Scan(&n, &l.Text, &l.Created, &l.Edited)
		l.ID = lessonID(n)
		return l, err
	}, "SELECT number, text, created_seq, edited_seq FROM lessons WHERE project = ? ORDER BY number", string(b.Project))
	if err != nil {
		return err
	}
	b.Files, err = list(v, func(r scanner) (f coord.ImportedFile, err error) {
		err = r.Scan(&f.Path, &f.Digest, &f.Seen)
		return f, err
	}, "SELECT path, digest, seen_seq FROM source_files WHERE project = ? ORDER BY path, seen_seq", string(b.Project))
	return err
}

func (v *view) importTasks(p coord.ProjectKey) ([]coord.ImportTask, error) {
	return list(v, func(r scanner) (t coord.ImportTask, err error) {
		var criteria string
		var rank int
		if err = r.Scan(&t.ID, &t.Title, &t.Outcome, &criteria, &rank, &t.Lifecycle, &t.Busy, &t.Created, &t.Edited, &t.Closed); err != nil {
			return t, err
		}
		t.Priority = coord.PriorityOf(rank)
		err = fromJSON(criteria, &t.Criteria)
		return t, err
	}, `SELECT id, title, outcome, criteria, priority, lifecycle, lifecycle = 'open' AND (attempt IS NOT NULL OR submission IS NOT NULL), created_seq, edited_seq, closed_seq
		FROM tasks WHERE project = ? AND kind = 'code' ORDER BY number`, string(p))
}

// ApplyImport plans again, compares, and executes exactly the plan that the
// caller saw, all or nothing.
func (s *service) ApplyImport(ctx context.Context, c coord.ApplyImport) (coord.ImportResult, error) {
	if err := s.mayRead(); err != nil {
		return coord.ImportResult{}, err
	}
	if err := c.Validate(); err != nil {
		return coord.ImportResult{}, err
	}
	digests := digestsOf(c.Files)
	const tries = 3 // the project may change between planning and the writer's turn
	for n := 1; ; n++ {
		plan, seq, stale := s.planAgain(ctx, c)
		if stale != nil && coord.CodeOf(stale) != coord.CodePlanStale {
			return coord.ImportResult{}, stale
		}
		moved := false
		i := intent[coord.ImportResult]{operation: "apply_import", key: c.Key, ids: []string{string(c.Project)}, command: c}
		out, err := mutate(ctx, s, i, func(t *tx) (coord.ImportResult, error) {
			if stale != nil {
				return coord.ImportResult{}, stale
			}
			now, err := t.projectSeq(c.Project)
			if moved = now != seq; moved && err == nil {
				err = coord.Errorf(coord.CodeUnavailable, "%s changed while the import was planned; nothing was applied", c.Project)
			}
			if err != nil {
				return coord.ImportResult{}, err
			}
			return t.applyImport(c, plan, digests)
		})
		if !moved {
			return out, err
		}
		if n == tries {
			return out, coord.Errorf(coord.CodePlanStale, "%s kept changing while the import was planned; nothing was applied", c.Project).WithNext("coord import --dry-run")
		}
	}
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
