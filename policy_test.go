package coord_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"coord"
)

func TestPolicyWith(t *testing.T) {
	was := coord.DefaultPolicy()
	for _, c := range []struct{ name, value, change string }{
		{"review", "both", "review: agent → both"},
		{"independence", "machine", "independence: session → machine"},
		{"recovery", "manual", "recovery: agent → manual"},
		{"integration", "human", "integration: auto → human"},
		{"lease", "1h", "lease: 30m0s → 1h0m0s"},
		{"recovery-grace", "0s", "recovery_grace: 30s → 0s"},
		{"progress_cap", "5h", "progress_cap: 4h0m0s → 5h0m0s"},
		{"attempt_cap", "48h", "attempt_cap: 24h0m0s → 48h0m0s"},
		{"held_limit", "2", "held_limit: 8 → 2"},
		{"finding_limit", "5", "finding_limit: 3 → 5"},
		{"revise_limit", "1", "revise_limit: 3 → 1"},
		{"strategy", "squash", "strategy: merge → squash"},
		{"agent-rules", "true", "agent_rules: false → true"},
		{"timed_answers", "true", "timed_answers: false → true"},
		{"operator_resources", "true", "operator_resources: false → true"},
		{"operator-imports", "true", "operator_imports: false → true"},
	} {
		will, err := was.With(c.name, c.value)
		if got := was.Changes(will); err != nil || !slices.Equal(got, []string{c.change}) {
			t.Errorf("%s=%s: %v, %v", c.name, c.value, got, err)
		}
		if line := strings.ReplaceAll(c.name, "-", "_") + "="; !slices.ContainsFunc(will.Lines(), func(s string) bool { return strings.HasPrefix(s, line) }) {
			t.Errorf("%s is not among the lines %q", c.name, will.Lines())
		}
	}
	if n := len(was.Lines()); n != 16 {
		t.Errorf("%d fields are shown, and 16 were changed here", n)
	}
	for _, c := range [][2]string{{"review", "twice"}, {"strategy", "octopus"}, {"lease", "soon"}, {"held_limit", "many"}, {"held_limit", "0"}, {"agent_rules", "maybe"}, {"speed", "high"}} {
		if _, err := was.With(c[0], c[1]); coord.CodeOf(err) != coord.CodeBadRequest {
			t.Errorf("%s=%s: %v", c[0], c[1], err)
		}
	}
}

func TestCheckSetPolicy(t *testing.T) {
	p := coord.Project{Key: "pay", PolicyRevision: 3}
	for revision, want := range map[int64]coord.Code{3: "", 2: coord.CodeStateConflict, 4: coord.CodeStateConflict} {
		if err := (coord.SetPolicy{Revision: revision}).CheckSetPolicy(p); coord.CodeOf(err) != want && (err != nil || want != "") {
			t.Errorf("revision %d: %v", revision, err)
		}
	}
}

func TestCheckSetRule(t *testing.T) {
	delegated := coord.Policy{AgentRules: true}
	for _, c := range []struct {
		p    coord.Policy
		r    coord.Role
		want coord.Code
	}{
		{coord.Policy{}, coord.RoleOperator, ""},
		{coord.Policy{}, coord.RoleAgent, coord.CodeNotPermitted},
		{delegated, coord.RoleAgent, ""},
		{delegated, coord.RoleSetup, coord.CodeNotPermitted},
		{delegated, coord.RoleReporter, coord.CodeNotPermitted},
	} {
		err := c.p.CheckSetRule(c.r)
		if (err == nil) != (c.want == "") || err != nil && coord.CodeOf(err) != c.want {
			t.Errorf("%s under %+v: %v", c.r, c.p.AgentRules, err)
		}
	}
	withdrawn := coord.Rule{Name: "tests", Revision: 2}
	inForce := coord.Rule{Name: "tests", Revision: 2, Text: "Every change has a test."}
	for _, c := range []struct {
		latest   coord.Rule
		revision int64
		ok       bool
	}{
		{coord.Rule{}, 0, true},
		{coord.Rule{}, 1, false},
		{inForce, 2, true},
		{inForce, 1, false},
		{inForce, 0, false},
		{withdrawn, 0, true},
		{withdrawn, 2, true},
		{withdrawn, 1, false},
	} {
		if err := (coord.SetRule{Name: "tests", Revision: c.revision}).CheckRevision(c.latest); (err == nil) != c.ok {
			t.Errorf("revision %d after %+v: %v", c.revision, c.latest, err)
		}
	}
}

func TestCheckAuthorized(t *testing.T) {
	human := coord.Policy{Integration: coord.IntegrateHuman}
	good := coord.Authorization{Action: coord.ActionLand, Task: "pay-1", Revision: oid(1), Until: noon.Add(time.Nanosecond)}
	with := func(edit func(*coord.Authorization)) []coord.Authorization {
		a := good
		edit(&a)
		return []coord.Authorization{a}
	}
	for _, c := range []struct {
		name string
		p    coord.Policy
		all  []coord.Authorization
		ok   bool
	}{
		{"nothing asked", coord.Policy{Integration: coord.IntegrateAuto}, nil, true},
		{"nothing given", human, nil, false},
		{"given", human, []coord.Authorization{good}, true},
		{"for any task", human, with(func(a *coord.Authorization) { a.Task = "" }), true},
		{"for any commit", human, with(func(a *coord.Authorization) { a.Revision = "" }), true},
		{"for another task", human, with(func(a *coord.Authorization) { a.Task = "pay-2" }), false},
		{"for another commit", human, with(func(a *coord.Authorization) { a.Revision = oid(2) }), false},
		{"for the target", human, with(func(a *coord.Authorization) { a.Environment = "main" }), true},
		{"for another environment", human, with(func(a *coord.Authorization) { a.Environment = "staging" }), false},
		{"for another action", human, with(func(a *coord.Authorization) { a.Action = "deploy" }), false},
		{"until now", human, with(func(a *coord.Authorization) { a.Until = noon }), false},
	} {
		err := c.p.CheckAuthorized(coord.Landable{Task: "pay-1", Commit: oid(1), Target: "main"}, c.all, noon)
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
		if err != nil && (coord.CodeOf(err) != coord.CodeNotPermitted || asPlain(err).RequiredActor != "operator") {
			t.Errorf("%s: %+v", c.name, err)
		}
	}
}
