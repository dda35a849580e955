package store

import (
	"context"
	"slices"
	"time"

	"coord"
)

// keepFiles stores the exact bytes of each file once, and that this version
// of the path was seen. A file of which nothing was applied does not count. It
// runs before the event of the import, which is the next one.
func (m *importing) keepFiles(a *applier) error {
	var kept []coord.ImportFile
	for _, f := range m.plan.Files {
		if f.State == "" {
			kept = append(kept, f)
		}
	}
	for _, f := range kept {
		content := contentOf(a.c.Files, f)
		added, err := m.exec("INSERT INTO source_bytes (digest, content) VALUES (?, ?) ON CONFLICT (digest) DO NOTHING", f.Digest, content)
		if err != nil {
			return err
		}
		known, err := m.get([]any{new(int)}, "SELECT 1 FROM source_files WHERE project = ? AND path = ? AND digest = ?", string(m.project.Key), f.Path, f.Digest)
		if err != nil {
			return err
		}
		m.stored = m.stored || added > 0 || !known
	}
	if !m.stored {
		return nil
	}
	for _, f := range kept {
		err := m.change(`INSERT INTO source_files (project, path, digest, role, revision, at, seen_seq) VALUES (?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (project, path, digest) DO UPDATE SET role = excluded.role, revision = excluded.revision, at = excluded.at, seen_seq = excluded.seen_seq`,
			string(m.project.Key), f.Path, f.Digest, string(f.As), f.Revision, stamp(f.At), int64(m.head.seq+1))
		if err != nil {
			return err
		}
	}
	return nil
}

// stamp is a time that may be unknown.
func stamp(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return nanos(t)
}

// contentOf is the bytes of a file of a plan.
func contentOf(files []coord.SourceFile, f coord.ImportFile) []byte {
	for _, s := range files {
		if s.Path == f.Path && s.Content != nil {
			return s.Content
		}
	}
	return []byte{}
}

// keepProblems writes anew what is wrong in the files of the import.
func (m *importing) keepProblems() error {
	applied := map[string]bool{}
	for _, f := range m.plan.Files {
		applied[f.Path] = f.State == ""
	}
	said := map[string][]string{}
	for _, p := range m.plan.Problems {
		if len(p.Sides) > 0 && applied[p.Sides[0].Path] {
			said[p.Sides[0].Path] = append(said[p.Sides[0].Path], toJSON(p))
		}
	}
	for _, f := range m.plan.Files {
		if f.State != "" {
			continue
		}
		if err := m.problemsOf(f.Path, said[f.Path]); err != nil {
			return err
		}
	}
	return nil
}

func (m *importing) problemsOf(path string, said []string) error {
	before, err := list(&m.view, scanText[string], "SELECT problem FROM source_problems WHERE project = ? AND path = ? ORDER BY number", string(m.project.Key), path)
	if err != nil || slices.Equal(before, said) {
		return err
	}
	m.stored = true
	if _, err := m.exec("DELETE FROM source_problems WHERE project = ? AND path = ?", string(m.project.Key), path); err != nil {
		return err
	}
	for n, text := range said {
		if err := m.change("INSERT INTO source_problems (project, path, number, problem) VALUES (?, ?, ?, ?)", string(m.project.Key), path, n+1, text); err != nil {
			return err
		}
	}
	return nil
}

// maxListedProblems bounds the answer of Sources.
const maxListedProblems = 1000

// Sources are the files that were imported, as they were last, and what is
// wrong in them.
func (s *service) Sources(ctx context.Context, project coord.ProjectKey) (coord.Sources, error) {
	if err := s.mayRead(); err != nil {
		return coord.Sources{}, err
	}
	return reading(ctx, s.Store, func(v *view) (out coord.Sources, err error) {
		if _, err := v.project(project); err != nil {
			return out, err
		}
		out.Project = project
		if out.AsOf, err = v.projectSeq(project); err != nil {
			return out, err
		}
		versions, err := v.importedFiles(project)
		if err != nil {
			return out, err
		}
		out.Files = []coord.ImportedFile{}
		for i, f := range versions {
			if i+1 == len(versions) || versions[i+1].Path != f.Path {
				out.Files = append(out.Files, f)
			}
		}
		out.Problems, err = list(v, func(r scanner) (p coord.ImportProblem, err error) {
			var text string
			if err = r.Scan(&text); err == nil {
				err = fromJSON(text, &p)
			}
			return p, err
		}, "SELECT problem FROM source_problems WHERE project = ? ORDER BY path, number LIMIT ?", string(project), maxListedProblems)
		if err != nil || len(out.Problems) < maxListedProblems {
			return out, err
		}
		_, err = v.get([]any{&out.More}, "SELECT count(*) - ? FROM source_problems WHERE project = ?", maxListedProblems, string(project))
		return out, err
	})
}
