package coord_test

import (
	"slices"
	"testing"

	"coord"
)

// What is waited for comes first, what takes another's place before that, and
// what does and stores nothing is left out.
func TestEffectiveOrder(t *testing.T) {
	anchor := func(key string) *coord.ImportAnchor { return &coord.ImportAnchor{Key: key} }
	plan := coord.ImportPlan{Changes: []coord.ImportChange{
		{Action: coord.ActionCreateTask, Key: "a", AfterKeys: []string{"c", "b"}, Anchor: anchor("a")},
		{Action: coord.ActionNone, Key: "idle"},
		{Action: coord.ActionCreateTask, Key: "b", AfterKeys: []string{"d", "gone"}, Anchor: anchor("b")},
		{Action: coord.ActionCreateTask, Key: "c", Anchor: anchor("c")},
		{Action: coord.ActionNone, Key: "moved", Replaces: "was", Anchor: anchor("moved")},
		{Action: coord.ActionCreateTask, Key: "d", Anchor: anchor("d")},
		{Action: coord.ActionUpdateTask, Key: "e", Replaces: "before", AfterKeys: []string{"d"}, Anchor: anchor("e")},
		{Action: coord.ActionNone, Key: "same", Replaces: "same", Anchor: anchor("same")},
	}}
	work, early := plan.Effective()
	var got []string
	for _, c := range work {
		got = append(got, c.Key)
	}
	if want := []string{"moved", "d", "e", "c", "b", "a", "same"}; !slices.Equal(got, want) || early != 3 {
		t.Errorf("%v, %d of them early", got, early)
	}
}

func TestCheckImport(t *testing.T) {
	adds := coord.ImportPlan{Changes: []coord.ImportChange{{Action: coord.ActionCreateTask, Lifecycle: coord.LifecyclePlanned}, {Action: coord.ActionCreateLesson}}}
	admits := coord.ImportPlan{Changes: append(slices.Clone(adds.Changes), coord.ImportChange{Action: coord.ActionUpdateTask, Facets: []string{"title", coord.FacetLifecycle}})}
	opens := coord.ImportPlan{Changes: []coord.ImportChange{{Action: coord.ActionCreateTask, Lifecycle: coord.LifecycleOpen}}}
	for _, c := range []struct {
		name string
		p    coord.Policy
		r    coord.Role
		plan coord.ImportPlan
		ok   bool
	}{
		{"an agent that adds", coord.Policy{}, coord.RoleAgent, adds, true},
		{"an agent that admits", coord.Policy{}, coord.RoleAgent, admits, false},
		{"an agent that records ready work", coord.Policy{}, coord.RoleAgent, opens, false},
		{"an agent under a policy that leaves it to operators", coord.Policy{OperatorImports: true}, coord.RoleAgent, adds, false},
		{"an operator", coord.Policy{OperatorImports: true}, coord.RoleOperator, admits, true},
	} {
		err := c.p.CheckImport(c.r, c.plan)
		if (err == nil) != c.ok || err != nil && coord.CodeOf(err) != coord.CodeNotPermitted {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestForOperator(t *testing.T) {
	for _, c := range []struct {
		name   string
		change coord.ImportChange
		want   bool
	}{
		{"planned work", coord.ImportChange{Action: coord.ActionCreateTask, Lifecycle: coord.LifecyclePlanned}, false},
		{"history", coord.ImportChange{Action: coord.ActionCreateTask, Lifecycle: coord.LifecycleDone}, false},
		{"another title", coord.ImportChange{Action: coord.ActionUpdateTask, Facets: []string{"title"}}, false},
		{"one more thing to wait for", coord.ImportChange{Action: coord.ActionUpdateTask, Facets: []string{coord.FacetAfter}, After: []coord.TaskID{"pay-1"}}, false},
		{"one thing less to wait for", coord.ImportChange{Action: coord.ActionUpdateTask, Facets: []string{coord.FacetAfter}, NotAfter: []coord.TaskID{"pay-1"}}, true},
		{"admitted", coord.ImportChange{Action: coord.ActionUpdateTask, Facets: []string{coord.FacetLifecycle}}, true},
		{"closed", coord.ImportChange{Action: coord.ActionCloseTask}, true},
		{"a question", coord.ImportChange{Action: coord.ActionCreateTask, Needs: "which one?"}, true},
		{"a lesson", coord.ImportChange{Action: coord.ActionCreateLesson}, false},
	} {
		if got := c.change.ForOperator(); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
