package coord_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// invariantGroups are the numbers that docs/src/invariants.md has a row for.
// Faults have no letter.
var invariantGroups = map[string]int{"L": 19, "P": 5, "J": 5, "V": 9, "K": 9, "D": 6, "I": 14, "C": 18, "": 88}

// pending are the numbers whose tests are still to come, and what they need.
// There are none: this is where one would be named.
var pending = map[string]string{}

var (
	invariantRow = regexp.MustCompile(`^\| ([LPJVKDIC]?)([0-9]+) \|.*\| ([^|]*) \|$`)
	quoted       = regexp.MustCompile("`([^`]+)`")
	testNumbers  = regexp.MustCompile(`^Test((?:(?:[LPJVKDIC]|Fault)[0-9]+(?:_[0-9]+)*_)+)`)
	sceneNumbers = regexp.MustCompile(`^(?:(?:[LPJVKDIC]|fault )[0-9]+:? )+`)
	sceneNumber  = regexp.MustCompile(`([LPJVKDIC]|fault )([0-9]+)`)
	oneNumber    = regexp.MustCompile(`([LPJVKDIC]|Fault)([0-9]+(?:_[0-9]+)*)_`)
)

// invariantRows are the tests that the chapter names, by number.
func invariantRows(text string) (map[string][]string, error) {
	rows := map[string][]string{}
	for line := range strings.Lines(text) {
		m := invariantRow.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		number := m[1] + m[2]
		if _, twice := rows[number]; twice {
			return nil, fmt.Errorf("%s has two rows", number)
		}
		rows[number] = []string{}
		for _, q := range quoted.FindAllStringSubmatch(m[3], -1) {
			rows[number] = append(rows[number], q[1])
		}
	}
	return rows, nil
}

// numbersOf are the numbers that a test's name begins with: L16 and 14 for
// TestL16_Fault14_ARestart, 31 and 32 for TestFault31_32_Keys.
func numbersOf(test string) (all []string) {
	m := testNumbers.FindStringSubmatch(test)
	if m == nil {
		return nil
	}
	for _, part := range oneNumber.FindAllStringSubmatch(m[1], -1) {
		for _, n := range strings.Split(part[2], "_") {
			all = append(all, strings.TrimPrefix(part[1], "Fault")+n)
		}
	}
	return all
}

// testIndex is every test of the module, with the texts of its file, in which
// the names of its rows must be.
type testIndex struct {
	texts map[string]map[string]bool // by PACKAGE.TestName
	suite map[string]bool            // texts of the conformance suite
}

func indexTests(sources []source) testIndex {
	x := testIndex{texts: map[string]map[string]bool{}, suite: map[string]bool{}}
	for _, s := range sources {
		if !s.test {
			continue
		}
		texts := literals(s)
		if s.pkg == testSupport {
			for text := range texts {
				x.suite[text] = true
			}
		}
		pkg := s.pkg
		if pkg == "." {
			pkg = "coord"
		}
		for _, d := range s.ast.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && (strings.HasPrefix(f.Name.Name, "Test") || strings.HasPrefix(f.Name.Name, "Fuzz")) {
				x.texts[pkg+"."+f.Name.Name] = texts
			}
		}
	}
	return x
}

func literals(s source) map[string]bool {
	texts := map[string]bool{}
	ast.Inspect(s.ast, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			if text, err := strconv.Unquote(l.Value); err == nil {
				texts[text] = true
			}
		}
		return true
	})
	return texts
}

// has reports whether a test that a row names is there.
func (x testIndex) has(name string) bool {
	if script, ok := strings.CutPrefix(name, "script/"); ok {
		_, err := os.Stat(filepath.Join("testdata", "script", script+".txtar"))
		return err == nil
	}
	if scene, ok := strings.CutPrefix(name, testSupport+"/"); ok {
		return x.suite[scene]
	}
	// A package has slashes too, and a row may have dots.
	dot := strings.Index(name, ".Test")
	if dot < 0 {
		dot = strings.Index(name, ".Fuzz")
	}
	if dot < 0 {
		return false
	}
	test, row, hasRow := strings.Cut(name[dot+1:], "/")
	texts, ok := x.texts[name[:dot]+"."+test]
	return ok && (!hasRow || texts[row])
}

// numbersOfScene are those that a scene of the conformance suite begins with:
// L14 and 23 for "L14 fault 23: with the last token ...".
func numbersOfScene(text string) (all []string) {
	for _, m := range sceneNumber.FindAllStringSubmatch(sceneNumbers.FindString(text), -1) {
		all = append(all, strings.TrimPrefix(m[1], "fault ")+m[2])
	}
	return all
}

// unlisted are the tests and scenes that are named after a number whose row
// does not list them, by number. Faults after the last row have no row here.
func (x testIndex) unlisted(rows map[string][]string) map[string][]string {
	out := map[string][]string{}
	check := func(name string, numbers []string) {
		listed := func(row string) bool { return row == name || strings.HasPrefix(row, name+"/") }
		for _, number := range numbers {
			if _, has := rows[number]; has && !slices.ContainsFunc(rows[number], listed) {
				out[number] = append(out[number], name)
			}
		}
	}
	for name := range x.texts {
		check(name, numbersOf(strings.TrimPrefix(path.Ext(name), ".")))
	}
	for scene := range x.suite {
		check(testSupport+"/"+scene, numbersOfScene(scene))
	}
	return out
}

// breaches says where the chapter and the tests differ.
func (x testIndex) breaches(rows map[string][]string, pending map[string]string) (out []string) {
	for group, last := range invariantGroups {
		for n := 1; n <= last; n++ {
			number := group + strconv.Itoa(n)
			tests, ok := rows[number]
			switch _, waits := pending[number]; {
			case !ok:
				out = append(out, number+" has no row")
			case len(tests) == 0 && !waits:
				out = append(out, number+" has no test")
			case len(tests) > 0 && waits:
				out = append(out, number+" has a test and is still pending")
			}
		}
	}
	for number, tests := range rows {
		for _, name := range tests {
			if !x.has(name) {
				out = append(out, fmt.Sprintf("%s names %s, which is not there", number, name))
			}
		}
	}
	for number, tests := range x.unlisted(rows) {
		for _, name := range tests {
			out = append(out, fmt.Sprintf("%s is named after %s, whose row does not list it", name, number))
		}
	}
	slices.Sort(out)
	return out
}

var listTests = flag.Bool("update", false, "list in docs/src/invariants.md the tests that are named after a number")

// listed is the chapter with tests added to the rows of their numbers.
func listed(text string, unlisted map[string][]string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		m := invariantRow.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		cells := m[3]
		for _, name := range slices.Sorted(slices.Values(unlisted[m[1]+m[2]])) {
			cells = strings.TrimPrefix(cells+", `"+name+"`", ", ")
		}
		lines[i] = strings.TrimSuffix(line, m[3]+" |") + cells + " |"
	}
	return strings.Join(lines, "\n")
}

// TestHouseInvariants holds docs/src/invariants.md to the tests.
func TestHouseInvariants(t *testing.T) {
	chapter := filepath.Join("docs", "src", "invariants.md")
	text, err := os.ReadFile(chapter)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := invariantRows(string(text))
	if err != nil {
		t.Fatal(err)
	}
	x := indexTests(moduleSources(t))
	if unlisted := x.unlisted(rows); *listTests && len(unlisted) > 0 {
		if err := os.WriteFile(chapter, []byte(listed(string(text), unlisted)), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Skip("the chapter was written; run again without -update")
	}
	for _, breach := range x.breaches(rows, pending) {
		t.Error(breach)
	}
}

// TestHouseInvariantsCatch seeds one breach of each kind.
func TestHouseInvariantsCatch(t *testing.T) {
	rows := map[string][]string{}
	for group, last := range invariantGroups {
		for n := 1; n <= last; n++ {
			rows[group+strconv.Itoa(n)] = []string{"client.TestL5_X/a row"}
		}
	}
	for _, c := range []struct {
		name, text string
		edit       func()
		waits      map[string]string
		want       string
	}{
		{"all is well", "TestL5_X", func() {}, nil, ""},
		{"no row", "TestL5_X", func() { delete(rows, "K3") }, nil, "K3 has no row"},
		{"no test", "TestL5_X", func() { rows["K3"] = nil }, nil, "K3 has no test"},
		{"pending", "TestL5_X", func() { rows["K3"] = nil }, map[string]string{"K3": "x"}, ""},
		{"not pending any more", "TestL5_X", func() {}, map[string]string{"K3": "x"}, "K3 has a test and is still pending"},
		{"renamed test", "TestL5_X", func() { rows["K3"] = []string{"client.TestK3_Y"} }, nil, "K3 names client.TestK3_Y, which is not there"},
		{"renamed row", "TestL5_X", func() { rows["K3"] = []string{"client.TestL5_X/another row"} }, nil, "K3 names client.TestL5_X/another row, which is not there"},
		{"no script", "TestL5_X", func() { rows["12"] = []string{"script/none"} }, nil, "12 names script/none, which is not there"},
		{"unlisted test", "TestL5_X", func() { rows["L5"] = []string{"script/story"} }, nil, "client.TestL5_X is named after L5, whose row does not list it"},
	} {
		s, err := parseSource("client/x_test.go", []byte("package client\nfunc "+c.text+"() { _ = \"a row\" }"))
		if err != nil {
			t.Fatal(err)
		}
		before := rows["K3"]
		l5, f12 := rows["L5"], rows["12"]
		c.edit()
		got := strings.Join(indexTests([]source{s}).breaches(rows, c.waits), "; ")
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
		rows["K3"], rows["L5"], rows["12"] = before, l5, f12
	}
	if got := numbersOf("TestL16_Fault14_31_X"); !slices.Equal(got, []string{"L16", "14", "31"}) {
		t.Errorf("numbers %q", got)
	}
	if got := numbersOfScene("L14 fault 23: with the last token, L1"); !slices.Equal(got, []string{"L14", "23"}) {
		t.Errorf("numbers of a scene %q", got)
	}
	if got := numbersOf("TestK9"); len(got) != 0 {
		t.Errorf("numbers %q", got)
	}
}
