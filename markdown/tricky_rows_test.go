package markdown

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
)

// noRow are the numbers that the design's table of tricky inputs, which goes to
// lastRow, has left out.
var noRow = []int{10, 12, 27, 31, 34, 38, 40, 46, 49, 51, 54}

const lastRow = 58

var rowNumber = regexp.MustCompile(`^(\d+) `)

// rowNames are what the tests of this package call the rows of their tables:
// the first text of a row, the keys of a map, and the names of sub-tests.
func rowNames(f *ast.File) []string {
	var names []string
	add := func(e ast.Expr) {
		if l, ok := e.(*ast.BasicLit); ok && l.Kind == token.STRING {
			name, _ := strconv.Unquote(l.Value)
			names = append(names, name)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			if n.Type == nil && len(n.Elts) > 0 {
				add(n.Elts[0])
			}
		case *ast.KeyValueExpr:
			add(n.Key)
		case *ast.CallExpr:
			if s, ok := n.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Run" {
				add(n.Args[0])
			}
		}
		return true
	})
	return names
}

// Every row of the design's table of tricky inputs is the row of a test, and no
// test is named after a row that there is not.
func TestEveryTrickyRowIsTested(t *testing.T) {
	files, err := filepath.Glob("*_test.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no tests: %v", err)
	}
	tested := map[int]string{}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rowNames(f) {
			if m := rowNumber.FindStringSubmatch(row); m != nil {
				n, _ := strconv.Atoi(m[1])
				tested[n] = row
			}
		}
	}
	for n := 1; n <= lastRow; n++ {
		if row, ok := tested[n]; ok == slices.Contains(noRow, n) {
			t.Errorf("row %d: tested %t, as %q", n, ok, row)
		}
	}
}
