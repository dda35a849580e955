package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"coord"
	"coord/servicetest"
)

// resourceWorld has alpha at pay-1, with j2, and bravo at pay-2.
func resourceWorld(t *testing.T) (*Store, coord.Service, coord.Claimed) {
	t.Helper()
	s := testStore(t, servicetest.NewClock())
	alpha, bravo := session(t, s, agents, "alpha"), session(t, s, agents, "bravo")
	c := claimNew(t, alpha)
	claimNew(t, bravo)
	for name, capacity := range map[string]int{"gpu": 1, "ports": 3} {
		if _, err := alpha.CreateResource(t.Context(), coord.CreateResource{Key: newKey(), Project: "pay", Name: name, Capacity: capacity}); err != nil {
			t.Fatal(err)
		}
	}
	_, err := alpha.RegisterJob(t.Context(), coord.RegisterJob{Key: newKey(), Attempt: c.Attempt.ID, Fence: c.Attempt.Fence, Name: "train", Argv: strings.Repeat("a", 64), Machine: "m1"})
	if err != nil {
		t.Fatal(err)
	}
	return s, alpha, c
}

func claimNew(t *testing.T, a coord.Service) coord.Claimed {
	t.Helper()
	c, err := a.Claim(t.Context(), coord.Claim{Key: newKey(), Project: "pay", Task: newTask(t, a, "pay")})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestP2_J1_J5_TheSchemaRefuses tries straight on the tables what no code may do.
func TestP2_J1_J5_TheSchemaRefuses(t *testing.T) {
	s, alpha, c := resourceWorld(t)
	got, err := alpha.Reserve(t.Context(), coord.Reserve{Key: newKey(), Attempt: c.Attempt.ID, Fence: c.Attempt.Fence, Wants: []coord.Want{{Resource: "gpu"}, {Resource: "ports", Units: 2}}})
	if err != nil || len(got.Reservations) != 2 {
		t.Fatal(err)
	}
	const (
		reservation = "INSERT INTO reservations (id, resource, place, task, attempt, holder, at) SELECT 99, id, '', 'pay-2', 'pay-2.a1', 'bravo', 1 FROM resources WHERE name = "
		unit        = "INSERT INTO reservation_units (reservation, resource, place, unit) SELECT 99, id, '', "
		ended       = "UPDATE jobs SET state = 'failed', exit_status = 2, ended_at = 1"
		released    = "UPDATE reservations SET released_at = 1 WHERE holder = 'alpha' AND resource = (SELECT id FROM resources WHERE name = 'gpu')"
		observed    = "INSERT INTO job_observations (job, sequence, state, effect, observer, detail, at) SELECT id, 1, 'running', 'counted', 'x', '{}', 1 FROM jobs"
	)
	for _, c := range []struct {
		name           string
		first, refused string
	}{
		{"P2 the only unit twice", reservation + "'gpu'", unit + "1 FROM resources WHERE name = 'gpu'"},
		{"P2 one more than there are", reservation + "'gpu'", unit + "2 FROM resources WHERE name = 'gpu'"},
		{"P2 a unit of several twice", reservation + "'ports'", unit + "2 FROM resources WHERE name = 'ports'"},
		{"P2 more than several", reservation + "'ports'", unit + "4 FROM resources WHERE name = 'ports'"},
		{"P2 no unit", reservation + "'ports'", unit + "0 FROM resources WHERE name = 'ports'"},
		{"P2 a name twice", "", "INSERT INTO resources (project, name, scope, capacity, note, created_by, at) VALUES ('pay', 'gpu', 'machine', 2, '', 'x', 1)"},
		{"P4 held again after it was given back", released, "UPDATE reservations SET released_at = NULL WHERE released_at IS NOT NULL"},
		{"P4 a unit that is held again", released, "UPDATE reservation_units SET released_at = NULL WHERE released_at IS NOT NULL"},
		{"P4 adopted after it was given back", released, "UPDATE reservations SET attempt = 'pay-2.a1' WHERE released_at IS NOT NULL"},
		{"J1 running after the end", ended, "UPDATE jobs SET state = 'running'"},
		{"J1 another end", ended, "UPDATE jobs SET state = 'interrupted'"},
		{"J1 a state that is none", "", "UPDATE jobs SET state = 'unknown'"},
		{"J5 success without an exit status", "", "UPDATE jobs SET state = 'succeeded', ended_at = 1"},
		{"J5 success with another exit status", "", "UPDATE jobs SET state = 'succeeded', exit_status = 2, ended_at = 1"},
		{"J5 success without an end", "", "UPDATE jobs SET state = 'succeeded', exit_status = 0"},
		{"J3 an edited observation", observed, "UPDATE job_observations SET state = 'failed'"},
		{"J3 a deleted observation", observed, "DELETE FROM job_observations"},
		{"fault 54: an external id twice", "UPDATE jobs SET external = 'x'", "INSERT INTO jobs (project, task, attempt, name, external, argv, machine, tree, state, observe_every, registered_at, observed_at, verifier) " +
			"SELECT project, 'pay-2', 'pay-2.a1', name, external, argv, machine, tree, state, observe_every, 1, 1, 'v' FROM jobs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			undo := errors.New("leave everything as it was")
			err := s.writer.do(t.Context(), coord.Caller{}, func(x *tx) error {
				if c.first != "" {
					if err := x.change(c.first); err != nil {
						return fmt.Errorf("before it: %w", err)
					}
				}
				if n, err := x.exec(c.refused); err == nil {
					t.Errorf("%d rows were changed", n)
				} else if !strings.Contains(err.Error(), "constraint failed") {
					t.Errorf("it fails for another reason: %v", err)
				}
				return undo
			})
			if !errors.Is(err, undo) {
				t.Errorf("%v", err)
			}
		})
	}
	t.Run("P2 the units that are free can be taken", func(t *testing.T) {
		undo := errors.New("leave everything as it was")
		err := s.writer.do(t.Context(), coord.Caller{}, func(x *tx) error {
			return errors.Join(x.change(released), x.change(reservation+"'gpu'"), x.change(unit+"1 FROM resources WHERE name = 'gpu'"), undo)
		})
		if !errors.Is(err, undo) || strings.Contains(err.Error(), "constraint") {
			t.Error(err)
		}
	})
}

// TestP1_SetsAreTakenAllOrNone lets eight sessions ask for overlapping sets in
// any order and at once. The log is the witness: read in its order, no grant
// exceeds what is free, each grant is one request as it was asked, and what
// the log says is held is what the tables say.
func TestP1_SetsAreTakenAllOrNone(t *testing.T) {
	capacity := map[string]int{"a": 1, "b": 1, "c": 2, "d": 5}
	s := testStore(t, servicetest.NewClock())
	owner := session(t, s, agents, "owner")
	for name, n := range capacity {
		if _, err := owner.CreateResource(t.Context(), coord.CreateResource{Key: newKey(), Project: "pay", Name: name, Capacity: n}); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	granted := map[string]int{} // sets that requests were answered with, as the log writes them
	var busy, fits int
	var wg sync.WaitGroup
	for i := range 8 {
		a := session(t, s, agents, fmt.Sprint("agent", i))
		c := claimNew(t, a)
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 7))
			for range 60 {
				set := randomSet(r, capacity)
				out, err := a.Reserve(context.Background(), coord.Reserve{Key: newKey(), Attempt: c.Attempt.ID, Fence: c.Attempt.Fence, Wants: set})
				mu.Lock()
				if err == nil {
					fits++
					granted[string(c.Task.ID)+": "+inWords(set)]++
				} else {
					busy++
				}
				mu.Unlock()
				// A requirement is more than there is, with what it holds.
				refused := coord.CodeOf(err) == coord.CodeResourceBusy || coord.CodeOf(err) == coord.CodeRequirement
				if err != nil && !refused || err == nil && !answers(out.Reservations, set) {
					t.Errorf("%v: %+v, %v", set, out, err)
				}
				if r.IntN(3) > 0 {
					continue
				}
				if _, err := a.Unreserve(context.Background(), coord.Unreserve{Key: newKey(), Attempt: c.Attempt.ID, Fence: c.Attempt.Fence}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if busy == 0 || fits == 0 {
		t.Errorf("%d sets were busy and %d were not", busy, fits)
	}
	witness(t, s, capacity, granted)
	checkRecord(t, s)
}

func randomSet(r *rand.Rand, capacity map[string]int) (set []coord.Want) {
	for name, n := range capacity { // in any order
		if r.IntN(2) == 0 {
			set = append(set, coord.Want{Resource: name, Units: 1 + r.IntN(n)})
		}
	}
	if len(set) == 0 {
		set = []coord.Want{{Resource: "d", Units: 1}}
	}
	return set
}

// inWords is a set as the log writes it.
func inWords(set []coord.Want) string {
	words := make([]string, len(set))
	for i, w := range set {
		words[i] = w.String()
	}
	return strings.Join(words, " ")
}

func answers(got []coord.Reservation, set []coord.Want) bool {
	if len(got) != len(set) {
		return false
	}
	for i, r := range got {
		if r.Resource != set[i].Resource || r.Units != set[i].Units {
			return false
		}
	}
	return true
}

// witness replays the log.
func witness(t *testing.T, s *Store, capacity, granted map[string]int) {
	t.Helper()
	events, err := reading(t.Context(), s, func(v *view) ([]coord.Event, error) {
		return list(v, scanEvent, "SELECT "+eventColumns+" FROM events ORDER BY seq")
	})
	if err != nil {
		t.Fatal(err)
	}
	held := map[string]int{}
	move := func(e coord.Event, sign int) {
		for word := range strings.FieldsSeq(e.Data["resources"]) {
			name, units, _ := strings.Cut(word, "=")
			n := 1
			_, _ = fmt.Sscan(units, &n) // stays 1 without
			if held[name] += sign * n; held[name] > capacity[name] || held[name] < 0 {
				t.Fatalf("P1: after event %d %d of %d %s are held", e.Seq, held[name], capacity[name], name)
			}
		}
	}
	for _, e := range events {
		switch e.Kind {
		case coord.EventResourceReserved:
			move(e, 1)
			if set := string(e.Task) + ": " + e.Data["resources"]; granted[set] == 0 {
				t.Errorf("P1: the log grants %s, which nobody was answered", set)
			} else {
				granted[set]--
			}
		case coord.EventResourceReleased:
			move(e, -1)
		}
	}
	for set, n := range granted {
		if n != 0 {
			t.Errorf("P1: %s was answered %d times more often than it was granted", set, n)
		}
	}
	all, err := s.As(agents).ListResources(t.Context(), "pay")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		n := 0
		for _, x := range r.Held {
			n += x.Units
		}
		if n != held[r.Name] {
			t.Errorf("P1: %d %s are held, and %d by the log", n, r.Name, held[r.Name])
		}
	}
}

// TestFault49_ClosingATaskFreesWhatNoJobUses is about tasks that are taken
// away whoever holds them.
func TestFault49_P4_ClosingATaskFreesWhatNoJobUses(t *testing.T) {
	s, alpha, c := resourceWorld(t)
	for _, r := range []coord.Reserve{{Wants: []coord.Want{{Resource: "gpu"}}, Job: "j2"}, {Wants: []coord.Want{{Resource: "ports"}}}} {
		r.Key, r.Attempt, r.Fence = newKey(), c.Attempt.ID, c.Attempt.Fence
		if _, err := alpha.Reserve(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	held := func() (names []string) {
		all, err := alpha.ListResources(t.Context(), "pay")
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range all {
			if len(r.Held) > 0 {
				names = append(names, r.Name)
			}
		}
		return names
	}
	err := s.writer.do(t.Context(), whoami(t, alpha), func(x *tx) error {
		return errors.Join(x.endOthers("pay-1", "canceled"), x.closeTask(closing{task: "pay-1", to: coord.LifecycleCanceled, note: "x"}))
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := held(); len(got) != 1 || got[0] != "gpu" {
		t.Errorf("after the close %v is held", got)
	}
	status := 2
	_, err = alpha.ObserveJob(t.Context(), coord.ObserveJob{Key: newKey(), Job: "j2", Fence: c.Attempt.Fence, Sequence: 1, State: coord.JobFailed, Exit: &status})
	if err != nil {
		t.Fatal(err)
	}
	if got := held(); len(got) != 0 {
		t.Errorf("after the job %v is held", got)
	}
	checkRecord(t, s)
}
