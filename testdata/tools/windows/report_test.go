package main

import (
	"strings"
	"testing"
)

// A whole test counts once, each script counts, and a skip has its reason.
func TestCounted(t *testing.T) {
	c := &counted{name: "x"}
	err := c.read(strings.NewReader(strings.Join([]string{
		`{"Action":"pass","Package":"p","Test":"TestA/one"}`,
		`{"Action":"pass","Package":"p","Test":"TestA"}`,
		`{"Action":"output","Package":"p","Test":"TestScript/run","Output":"=== RUN   TestScript/run\n"}`,
		`{"Action":"output","Package":"p","Test":"TestScript/run","Output":"    SKIP: needs a hook\n"}`,
		`{"Action":"output","Package":"p","Test":"TestScript/run","Output":"--- SKIP: TestScript/run (0.00s)\n"}`,
		`{"Action":"skip","Package":"p","Test":"TestScript/run"}`,
		`{"Action":"pass","Package":"p","Test":"TestScript/story"}`,
		`{"Action":"pass","Package":"p","Test":"TestScript"}`,
		`{"Action":"pass","Package":"p"}`,
		`{"Action":"fail","Package":"q"}`,
	}, "\n")))
	if err != nil || c.passed != 2 || c.skipped != 1 || c.failed != 1 || c.why[0] != "p run: SKIP: needs a hook" {
		t.Errorf("%+v, %v", c, err)
	}
	if tally.sum(tally{c}) == nil {
		t.Error("a package that fails is passed over")
	}
}
