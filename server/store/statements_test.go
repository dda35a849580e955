package store

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// guardedUpdate is a statement that changes a record which decisions are made
// on.
var guardedUpdate = regexp.MustCompile(`^\s*(UPDATE|DELETE FROM) (attempts|tasks|submissions|landings|decisions|blockers|reservations|jobs)\b`)

// manyRows are the functions that change any number of rows on purpose, with
// the reason why no precondition is lost by it.
var manyRows = map[string]string{
	"endOthersAs":      "the task itself is taken away, whoever holds it",
	"carryOver":        "the guard is the fence of the attempt that the same transaction ended",
	"carryObligations": "the same, for what the attempt answered for",
	"freeDependents":   "every dependent counts one open dependency less",
	"moveChildren":     "every child counts for the successor as it did before",
	"liftAll":          "the task is closed, and with it all that blocked it",
	"acceptCriteria":   "the review that is open reads the criteria anew",
}

// statement is the string literals of an expression, joined: the parts of a
// query that is put together.
func statement(e ast.Expr) string {
	var parts []string
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); n.Kind == token.STRING && err == nil {
				parts = append(parts, text)
			}
		case *ast.Ident:
			if n.Name == "stillLive" {
				parts = append(parts, stillLive)
			}
		}
		return true
	})
	return strings.Join(parts, "")
}

// TestL2_EveryStatementCarriesItsPrecondition reads the store's own code: what
// changes a guarded record goes through change, which wants exactly one row,
// and names more of the record than its id.
func TestL2_EveryStatementCarriesItsPrecondition(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, e.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(f, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || len(call.Args) == 0 {
					return true
				}
				how, ok := call.Fun.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				query := statement(call.Args[0])
				if !guardedUpdate.MatchString(query) {
					return true
				}
				found++
				if breach := checkStatement(f.Name.Name, how.Sel.Name, query); breach != "" {
					t.Errorf("%s: %s: %s", fset.Position(call.Pos()), breach, query)
				}
				return true
			})
		}
	}
	if found < 20 {
		t.Errorf("only %d statements were found", found)
	}
}

func checkStatement(function, method, query string) string {
	_, where, ok := strings.Cut(query, "WHERE ")
	switch {
	case !ok:
		return "it has no precondition"
	case method != "change" && manyRows[function] == "":
		return "it may change any number of rows"
	case method == "change" && !strings.Contains(where, " AND "):
		return "its precondition is the id alone"
	}
	return ""
}

// TestL2 seeds one breach of each kind.
func TestL2_StatementRulesCatch(t *testing.T) {
	for _, c := range []struct{ function, method, query, want string }{
		{"end", "change", "UPDATE attempts SET ended = ? WHERE id = ? AND ended IS NULL", ""},
		{"end", "change", "UPDATE attempts SET ended = ?", "it has no precondition"},
		{"end", "change", "UPDATE attempts SET ended = ? WHERE id = ?", "its precondition is the id alone"},
		{"end", "exec", "UPDATE attempts SET ended = ? WHERE id = ? AND ended IS NULL", "it may change any number of rows"},
		{"endOthersAs", "exec", "UPDATE attempts SET ended = ? WHERE task = ? AND ended IS NULL", ""},
	} {
		if got := checkStatement(c.function, c.method, c.query); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.method, c.query, got, c.want)
		}
	}
}
