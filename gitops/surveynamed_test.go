package gitops

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"
)

// TestV3_SurveyOfNamedFiles changes a work tree and its index in every way that
// leaves plain files and links, and holds the survey of what status names
// against adding everything.
func TestV3_SurveyOfNamedFiles(t *testing.T) {
	f := newFixture(t)
	f.commit("base", "a", "a", "b.txt", "b", "d/a", "a", "d/e/a", "a", "d-e/a", "a", "z/y/x/w", "w", ".gitattributes", "*.txt text=auto\nd/* -text\n", "crlf.txt", "1\r\n")
	r := f.open().(*repo)
	at := rand.New(rand.NewPCG(1, 2))
	places := []string{"a", "b.txt", "d", "d/a", "d/e", "d/e/a", "d/n.txt", "d-e/a", "d.e", "new/n", "new/m/n", "z", "z/y/x/w", "crlf.txt", "d/.gitattributes", "odd \"name\n"}
	for round := range 60 {
		name := places[at.IntN(len(places))]
		if !isUnix && strings.Contains(name, "\n") {
			continue
		}
		did := disturb(f, name, at.IntN(9), round)
		if at.IntN(3) > 0 {
			continue // several at once
		}
		tree, changed := byAdding(t, r)
		got, err := r.surveyNamed(t.Context())
		if err != nil {
			if !attributesGone(f) {
				t.Errorf("round %d, %s: %v", round, did, err)
			}
			continue
		}
		same(t, fmt.Sprintf("round %d, %s: tree", round, did), got.Tree, tree)
		same(t, fmt.Sprintf("round %d, %s: changed", round, did), strings.Join(got.Changed, "|"), strings.Join(changed, "|"))
	}
}

// attributesGone reports a .gitattributes that only the index has.
func attributesGone(f *fixture) bool {
	return strings.Contains(f.run("ls-files", "--deleted"), ".gitattributes")
}

func byAdding(t *testing.T, r *repo) (OID, []string) {
	t.Helper()
	s, err := r.surveyAll(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s.Tree, s.Changed
}

// disturb does one thing to a path and says which.
func disturb(f *fixture, name string, what, round int) string {
	switch what {
	case 0, 1, 2:
		clear(f, name)
		f.write(name, fmt.Sprintf("%d\r\n", round))
		return "write " + name
	case 3:
		clear(f, name)
		return "remove " + name
	case 4:
		_, _ = f.try(f.dir, "add", "-A", "--", name)
		return "add " + name
	case 5:
		_, _ = f.try(f.dir, "rm", "-rq", "--cached", "--", name)
		return "rm --cached " + name
	case 6:
		if st, err := os.Lstat(f.path(name)); err == nil && st.Mode().IsRegular() {
			chmod(f, name, 0o644|os.FileMode(round%2)*0o111)
		}
		return "chmod " + name
	case 7:
		if _, err := os.Lstat(f.path(name)); err != nil || !isUnix || strings.HasSuffix(name, "attributes") {
			return "nothing"
		}
		f.removeAll(f.path(name))
		symlink(f, "a", name)
		return "link " + name
	}
	_, _ = f.try(f.dir, "commit", "-qm", "more")
	return "commit"
}

// clear makes room for a file: what lies above it must be directories, and it
// must not be one.
func clear(f *fixture, name string) {
	for i, c := range name {
		if st, err := os.Lstat(f.path(name[:i])); c == '/' && err == nil && !st.IsDir() {
			f.removeAll(f.path(name[:i]))
		}
	}
	if _, err := os.Lstat(f.path(name)); err == nil {
		f.removeAll(f.path(name))
	}
}

// TestSurveyGoesByAllFiles has what a status does not settle.
func TestSurveyGoesByAllFiles(t *testing.T) {
	for _, s := range []shape{
		{name: "attributes deleted", base: []string{".gitattributes", "*.txt text\n", "a.txt", "a\n"}, make: func(f *fixture) {
			f.remove(".gitattributes")
			f.write("a.txt", "1\r\n")
		}},
		{name: "a directory in other letters", base: []string{"Dir/a", "a"}, make: func(f *fixture) {
			f.run("config", "core.ignoreCase", "true")
			f.removeAll(f.path("Dir"))
			f.write("dir/b", "b")
		}},
		{name: "submodule", make: func(f *fixture) { submodule(f, "sub") }},
		{name: "assume unchanged", make: func(f *fixture) { f.run("update-index", "--assume-unchanged", "a.txt"); f.write("a.txt", "x") }},
		{name: "intent to add", make: func(f *fixture) { f.write("n", "n"); f.run("add", "-N", "n") }},
	} {
		t.Run(s.name, func(t *testing.T) {
			f := s.build(t, false)
			if got, err := f.open().(*repo).surveyNamed(t.Context()); err == nil {
				t.Errorf("it is surveyed by name: %v", got)
			}
			s.check(t, f, false)
		})
	}
}

// TestV3_SurveyGoesByTheIndexOfTheUser has files of which their entry in the
// user's index decides what they become, or whether they are looked at.
func TestV3_SurveyGoesByTheIndexOfTheUser(t *testing.T) {
	for name, make := range map[string]func(f *fixture){
		"line ends that are stored stay": func(f *fixture) {
			f.commit("crlf", "a.txt", "1\r\n")
			f.commit("attributes", ".gitattributes", "* text=auto\n")
			f.write("a.txt", "2\r\n")
		},
		"a mode that the file system does not have": func(f *fixture) {
			f.commit("one", "a.txt", "1")
			f.run("update-index", "--chmod=+x", "a.txt")
			f.run("config", "core.fileMode", "false")
			f.write("a.txt", "22")
		},
		"changed in the second of the index": func(f *fixture) {
			then := time.Now().Add(-time.Hour).Truncate(time.Second)
			f.run("config", "core.trustCtime", "false")
			f.write("a.txt", "1")
			f.touch("a.txt", then)
			f.run("add", "a.txt")
			f.run("commit", "-qm", "one")
			f.touch(".git/index", then)
			f.write("a.txt", "2")
			f.touch("a.txt", then)
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			make(f)
			r := f.open().(*repo)
			tree, _ := byAdding(t, r)
			got, err := r.surveyNamed(t.Context())
			if err != nil || got.Tree != tree || strings.Join(got.Changed, "|") != "a.txt" {
				t.Errorf("%+v, %v; adding everything gives %s", got, err, tree)
			}
		})
	}
}

// TestStatusOfAnotherIndex is about a status that does not fit what was read.
func TestStatusOfAnotherIndex(t *testing.T) {
	one := blob{mode: 0o100644, name: [20]byte{1}}
	o := ownIndex{entries: []indexEntry{{path: "a"}}}
	copy(o.entries[0].fixed[atMode:], []byte{0, 0, 0x81, 0xa4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1})
	for name, test := range map[string]struct {
		n    named
		fits bool
	}{
		"the same":              {named{path: "a", index: one, dirty: true}, true},
		"untracked":             {named{path: "b", dirty: true}, true},
		"another content":       {named{path: "a", index: blob{mode: one.mode, name: [20]byte{2}}}, false},
		"not there any more":    {named{path: "a", dirty: true}, false},
		"not there when it was": {named{path: "b", index: one}, false},
	} {
		if err := o.fits([]named{test.n}); (err == nil) != test.fits {
			t.Errorf("%s: %v", name, err)
		}
	}
	var trees treeNamer
	if _, err := trees.of([]file{{"d", one}, {"d-e", one}, {"d/a", one}}); err == nil {
		t.Error("a tree has a file and a directory of one name")
	}
}

// What people have their status show beside files does not cost them the short
// way.
func TestSurveyWhileAStashIsShown(t *testing.T) {
	f := newFixture(t)
	f.commit("base", "a", "a")
	f.write("a", "b")
	f.run("stash", "-q")
	f.run("config", "status.showStash", "true")
	if _, err := f.open().(*repo).surveyNamed(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestSurveyOfAnotherIndex is about an index that is replaced while git looks.
func TestSurveyOfAnotherIndex(t *testing.T) {
	f := newFixture(t)
	f.commit("base", "a", "a")
	o, err := openOwnIndex(f.path(".git/index"))
	if err != nil {
		t.Fatal(err)
	}
	defer o.file.Close()
	if err := o.read(); err != nil || o.moved() {
		t.Fatalf("an index that nobody touched: %v, moved %v", err, o.moved())
	}
	f.write("b", "b")
	f.run("add", "b")
	if !o.moved() {
		t.Error("an index that git wrote anew is taken for the old one")
	}
}
