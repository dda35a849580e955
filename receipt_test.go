package coord_test

import (
	"fmt"
	"strings"
	"testing"

	"coord"
)

// oid makes an object id that differs for every n.
func oid(n int) coord.OID { return coord.OID(fmt.Sprintf("%040x", n)) }

var unitTest = coord.Check{Name: "test", Shell: "go test ./..."}

// passed is a receipt that counts for unitTest on the tree.
func passed(tree coord.OID) coord.Receipt {
	return coord.Receipt{Check: "test", Definition: unitTest.Digest(), Tree: tree, Result: coord.ResultPassed}
}

// TestV2_ReceiptCounts: for exactly its tree and its definition, nothing else.
func TestV2_ReceiptCounts(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(*coord.Receipt)
		want bool
	}{
		{"itself", func(*coord.Receipt) {}, true},
		{"from another commit of the same tree", func(r *coord.Receipt) { r.Commit = oid(9) }, true},
		{"other tree", func(r *coord.Receipt) { r.Tree = oid(2) }, false},
		{"no tree", func(r *coord.Receipt) { r.Tree = "" }, false},
		{"other definition", func(r *coord.Receipt) { r.Definition = strings.Repeat("0", 64) }, false},
		{"other check", func(r *coord.Receipt) { r.Check = "lint" }, false},
		{"failed", func(r *coord.Receipt) { r.Result = coord.ResultFailed }, false},
		{"interrupted", func(r *coord.Receipt) { r.Result = coord.ResultInterrupted }, false},
		{"skipped", func(r *coord.Receipt) { r.Result = coord.ResultSkipped }, false},
		{"changed files itself", func(r *coord.Receipt) { r.Changed = []string{"out.txt"} }, false},
	} {
		r := passed(oid(1))
		c.edit(&r)
		if got := r.Counts(unitTest.Require(), oid(1)); got != c.want {
			t.Errorf("%s: counts %v, want %v", c.name, got, c.want)
		}
	}
}

func TestMissingChecks(t *testing.T) {
	lint := coord.RequiredCheck{Name: "lint", Digest: strings.Repeat("1", 64)}
	required := []coord.RequiredCheck{unitTest.Require(), lint}
	failed := passed(oid(1))
	failed.Result = coord.ResultFailed
	for _, c := range []struct {
		name     string
		receipts []coord.Receipt
		want     string
	}{
		{"none", nil, "test lint"},
		{"one", []coord.Receipt{passed(oid(1))}, "lint"},
		{"for another tree", []coord.Receipt{passed(oid(2))}, "test lint"},
		{"failed, then passed", []coord.Receipt{failed, passed(oid(1))}, "lint"},
		{"failed", []coord.Receipt{failed}, "test lint"},
	} {
		var names []string
		for _, m := range coord.MissingChecks(required, c.receipts, oid(1)) {
			names = append(names, m.Name)
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s: missing %q, want %q", c.name, got, c.want)
		}
	}
	if missing := coord.MissingChecks(nil, nil, oid(1)); len(missing) != 0 {
		t.Errorf("nothing is required, and %v is missing", missing)
	}
}

func TestCheckDigestCoversTheDefinition(t *testing.T) {
	seen := map[string]string{}
	for name, c := range map[string]coord.Check{
		"base": unitTest, "name": {Name: "t", Shell: "go test ./..."}, "shell": {Name: "test", Shell: "go test"},
		"argv": {Name: "test", Argv: []string{"go", "test", "./..."}}, "argv split": {Name: "test", Argv: []string{"go test", "./..."}},
		"timeout": {Name: "test", Shell: "go test ./...", Timeout: 1}, "skip status": {Name: "test", Shell: "go test ./...", SkipStatus: 77},
		"fingerprint": {Name: "test", Shell: "go test ./...", Fingerprint: "go version"},
	} {
		if other, ok := seen[c.Digest()]; ok {
			t.Errorf("%s and %s have one digest", name, other)
		}
		seen[c.Digest()] = name
	}
}

func TestRunValidate(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(*coord.Run)
		ok   bool
	}{
		{"passed", func(*coord.Run) {}, true},
		{"failed", func(r *coord.Run) { r.Result, r.ExitStatus = coord.ResultFailed, 1 }, true},
		{"interrupted", func(r *coord.Run) { r.Result, r.ExitStatus = coord.ResultInterrupted, -1 }, true},
		{"passed with exit status 1", func(r *coord.Run) { r.ExitStatus = 1 }, false},
		{"skipped", func(r *coord.Run) { r.Result, r.ExitStatus = coord.ResultSkipped, 77 }, true},
		{"skipped with exit status 0", func(r *coord.Run) { r.Result = coord.ResultSkipped }, false},
		{"unknown result", func(r *coord.Run) { r.Result = "omitted" }, false},
		{"with its times", func(r *coord.Run) { r.StartedAt, r.EndedAt = runAt, runAt }, true},
		{"fault 57: end before start", func(r *coord.Run) { r.StartedAt, r.EndedAt = runAt, runAt.Add(-1) }, false},
		{"a start without an end", func(r *coord.Run) { r.StartedAt = runAt }, false},
		{"an end without a start", func(r *coord.Run) { r.EndedAt = runAt }, false},
		{"2,001 bytes of command", func(r *coord.Run) { r.Command = strings.Repeat("x", 2001) }, false},
		{"no result", func(r *coord.Run) { r.Result = "" }, false},
		{"no check", func(r *coord.Run) { r.Check = "" }, false},
		{"no definition", func(r *coord.Run) { r.Definition = "" }, false},
		{"short definition", func(r *coord.Run) { r.Definition = "abc" }, false},
		{"no tree", func(r *coord.Run) { r.Tree = "" }, false},
		{"abbreviated tree", func(r *coord.Run) { r.Tree = "9f2c41d" }, false},
		{"upper-case tree", func(r *coord.Run) { r.Tree = coord.OID(strings.Repeat("A", 40)) }, false},
		{"negative time", func(r *coord.Run) { r.DurationMS = -1 }, false},
		{"101 changed files", func(r *coord.Run) { r.Changed = make([]string, 101) }, false},
		{"machine not UTF-8", func(r *coord.Run) { r.Machine = "\xff" }, false},
	} {
		r := coord.Run{Check: "test", Definition: unitTest.Digest(), Tree: oid(1), Result: coord.ResultPassed, Machine: "m", Toolchain: "go"}
		c.edit(&r)
		checkValid(t, c.name, r.Validate(), c.ok)
	}
}
