package gitops

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// BenchmarkReading asks both engines the same, in turns, of one repository of
// 5,000 commits and 4,000 files in 160 directories, packed. What counts is the
// ratio; below 1 go-git is faster. Each question is asked of a repository that
// was just opened, as a command does.
func BenchmarkReading(b *testing.B) {
	f := newFixture(b)
	f.commit("base")
	cmd := exec.Command("git", "fast-import", "--quiet")
	cmd.Dir, cmd.Env, cmd.Stdin = f.dir, f.env, strings.NewReader(longStream(5000))
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	f.run("checkout", "-q", "big")
	f.run("repack", "-adq")
	f.run("pack-refs", "--all")
	head := must[Head](b)(f.open().Head(b.Context())).Commit
	base := must[[]Commit](b)(f.open().Log(b.Context(), "", head, 51))[50].OID
	ctx := b.Context()
	for _, q := range []struct {
		name string
		ask  func(r *repo) error
	}{
		{"HEAD", func(r *repo) error { _, err := r.Head(ctx); return err }},
		{"references", func(r *repo) error { _, err := r.Refs(ctx, "refs/"); return err }},
		{"commit", func(r *repo) error { _, err := r.ReadCommit(ctx, head); return err }},
		{"file", func(r *repo) error { _, err := r.ReadFile(ctx, head, "d7/f7"); return err }},
		{"tree of 160 directories", func(r *repo) error { _, err := r.ReadTree(ctx, head); return err }},
		{"log of 50 from a base", func(r *repo) error { _, err := r.Log(ctx, base, head, 1000); return err }},
		{"log of 1000 of 5000", func(r *repo) error { _, err := r.Log(ctx, "", head, 1000); return err }},
	} {
		b.Run(q.name, func(b *testing.B) {
			var times [2]time.Duration
			for b.Loop() {
				for i, engine := range []string{"git", "go-git"} {
					start := time.Now()
					if err := q.ask(reopened(f, engine)); err != nil {
						b.Fatal(err)
					}
					times[i] += time.Since(start)
				}
			}
			b.ReportMetric(float64(times[0].Microseconds())/float64(b.N)/1000, "git-ms")
			b.ReportMetric(float64(times[1].Microseconds())/float64(b.N)/1000, "go-git-ms")
			b.ReportMetric(float64(times[1])/float64(times[0]), "ratio")
		})
	}
}

// reopened opens the repository with an engine, in its own way of finding it.
func reopened(f *fixture, engine string) *repo {
	r := &repo{git: f.git}
	if engine == "git" {
		if err := r.discover(f.t.Context(), f.dir); err != nil {
			f.t.Fatal(err)
		}
		r.stored = installed{r}
		return r
	}
	var certain bool
	if r.info, certain = find(f.dir); !certain {
		f.t.Fatal("the fixture is not plain")
	}
	r.stored = r.engine()
	return r
}

func longStream(commits int) string {
	var in strings.Builder
	for i := range commits {
		fmt.Fprintf(&in, "commit refs/heads/big\nmark :%d\ncommitter A <a@b> %d +0000\ndata 7\nmessage\n", i+1, 1700000000+i)
		for n := range 8 {
			k := (i*8 + n) % 4000
			fmt.Fprintf(&in, "M 644 inline d%d/f%d\ndata <<E\n%s%d %d\nE\n", k%160, k, strings.Repeat("a line\n", 20), i, n)
		}
		in.WriteString("\n")
		if i%25 == 0 {
			fmt.Fprintf(&in, "reset refs/tags/t%d\nfrom :%d\n\n", i, i+1)
		}
	}
	return in.String()
}
