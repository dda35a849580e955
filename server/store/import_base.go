package store

import (
	"bytes"
	"context"
	"slices"

	"coord"
)

// importBase is all that a planner may know, read in one transaction.
func (s *Store) importBase(ctx context.Context, r coord.ImportRequest) (coord.ImportBase, error) {
	return reading(ctx, s, func(v *view) (coord.ImportBase, error) {
		b := coord.ImportBase{Project: r.Project, Admit: r.Admit, Paths: r.Paths}
		if _, err := v.project(r.Project); err != nil {
			return b, err
		}
		var err error
		if b.AsOf, err = v.projectSeq(r.Project); err != nil {
			return b, err
		}
		if err = v.importRecords(&b); err == nil && mentionExport(r.Files) {
			b.Links, err = v.linksSince(r.Project)
		}
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
	if b.Lessons, err = v.importLessons(b.Project); err != nil {
		return err
	}
	if b.Files, err = v.importedFiles(b.Project); err != nil {
		return err
	}
	return v.importLinks(b)
}

// importLessons are the project's lessons, each with when it was learnt and
// last changed.
func (v *view) importLessons(p coord.ProjectKey) ([]coord.ImportLesson, error) {
	seqs := map[int64][2]coord.Seq{}
	_, err := list(v, func(r scanner) (struct{}, error) {
		var id int64
		var s [2]coord.Seq
		err := r.Scan(&id, &s[0], &s[1])
		seqs[id] = s
		return struct{}{}, err
	}, "SELECT id, created_seq, edited_seq FROM lessons WHERE project = ?", string(p))
	if err != nil {
		return nil, err
	}
	return list(v, func(r scanner) (coord.ImportLesson, error) {
		x, err := v.scanLesson(r)
		return coord.ImportLesson{
			ID: x.ID, Text: x.Text, Created: seqs[x.row][0], Edited: seqs[x.row][1], Kind: x.Kind, Status: x.Status, Reopen: x.Reopen, Scope: x.Scope, Tags: x.Tags,
			Source: x.from(), ExpiresAt: x.ExpiresAt, SupersededBy: x.SupersededBy, Rule: x.Rule,
		}, err
	}, "SELECT "+lessonColumns+" FROM lessons l WHERE l.project = ? ORDER BY l.number", string(p))
}

func (v *view) importedFiles(p coord.ProjectKey) ([]coord.ImportedFile, error) {
	return list(v, func(r scanner) (f coord.ImportedFile, err error) {
		var at int64
		err = r.Scan(&f.Path, &f.As, &f.Digest, &f.Revision, &at, &f.Seen)
		if at != 0 {
			f.At = instant(at)
		}
		return f, err
	}, "SELECT path, role, digest, revision, at, seen_seq FROM source_files WHERE project = ? ORDER BY path, seen_seq, digest", string(p))
}

func (v *view) importTasks(p coord.ProjectKey) ([]coord.ImportTask, error) {
	return list(v, func(r scanner) (t coord.ImportTask, err error) {
		var criteria string
		var rank int
		if err = r.Scan(&t.ID, &t.Title, &t.Outcome, &criteria, &rank, &t.Lifecycle, &t.Revision, &t.Busy, &t.Created, &t.Edited, &t.Closed); err != nil {
			return t, err
		}
		t.Priority = coord.PriorityOf(rank)
		err = fromJSON(criteria, &t.Criteria)
		return t, err
	}, `SELECT id, title, outcome, criteria, priority, lifecycle, revision, lifecycle = 'open' AND (attempt IS NOT NULL OR submission IS NOT NULL), created_seq, edited_seq, closed_seq
		FROM tasks WHERE project = ? AND kind = 'code' ORDER BY number`, string(p))
}

// mentionExport reports a file that an export may have written, or a part of it:
// only such a one is compared with what a task waited for at an earlier event.
func mentionExport(files []coord.SourceFile) bool {
	return slices.ContainsFunc(files, func(f coord.SourceFile) bool { return bytes.Contains(f.Content, []byte("as_of")) })
}

// linkEvents are the events by which tasks got and lost dependencies since each
// was created. Its kinds are those of the index. Parameter: project.
const linkEvents = "SELECT task, data ->> '$.after', seq, kind FROM events WHERE project = ? AND kind IN ('task.linked', 'task.unlinked') AND data ->> '$.after' IS NOT NULL ORDER BY seq"

func (v *view) linksSince(p coord.ProjectKey) ([]coord.ImportLink, error) {
	return list(v, func(r scanner) (l coord.ImportLink, err error) {
		var kind coord.EventKind
		err = r.Scan(&l.Task, &l.After, &l.At, &kind)
		l.Removed = kind == coord.EventTaskUnlinked
		return l, err
	}, linkEvents, string(p))
}

// importLinks adds what every task waits for.
func (v *view) importLinks(b *coord.ImportBase) (err error) {
	at, parents := map[coord.TaskID]int{}, map[int]coord.TaskID{}
	b.Graph, err = list(v, func(r scanner) (n coord.ImportNode, err error) {
		var parent string
		err = r.Scan(&n.ID, &n.Lifecycle, &parent)
		if i := len(at); err == nil {
			at[n.ID] = i
			if parent != "" && !n.Lifecycle.Closed() {
				parents[i] = coord.TaskID(parent)
			}
		}
		return n, err
	}, "SELECT id, lifecycle, coalesce(parent, '') FROM tasks WHERE project = ? AND subject IS NULL ORDER BY number", string(b.Project))
	if err != nil {
		return err
	}
	for i, n := range b.Graph {
		if p := parents[i]; p != "" {
			b.Graph[at[p]].Parts = append(b.Graph[at[p]].Parts, n.ID)
		}
	}
	links, err := list(v, func(r scanner) (l [2]coord.TaskID, err error) {
		err = r.Scan(&l[0], &l[1])
		return l, err
	}, "SELECT x.task, x.depends_on FROM dependencies x JOIN tasks t ON t.id = x.task WHERE t.project = ? AND t.subject IS NULL ORDER BY t.number, x.depends_on", string(b.Project))
	if err != nil {
		return err
	}
	for _, l := range links {
		n := &b.Graph[at[l[0]]]
		n.After = append(n.After, l[1])
	}
	for i := range b.Tasks {
		if n, ok := at[b.Tasks[i].ID]; ok {
			b.Tasks[i].After = b.Graph[n].After
		}
	}
	return nil
}
