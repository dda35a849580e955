package coord_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"coord"
)

func TestFault48_P3_NamesHaveOneSpelling(t *testing.T) {
	for given, want := range map[string]string{
		"gpu-0": "gpu-0", "GPU-0": "gpu-0", "Db/Main:5432": "db/main:5432", "a": "a", "x_y.z": "x_y.z",
		"gpu\u20100": "", "gpu\u20130": "", "gpu 0": "", " gpu-0": "", "gpu-0\n": "", "": "", "-gpu": "", "a..b": "", "gp\u00fc": "", "\u0261pu": "", "gpu-\u212a": "",
		strings.Repeat("a", 200): strings.Repeat("a", 200), strings.Repeat("a", 201): "", "gpu\x00": "", "gpu=1": "",
	} {
		got, err := coord.CanonicalResource(given)
		if got != want || (err == nil) != (want != "") || err != nil && coord.CodeOf(err) != coord.CodeBadRequest {
			t.Errorf("%q gives %q, %v; want %q", given, got, err, want)
		}
	}
}

// FuzzP3_CanonicalResource: what is accepted is in its one spelling, stays
// what it is, and differs from what was given in the case of ASCII letters
// alone.
func FuzzP3_CanonicalResource(f *testing.F) {
	for _, s := range []string{"gpu-0", "GPU-0", "gpu\u20100", "a..b", "-a", "\u212a", "\u017f", "\u00e9", "e\u0301", "\xff", strings.Repeat("a", 201)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, given string) {
		name, err := coord.CanonicalResource(given)
		if err != nil {
			if name != "" || coord.CodeOf(err) != coord.CodeBadRequest {
				t.Fatalf("%q: %q, %v", given, name, err)
			}
			return
		}
		if again, err := coord.CanonicalResource(name); again != name || err != nil {
			t.Fatalf("%q is not canonical: %q, %v", name, again, err)
		}
		if len(name) != len(given) || !strings.EqualFold(name, given) || strings.Contains(name, "..") || name[0] == '-' || len(name) > 200 {
			t.Fatalf("%q gives %q", given, name)
		}
		for _, r := range name {
			if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789._:/-", r) {
				t.Fatalf("%q gives %q", given, name)
			}
		}
	})
}

func wants(words ...string) []coord.Want {
	var out []coord.Want
	for _, w := range words {
		x := coord.Want{Resource: w}
		if name, units, ok := strings.Cut(w, "="); ok {
			x.Resource = name
			_, _ = fmt.Sscan(units, &x.Units)
		}
		out = append(out, x)
	}
	return out
}

func TestFault47_SetsAreBounded(t *testing.T) {
	many := func(n int) (out []coord.Want) {
		for i := range n {
			out = append(out, coord.Want{Resource: fmt.Sprint("r", i)})
		}
		return out
	}
	for _, c := range []struct {
		name string
		set  []coord.Want
		ok   bool
	}{
		{"empty", nil, false},
		{"one", wants("x"), true},
		{"a name twice", wants("x", "x"), false},
		{"a name twice in another case", wants("x", "X"), false},
		{"100 names", many(100), true},
		{"101 names", many(101), false},
		{"10,001 names", many(10_001), false},
		{"no units", wants("x=-1"), false},
		{"all units", wants("x=10000"), true},
		{"too many units", wants("x=10001"), false},
		{"too many units in all", wants("x=6000", "y=6000"), false},
		{"a name that is none", wants("x y"), false},
	} {
		t.Run("fault 47: "+c.name, func(t *testing.T) {
			err := coord.Reserve{Wants: c.set}.Validate()
			if (err == nil) != c.ok || err != nil && coord.CodeOf(err) != coord.CodeBadRequest {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestBusyNamesWhatAndWhomAndNothingElse(t *testing.T) {
	e := coord.Busy(wants("gpu-0=2", "db"), []string{"gpu-0", "db"}, "alpha")
	if e.Code != coord.CodeResourceBusy || e.Code.HTTPStatus() != 409 || e.Message != "gpu-0, db are taken, gpu-0 by alpha; nothing was reserved" || e.Next[0] != "coord reserve --wait gpu-0=2 db" {
		t.Errorf("got %+v", e)
	}
	if len(e.Details) != 2 || e.Details["busy"] != "gpu-0 db" || e.Details["holder"] != "alpha" {
		t.Errorf("details %v", e.Details)
	}
	if e = coord.Busy(wants("db"), []string{"db"}, ""); e.Message != "db is kept for those who stand in line; nothing was reserved" || len(e.Details) != 1 {
		t.Errorf("got %+v", e)
	}
}

func TestP1_NobodyWaitsWhileHolding(t *testing.T) {
	if err := coord.CheckWait(wants("db"), []string{"db"}, nil); err != nil {
		t.Error(err)
	}
	err := coord.CheckWait(wants("db", "gpu-0=2"), []string{"db"}, []coord.Reservation{{Resource: "gpu-0", Units: 1}})
	var e *coord.Error
	if !errors.As(err, &e) || e.Code != coord.CodeResourceBusy || !slices.Contains(e.Next, "coord reserve --wait gpu-0=3 db") {
		t.Errorf("got %v", err)
	}
}

func TestScopesHavePlaces(t *testing.T) {
	for _, c := range []struct {
		scope        coord.Scope
		machine, dir string
		want         string
		code         coord.Code
	}{
		{coord.ScopeShared, "m1", "/g", "", ""},
		{coord.ScopeMachine, "m1", "", "m1", ""},
		{coord.ScopeMachine, "m1", "/g", "m1", ""},
		{coord.ScopeCheckout, "m1", "/g", "m1:/g", ""},
		{coord.ScopeCheckout, "m1", "", "", coord.CodeRequirement},
	} {
		got, err := c.scope.Place(c.machine, c.dir)
		if got != c.want || coord.CodeOf(err) != c.code {
			t.Errorf("%+v: %q, %v", c, got, err)
		}
	}
}

func TestPolicyMayKeepSharedResourcesForOperators(t *testing.T) {
	p := coord.Policy{OperatorResources: true}
	for _, c := range []struct {
		role  coord.Role
		scope coord.Scope
		ok    bool
	}{
		{coord.RoleAgent, coord.ScopeShared, false}, {coord.RoleAgent, coord.ScopeMachine, true}, {coord.RoleAgent, coord.ScopeCheckout, true}, {coord.RoleOperator, coord.ScopeShared, true},
	} {
		if err := p.CheckCreateResource(c.role, c.scope); (err == nil) != c.ok || (coord.Policy{}).CheckCreateResource(c.role, c.scope) != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestCheckRelease(t *testing.T) {
	at := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	j := aJob(at)
	r := coord.Reservation{Resource: "gpu-0"}
	if err := r.CheckRelease(nil, at); err != nil {
		t.Error(err)
	}
	if err := r.CheckRelease(&j, at); coord.CodeOf(err) != coord.CodeStateConflict {
		t.Errorf("under a job that is alive: %v", err)
	}
	seen := j
	if seen.State = coord.JobRunning; coord.CodeOf(r.CheckRelease(&seen, at)) != coord.CodeStateConflict {
		t.Error("under a job that is seen running")
	}
	if err := r.CheckRelease(&j, at.Add(time.Hour)); err != nil {
		t.Errorf("under a job that nobody sees: %v", err)
	}
	if j.State = coord.JobFailed; r.CheckRelease(&j, at) != nil {
		t.Error("under a job that ended")
	}
}

// stock is the resources of one place, moved by nothing but Allot: what a
// store would keep, without a store.
type stock struct {
	capacity map[string]int
	held     map[int]map[string]int // by attempt
	line     []int                  // attempts that wait, first come first
	waits    map[int][]coord.Want
}

func (s *stock) taken(name string) (n int) {
	for _, h := range s.held {
		n += h[name]
	}
	return n
}

// ask is one request of an attempt, as the store makes it.
func (s *stock) ask(who int, set []coord.Want, wait bool) (busy []string, err error) {
	var all []coord.Stock
	for _, w := range set {
		x := coord.Stock{Want: w, Capacity: s.capacity[w.Resource], Taken: s.taken(w.Resource)}
		for _, other := range s.line {
			if other == who {
				break
			}
			for _, o := range s.waits[other] {
				if o.Resource == w.Resource {
					x.Queued += o.Units
				}
			}
		}
		all = append(all, x)
	}
	busy, err = coord.Allot(all)
	if err != nil || len(busy) > 0 {
		if err == nil && wait && !slices.Contains(s.line, who) {
			s.line, s.waits[who] = append(s.line, who), set
		}
		return busy, err
	}
	s.leave(who)
	if s.held[who] == nil {
		s.held[who] = map[string]int{}
	}
	for _, w := range set {
		s.held[who][w.Resource] += w.Units
	}
	return nil, nil
}

func (s *stock) leave(who int) {
	s.line = slices.DeleteFunc(s.line, func(x int) bool { return x == who })
	delete(s.waits, who)
}

// TestP1_P5_Model asks for sets in any order and holds Allot to its words:
// never more than there is, all or none, nobody passes whoever waits for the
// same, and whoever is first in line is served as soon as there is enough.
func TestP1_P5_Model(t *testing.T) {
	served, passed := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		s := &stock{capacity: map[string]int{"a": 1, "b": 1, "c": 3}, held: map[int]map[string]int{}, waits: map[int][]coord.Want{}}
		set := func(t *rapid.T) (out []coord.Want) {
			for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c"}), 1, 3, rapid.ID).Draw(t, "set") {
				out = append(out, coord.Want{Resource: name, Units: rapid.IntRange(1, s.capacity[name]).Draw(t, "units")})
			}
			return out
		}
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) {
				for name, capacity := range s.capacity {
					if n := s.taken(name); n > capacity {
						t.Fatalf("P1: %d of %d %s are held", n, capacity, name)
					}
				}
			},
			"ask": func(t *rapid.T) {
				who, want := rapid.IntRange(0, 5).Draw(t, "who"), set(t)
				if w := s.waits[who]; w != nil {
					want = w
				}
				enough, meets := true, false
				for _, w := range want {
					enough = enough && s.taken(w.Resource)+w.Units <= s.capacity[w.Resource]
				}
				for _, other := range s.line {
					if other == who {
						break
					}
					for _, o := range s.waits[other] {
						meets = meets || slices.ContainsFunc(want, func(w coord.Want) bool {
							return w.Resource == o.Resource && w.Units+o.Units+s.taken(w.Resource) > s.capacity[w.Resource]
						})
					}
				}
				busy, err := s.ask(who, want, rapid.Bool().Draw(t, "wait") && len(s.held[who]) == 0)
				switch {
				case err != nil:
					t.Fatal(err)
				case len(busy) == 0 && (!enough || meets):
					t.Fatalf("P5: %d was served %v before its turn, or without enough", who, want)
				case len(busy) == 0:
					served++
				case enough:
					passed++
				}
				if len(s.line) > 0 && s.line[0] == who && enough && len(busy) > 0 {
					t.Fatalf("P5: %d is first in line for %v, there is enough, and %v is busy", who, want, busy)
				}
			},
			"give back": func(t *rapid.T) { delete(s.held, rapid.IntRange(0, 5).Draw(t, "who")) },
			"drop out":  func(t *rapid.T) { s.leave(rapid.IntRange(0, 5).Draw(t, "who")) },
		})
	})
	if served == 0 || passed == 0 {
		t.Errorf("%d were served and %d had to let others go first", served, passed)
	}
}

// TestAllotRefusesWhatCanNeverBe: more than there is, by itself or on top of
// what the attempt holds, is no matter of waiting.
func TestAllotRefusesWhatCanNeverBe(t *testing.T) {
	for name, c := range map[string]struct {
		s    coord.Stock
		next string
	}{
		"by itself":         {coord.Stock{Want: coord.Want{Resource: "x", Units: 3}, Capacity: 2}, "coord resource list"},
		"the only one":      {coord.Stock{Want: coord.Want{Resource: "x", Units: 1}, Capacity: 1, Taken: 1, Own: 1}, "coord resource list"},
		"with what it has":  {coord.Stock{Want: coord.Want{Resource: "x", Units: 2}, Capacity: 3, Taken: 2, Own: 2}, "coord reserve x"},
		"nobody else there": {coord.Stock{Want: coord.Want{Resource: "x", Units: 4}, Capacity: 5, Taken: 2, Own: 2}, "coord reserve x=3"},
	} {
		_, err := coord.Allot([]coord.Stock{c.s})
		if coord.CodeOf(err) != coord.CodeRequirement {
			t.Errorf("%s: got %v", name, err)
			continue
		}
		checkRefusal(t, name, err)
		if next := err.(*coord.Error).Next[0]; next != c.next {
			t.Errorf("%s: next is %s", name, next)
		}
	}
	busy, err := coord.Allot([]coord.Stock{{Want: coord.Want{Resource: "x", Units: 1}, Capacity: 2, Taken: 2, Own: 1}})
	if err != nil || len(busy) != 1 {
		t.Errorf("what others hold comes free: %v, %v", busy, err)
	}
}
