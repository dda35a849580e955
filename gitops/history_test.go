package gitops

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"coord"
)

func TestHistory(t *testing.T) {
	f := newFixture(t)
	f.run("config", "log.follow", "true")
	f.run("config", "color.ui", "always")
	first := f.commit("one", "old.md", "1\n")
	f.run("mv", "old.md", "doc.md")
	second := f.commit("two")
	f.run("checkout", "-q", "-b", "side", string(first))
	f.commit("side", "doc.md", "side\n")
	f.run("checkout", "-q", "main")
	third := f.commit("three", "doc.md", "3\n")
	f.run("merge", "-q", "-s", "ours", "--no-edit", "side")
	f.remove("doc.md")
	gone := f.commit("gone")
	r := f.open().(*repo)

	var got []string
	for _, v := range must[[]version](t)(r.history(t.Context(), third, "doc.md", 10)) {
		got = append(got, fmt.Sprint(v.Commit.Short(), " ", v.When.IsZero()))
	}
	same(t, "until three", got, []string{third.Short() + " false", second.Short() + " false"})
	all := must[[]version](t)(r.history(t.Context(), gone, "doc.md", 10))
	if all[0].Commit != gone || all[0].Blob != "" {
		t.Errorf("the newest version is %+v, not the removal", all[0])
	}
	for _, test := range []struct {
		text string
		at   OID
		want bool
	}{{"1\n", third, true}, {"3\n", gone, true}, {"side\n", gone, true}, {"side\n", third, false}, {"3\n", second, false}, {"never\n", gone, false}} {
		has := must[bool](t)(r.Had(t.Context(), test.at, "doc.md", sum(test.text), 10))
		same(t, test.text, has, test.want)
	}
	dates := must[map[string]time.Time](t)(r.Changed(t.Context(), third, []string{"doc.md", "old.md", "never.md"}))
	for name, at := range map[string]OID{"doc.md": third, "old.md": second} {
		same(t, name, dates[name], must[Commit](t)(r.ReadCommit(t.Context(), at)).Committer.When.UTC())
	}
	same(t, "files with a date", len(dates), 2)
	_, err := r.history(t.Context(), OID(strings.Repeat("1", 40)), "doc.md", 1)
	wantCode(t, err, coord.CodeNotFound)
}

func TestFiles(t *testing.T) {
	f := newFixture(t)
	f.commit("base", "a.md", "", "d/b.md", "", ".gitignore", "*.log\n/out/\n")
	f.write("new ü.md", "")
	f.write("x.log", "")
	f.write("out/c.md", "")
	f.run("init", "-q", filepath.Join(f.dir, "inner"))
	f.write("inner/d.md", "")
	r := f.open().(*repo)
	same(t, "files", must[[]string](t)(r.Files(t.Context())), []string{".gitignore", "a.md", "d/b.md", "new ü.md"})
}

func sum(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }
