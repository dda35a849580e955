package coord_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// source is one parsed Go file of the module. Its path is relative to the
// module's root and uses slashes.
type source struct {
	path  string
	pkg   string // directory of the file, "." for the root package
	test  bool   // a test file, or part of the test support package
	lines int
	fset  *token.FileSet
	ast   *ast.File
}

func parseSource(name string, text []byte) (source, error) {
	s := source{path: name, pkg: path.Dir(name), fset: token.NewFileSet()}
	s.test = strings.HasSuffix(name, "_test.go") || s.pkg == testSupport
	s.lines = strings.Count(string(text), "\n")
	var err error
	s.ast, err = parser.ParseFile(s.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	return s, err
}

func (s source) at(n ast.Node) string {
	return fmt.Sprintf("%s:%d", s.path, s.fset.Position(n.Pos()).Line)
}

func (s source) span(n ast.Node) int {
	return s.fset.Position(n.End()).Line - s.fset.Position(n.Pos()).Line + 1
}

// moduleSources reads every Go file of the module for every system: build
// constraints are ignored. Fixtures and nested modules are not ours to judge.
func moduleSources(t *testing.T) []source {
	t.Helper()
	var all []source
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if foreignDir(name) {
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		s, err := parseSource(filepath.ToSlash(name), text)
		all = append(all, s)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func foreignDir(name string) bool {
	base := filepath.Base(name)
	if name == "." {
		return false
	}
	if base == "testdata" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
		return true
	}
	_, err := os.Stat(filepath.Join(name, "go.mod"))
	return err == nil
}

// houseRules are the rules that one file can be judged by. Each returns one
// sentence per breach, beginning with file:line.
var houseRules = []func(source) []string{
	checkImports, checkStandardImports, checkCalls, checkNames, checkSizes,
}

func TestHouseRules(t *testing.T) {
	for _, s := range moduleSources(t) {
		for _, rule := range houseRules {
			for _, breach := range rule(s) {
				t.Error(breach)
			}
		}
	}
}

// TestHouseSizes reports what the ceilings do not show: the usual size.
func TestHouseSizes(t *testing.T) {
	var files, funcs []int
	for _, s := range moduleSources(t) {
		if s.test || ast.IsGenerated(s.ast) {
			continue
		}
		files = append(files, s.lines)
		for _, d := range s.ast.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				funcs = append(funcs, s.span(f))
			}
		}
	}
	t.Logf("%d files, median %d lines; %d functions, median %d lines", len(files), median(files), len(funcs), median(funcs))
}

func median(n []int) int {
	if len(n) == 0 {
		return 0
	}
	slices.Sort(n)
	return n[len(n)/2]
}

// standardLimits are packages of the standard library that only some of ours
// may import.
var standardLimits = []struct {
	prefix string
	only   []string
	reason string
}{
	{"database/sql", []string{"server/store"}, "SQL stays in one place, so that the storage can change"},
	{"os/exec", []string{"gitops", "worktree", "proc", "cmd/coord"}, "child processes are started where they are also ended"},
	{"plugin", nil, "one static binary loads nothing"},
}

func checkStandardImports(s source) []string {
	if s.test {
		return nil
	}
	var out []string
	for _, spec := range s.ast.Imports {
		for _, limit := range standardLimits {
			if under(importPath(spec), limit.prefix) && !slices.Contains(limit.only, s.pkg) {
				out = append(out, fmt.Sprintf("%s: %s may not import %s: %s", s.at(spec), s.pkg, importPath(spec), limit.reason))
			}
		}
	}
	return out
}

// callLimits are functions that only some packages or files may name, as a
// call or as a value.
var callLimits = []struct {
	pkg    string
	names  []string
	only   []string // packages, or single files
	reason string
}{
	{"os", []string{"Exit"}, []string{"cmd/coord"}, "everything else returns an error"},
	{"log", []string{"Fatal", "Fatalf", "Fatalln"}, []string{"cmd/coord"}, "it ends the process; return an error"},
	{
		"os",
		[]string{"Getenv", "LookupEnv", "Environ", "ExpandEnv", "UserHomeDir", "UserConfigDir", "UserCacheDir"},
		[]string{"cmd/coord"},
		"the environment is read once and handed down",
	},
	{
		"time",
		[]string{"Now", "Since", "Until"},
		[]string{"server/clock.go", "client/clock.go", "cmd/coord/clock.go"},
		"be handed now or a clock",
	},
}

func checkCalls(s source) []string {
	if s.test {
		return nil
	}
	names := importNames(s.ast)
	var out []string
	ast.Inspect(s.ast, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		x, ok := sel.X.(*ast.Ident)
		if !ok {
			return true
		}
		for _, limit := range callLimits {
			if names[x.Name] == limit.pkg && slices.Contains(limit.names, sel.Sel.Name) &&
				!slices.Contains(limit.only, s.pkg) && !slices.Contains(limit.only, s.path) {
				out = append(out, fmt.Sprintf("%s: %s.%s only in %s: %s", s.at(sel), limit.pkg, sel.Sel.Name, strings.Join(limit.only, ", "), limit.reason))
			}
		}
		return true
	})
	return out
}

// importNames maps the name a file uses to the path it imports. A dot import
// would hide calls, so it maps to a name that checkNames refuses.
func importNames(f *ast.File) map[string]string {
	names := map[string]string{}
	for _, spec := range f.Imports {
		name := path.Base(importPath(spec))
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = importPath(spec)
	}
	return names
}

var emptyNames = []string{"util", "utils", "common", "helper", "helpers", "models", "interfaces", "misc"}

func checkNames(s source) []string {
	var out []string
	stem := strings.TrimSuffix(strings.TrimSuffix(path.Base(s.path), ".go"), "_test")
	for _, name := range []string{path.Base(s.pkg), s.ast.Name.Name, stem} {
		if slices.Contains(emptyNames, name) {
			out = append(out, fmt.Sprintf("%s: %q says nothing; name what it holds", s.at(s.ast.Name), name))
		}
	}
	for _, spec := range s.ast.Imports {
		if spec.Name != nil && spec.Name.Name == "." {
			out = append(out, fmt.Sprintf("%s: a dot import hides where a name comes from", s.at(spec)))
		}
	}
	return out
}

// Ceilings. The aim is a median of 120 lines a file and 12 a function.
const (
	maxFileLines = 500
	maxFuncLines = 80
	maxParams    = 5
)

func checkSizes(s source) []string {
	if s.test || ast.IsGenerated(s.ast) {
		return nil
	}
	var out []string
	if s.lines > maxFileLines {
		out = append(out, fmt.Sprintf("%s: %d lines; a file answers one question in at most %d", s.at(s.ast.Name), s.lines, maxFileLines))
	}
	ast.Inspect(s.ast, func(n ast.Node) bool {
		var typ *ast.FuncType
		switch f := n.(type) {
		case *ast.FuncDecl:
			typ = f.Type
		case *ast.FuncLit:
			typ = f.Type
		default:
			return true
		}
		if lines := s.span(n); lines > maxFuncLines {
			out = append(out, fmt.Sprintf("%s: a function of %d lines; at most %d", s.at(n), lines, maxFuncLines))
		}
		if params := typ.Params.NumFields(); params > maxParams {
			out = append(out, fmt.Sprintf("%s: %d parameters; at most %d", s.at(n), params, maxParams))
		}
		return true
	})
	return out
}
