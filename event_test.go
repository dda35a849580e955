package coord_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"coord"
)

// TestEventKindsAreAll reads the constants, so that none is left out of the
// list that callers are shown.
func TestEventKindsAreAll(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "event.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var declared []coord.EventKind
	ast.Inspect(file, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(v.Names[0].Name, "Event") || len(v.Values) != 1 {
			return true
		}
		if text, ok := v.Values[0].(*ast.BasicLit); ok {
			kind, _ := strconv.Unquote(text.Value)
			declared = append(declared, coord.EventKind(kind))
		}
		return true
	})
	slices.Sort(declared)
	if got := coord.EventKinds(); !slices.Equal(got, declared) || len(got) < 40 {
		t.Errorf("listed   %v\ndeclared %v", got, declared)
	}
}
