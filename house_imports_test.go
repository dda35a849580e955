package coord_test

import (
	"fmt"
	"go/ast"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// testSupport is the one package that ships in no binary: the conformance
// suite of coord.Service, run by the tests of every implementation.
const testSupport = "servicetest"

// room is one package of the house: where it stands and what it may reach.
type room struct {
	level   int
	pkg     string   // directory, "." for the root package
	module  []string // packages of this module it may import
	third   []string // import path prefixes of other modules it may import
	closed  string   // why no other package may import it
	nothing string   // if it imports nothing of this module: why
}

// house is the package map of CONTRIBUTING.md. Imports run downwards only.
var house = []room{
	{
		level: 0, pkg: ".",
		nothing: "the nouns and rules are plain values: standard library only",
		closed:  "it holds nouns and rules, and this package needs none of them",
	},
	{
		level: 0, pkg: "files", third: []string{"golang.org/x/sys"},
		nothing: "files know nothing of tasks",
		closed:  "the nouns and rules, what reads text and what shows pages touch no file",
	},
	{
		level: 1, pkg: "gitops", module: []string{".", "files"},
		third:  []string{"github.com/go-git/go-git/v5", "github.com/go-git/go-billy/v5"},
		closed: "Git runs where the code is, under the credentials there; the server and its shells never run it",
	},
	{
		level: 1, pkg: "markdown", module: []string{"."},
		third:  []string{"github.com/yuin/goldmark", "github.com/sergi/go-diff", "golang.org/x/text"},
		closed: "it turns bytes into records; only import, export and the pages that show them need it",
	},
	{
		level: 1, pkg: "client", module: []string{".", "files"},
		closed: "it is coord.Service over HTTP; callers below the command tree take the interface",
	},
	{
		level: 1, pkg: "templates",
		nothing: "it is embedded text without behaviour",
		closed:  "texts and pages are rendered by the commands and the dashboard only",
	},
	{
		level: 1, pkg: "proc", third: []string{"golang.org/x/sys"},
		nothing: "processes know nothing of tasks",
		closed:  "programs are run where the code is; only the command tree runs them",
	},
	{
		level: 1, pkg: testSupport, module: []string{"."},
		third:  []string{"github.com/google/go-cmp", "pgregory.net/rapid", "github.com/anishathalye/porcupine"},
		closed: "it is test support; nothing that ships may carry it",
	},
	{
		level: 2, pkg: "worktree", module: []string{".", "files", "gitops"},
		closed: "worktrees belong to one machine; only its command tree touches them",
	},
	{
		level: 3, pkg: "work", module: []string{".", "files", "gitops", "worktree"},
		closed: "an attempt's stages run where the code is; only the command tree starts them",
	},
	{
		level: 2, pkg: "server/store", module: []string{".", "files"},
		third:  []string{"modernc.org/sqlite", "github.com/pressly/goose/v3", "golang.org/x/crypto"},
		closed: "SQL stays behind coord.Service; only the assembly opens the store",
	},
	{
		level: 2, pkg: "server/api", module: []string{".", "markdown"},
		third:  []string{"github.com/go-chi/chi/v5", "github.com/danielgtaylor/huma/v2"},
		closed: "it is a shell over coord.Service; shells do not call each other",
	},
	{
		level: 2, pkg: "server/web", module: []string{".", "markdown", "templates"},
		third:  []string{"github.com/go-chi/chi/v5"},
		closed: "it is a shell over coord.Service; shells do not call each other",
	},
	{
		level: 3, pkg: "server",
		module: []string{".", "markdown", "templates", "server/store", "server/api", "server/web"},
		third:  []string{"github.com/go-chi/chi/v5"},
		closed: "the assembly is started by the command tree only",
	},
	{
		level: 4, pkg: "cmd/coord",
		module: []string{
			".", "files", "gitops", "markdown", "client", "proc", "templates", "worktree", "work",
			"server/store", "server/api", "server/web", "server",
		},
		third: []string{
			"github.com/spf13/cobra", "github.com/spf13/pflag", "github.com/BurntSushi/toml",
			"golang.org/x/sys", "github.com/rogpeppe/go-internal/txtar",
		},
		closed: "a main package is imported by nothing",
	},
}

// testThird are the modules that tests of any package may import, beside what
// their own package may.
var testThird = []string{
	"github.com/google/go-cmp", "pgregory.net/rapid", "github.com/rogpeppe/go-internal", "github.com/microcosm-cc/bluemonday",
	"github.com/chromedp/chromedp", "github.com/chromedp/cdproto", "golang.org/x/crypto/ssh",
}

func roomOf(pkg string) (room, bool) {
	i := slices.IndexFunc(house, func(r room) bool { return r.pkg == pkg })
	if i < 0 {
		return room{}, false
	}
	return house[i], true
}

// whyNot is the reason for a forbidden edge.
func whyNot(from, to room) string {
	if from.nothing != "" {
		return from.nothing
	}
	return to.closed
}

func checkImports(s source) []string {
	from, ok := roomOf(s.pkg)
	if !ok {
		return []string{fmt.Sprintf("%s: package %s is not in the package map; add a row to the table or put the file elsewhere", s.at(s.ast.Name), s.pkg)}
	}
	var out []string
	for _, spec := range s.ast.Imports {
		if reason := refuses(from, importPath(spec), s.test); reason != "" {
			out = append(out, fmt.Sprintf("%s: %s may not import %s: %s", s.at(spec), from.pkg, importPath(spec), reason))
		}
	}
	return out
}

// refuses returns why a package may not import a path, or "". Tests may join
// any packages of the module: that is what they are for.
func refuses(from room, imp string, test bool) string {
	if pkg, ours := inModule(imp); ours {
		to, known := roomOf(pkg)
		switch {
		case !known:
			return "it is not in the package map"
		case test && pkg != "cmd/coord" || pkg == from.pkg || slices.Contains(from.module, pkg):
			return ""
		}
		return whyNot(from, to)
	}
	if first, _, _ := strings.Cut(imp, "/"); !strings.Contains(first, ".") {
		return "" // standard library
	}
	allowed := from.third
	if test {
		allowed = slices.Concat(allowed, testThird)
	}
	for _, prefix := range allowed {
		if under(imp, prefix) {
			return ""
		}
	}
	return "a dependency is used where its table row says, so that it can be replaced there"
}

func inModule(imp string) (pkg string, ours bool) {
	if imp == "coord" {
		return ".", true
	}
	return strings.CutPrefix(imp, "coord/")
}

func under(imp, prefix string) bool {
	return imp == prefix || strings.HasPrefix(imp, prefix+"/")
}

func importPath(spec *ast.ImportSpec) string {
	p, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return spec.Path.Value
	}
	return p
}

// TestHouseMap holds the table itself: every row exists, edges run downwards,
// and every closed door says why.
func TestHouseMap(t *testing.T) {
	present := map[string]bool{}
	for _, s := range moduleSources(t) {
		present[s.pkg] = true
	}
	for _, from := range house {
		if !present[from.pkg] {
			t.Errorf("the package map has a row for %s, which has no Go file", from.pkg)
		}
		for _, pkg := range from.module {
			if to, ok := roomOf(pkg); !ok || to.level >= from.level {
				t.Errorf("%s may import %s, which is not below it", from.pkg, pkg)
			}
		}
		for _, to := range house {
			if from.pkg != to.pkg && !slices.Contains(from.module, to.pkg) && whyNot(from, to) == "" {
				t.Errorf("%s may not import %s, and the table does not say why", from.pkg, to.pkg)
			}
		}
	}
}

// TestHouseGuide asks for a line in CONTRIBUTING.md per package of the map and
// per direct requirement of go.mod.
func TestHouseGuide(t *testing.T) {
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	guide, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range house {
		if r.pkg != "." && !strings.Contains(string(guide), "| `"+r.pkg+"` |") {
			t.Errorf("CONTRIBUTING.md has no row for package %s", r.pkg)
		}
	}
	for line := range strings.Lines(string(mod)) {
		f := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require "))
		if len(f) != 2 || !strings.HasPrefix(f[1], "v") || !strings.Contains(f[0], ".") {
			continue // not a requirement, or one marked // indirect
		}
		if !strings.Contains(string(guide), "`"+f[0]+"`") {
			t.Errorf("CONTRIBUTING.md has no line for %s: what it is for, what it replaces, who keeps it", f[0])
		}
	}
}
