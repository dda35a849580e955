package gitops

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// What may be used of go-git: reading what a repository stores. The root
// package holds Repository and Worktree, whose methods lose work; see
// docs/decisions/0001-git-engine.md and the tripwires.
var usedOfGoGit = []string{
	"github.com/go-git/go-git/v5/plumbing",
	"github.com/go-git/go-git/v5/plumbing/cache",
	"github.com/go-git/go-git/v5/plumbing/format/idxfile",
	"github.com/go-git/go-git/v5/plumbing/format/objfile",
	"github.com/go-git/go-git/v5/plumbing/format/packfile",
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit",
	"github.com/go-git/go-billy/v5",
	"github.com/go-git/go-billy/v5/osfs",
}

// bannedCalls are methods of go-git that nothing here may call, by the
// beginning of their names.
var bannedCalls = []string{
	"Add", "Checkout", "Clean", "Commit", "Move", "Pull", "Remove", "Reset", "Restore", "Status", // Worktree
	"Fetch", "Merge", "Push", "Prune", "CreateBranch", "DeleteBranch", "CreateTag", "DeleteTag", "RepackObjects", // Repository
	"SetRef", "CheckAndSetReference", "PackRefs", "SetEncodedObject", "SetIndex", "SetConfig", "SetShallow", // Storer
	"DeleteLooseObject", "DeleteOldObjectPackAndIndex", "PackfileWriter", "LazyWriter", "Init", // and of DotGit:
	"ObjectDelete", "NewObjectPack", "ConfigWriter", "IndexWriter", "ShallowWriter",
}

// tripwireFile is where go-git is made to misbehave on purpose.
const tripwireFile = "gitops/tripwire_test.go"

func TestGoGitOnlyReads(t *testing.T) {
	uses := 0
	err := filepath.WalkDir("..", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(p, ".."+string(filepath.Separator)))
		if d.IsDir() {
			if base := d.Name(); base == "testdata" || base == "node_modules" || (strings.HasPrefix(base, ".") && base != "..") {
				return fs.SkipDir
			}
			return nil
		}
		if filepath.Ext(p) != ".go" || name == tripwireFile {
			return nil
		}
		found, used := misuse(t, p, nil)
		for _, f := range found {
			t.Error(f)
		}
		uses += used
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if uses == 0 {
		t.Error("no file uses go-git; this test looks in the wrong place")
	}
}

// misuse gives what is wrong with a file, and how much of go-git it imports.
func misuse(t *testing.T, name string, text any) (wrong []string, uses int) {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	packages := map[string]bool{}
	for _, spec := range file.Imports {
		at, _ := strconv.Unquote(spec.Path.Value)
		if !strings.HasPrefix(at, "github.com/go-git/") {
			packages[importedAs(spec, at)] = true
			continue
		}
		uses++
		if !slices.Contains(usedOfGoGit, at) || (spec.Name != nil && spec.Name.Name == ".") {
			wrong = append(wrong, fmt.Sprintf("%s: %s is not for reading", set.Position(spec.Pos()), at))
		}
	}
	if uses == 0 {
		return nil, 0
	}
	ast.Inspect(file, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if call, is := n.(*ast.CallExpr); is {
			if s, ok = call.Fun.(*ast.SelectorExpr); ok && s.Sel.Name != "Commit" {
				return true // met again below
			}
		} else if ok && s.Sel.Name == "Commit" {
			return true // a field of ours, unless it is called
		}
		if !ok {
			return true
		}
		if x, plain := s.X.(*ast.Ident); plain && packages[x.Name] {
			return true // a function of another package
		}
		for _, banned := range bannedCalls {
			if strings.HasPrefix(s.Sel.Name, banned) && s.Sel.Name != "CommitObject" {
				wrong = append(wrong, fmt.Sprintf("%s: %s may be go-git's, which loses work", set.Position(s.Pos()), s.Sel.Name))
			}
		}
		return true
	})
	return wrong, uses
}

func importedAs(spec *ast.ImportSpec, at string) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	return at[strings.LastIndex(at, "/")+1:]
}

func TestGoGitOnlyReads_FindsMisuse(t *testing.T) {
	const head = "package x\nimport \"errors\"\nimport \"github.com/go-git/go-git/v5/storage/filesystem/dotgit\"\n"
	for text, wrong := range map[string]int{
		head + "func f(s *dotgit.DotGit) { s.SetReference(nil) }":                                         1,
		head + "func f(s *dotgit.DotGit) { g := s.SetReference; _ = g }":                                  1,
		head + "func f(w T) { w.Checkout(nil); w.AddGlob(\"\"); w.RemoveGlob(\"\"); w.Commit(h.Commit) }": 4,
		head + "func f(s *dotgit.DotGit) { s.EncodedObject(0, h); errors.Reset(); s.Close() }":            0,
		head + "func f(s T) { s.SetEncodedObject(nil); _ = dotgit.CommitObject }":                         1,
		"package x\nimport git \"github.com/go-git/go-git/v5\"\n":                                         1,
		"package x\nimport _ \"github.com/go-git/go-git/v5/plumbing/transport/ssh\"\n":                    1,
		"package x\nfunc f(w T) { w.Push() }":                                                             0,
	} {
		if found, _ := misuse(t, "x.go", text); len(found) != wrong {
			t.Errorf("%s\nfound %q, want %d", text, found, wrong)
		}
	}
}
