package gitops

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
)

// TestWalkIsGitsOrder makes histories of all forms in one repository and asks
// for parts of them.
func TestWalkIsGitsOrder(t *testing.T) {
	f := newFixture(t)
	var in strings.Builder
	parents := 0
	for seed := range uint64(20) {
		parents += drawHistory(&in, rand.New(rand.NewPCG(seed, 1)), parents)
	}
	cmd := exec.Command("git", "fast-import", "--quiet")
	cmd.Dir, cmd.Env, cmd.Stdin = f.dir, f.env, strings.NewReader(in.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	r := f.open().(*repo)
	lost := &repo{git: New([]string{"PATH="}), info: r.info}
	lost.stored = &inProcess{git: installed{lost}}
	refs := must[map[string]OID](t)(r.Refs(t.Context(), "refs/heads/"))
	tip := func(i int) OID { return refs[fmt.Sprintf("refs/heads/h%d", i)] }
	compared := 0
	for i := 0; i < parents; i += 1 + parents/60 {
		for _, from := range []OID{"", tip(max(0, i-3)), tip(max(0, i-17)), tip(min(parents-1, i+2))} {
			for _, limit := range []int{1000, 4} {
				want := must[[]Commit](t)(installed{r}.history(t.Context(), span{from, tip(i), limit}))
				got := must[[]Commit](t)(lost.stored.history(t.Context(), span{from, tip(i), limit}))
				same(t, fmt.Sprintf("%s..h%d", from, i), commitsText(got), commitsText(want))
				compared += len(want)
			}
		}
	}
	if compared < 500 {
		t.Errorf("only %d commits were compared", compared)
	}
}

// drawHistory writes commits whose parents and dates are random, and says how
// many. Each has a branch named after its number.
func drawHistory(in *strings.Builder, random *rand.Rand, start int) int {
	commits := 2 + random.IntN(28)
	for i := range commits {
		fmt.Fprintf(in, "commit refs/heads/h%d\nmark :%d\ncommitter A <a@b> %d +0000\ndata 1\nx\n", start+i, start+i+1, 1700000000+random.IntN(10000))
		word := "from"
		for _, back := range random.Perm(6)[:random.IntN(4)] {
			if p := i - 1 - back; p >= 0 {
				fmt.Fprintf(in, "%s :%d\n", word, start+p+1)
				word = "merge"
			}
		}
		in.WriteString("\n")
	}
	return commits
}

func TestWalkStopsInTime(t *testing.T) {
	chain := func(o OID) (Commit, error) {
		var n int
		fmt.Sscan(string(o), &n)
		return Commit{OID: o, Parents: []OID{OID(fmt.Sprint(n + 1))}}, nil
	}
	got, err := walk(span{"5", "0", 100}, 10, chain)
	if err != nil || len(got) != 5 {
		t.Errorf("%v, %v", got, err)
	}
	for _, s := range []span{{"", "0", 1}, {"11", "0", 1}} {
		if got, err := walk(s, 10, chain); err == nil {
			t.Errorf("%v gives %v of a history that has no end", s, got)
		}
	}
}
