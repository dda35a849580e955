package coord_test

import (
	"strings"
	"testing"

	"coord"
)

func TestRevertOfALanding(t *testing.T) {
	landed := coord.TaskDetail{Task: coord.Task{ID: "pay-4", Project: "pay", Title: strings.Repeat("ü", 150), Landed: &coord.LandedFact{Landing: "pay-4.l2"}}}
	landed.Landings = []coord.Landing{
		{ID: "pay-4.l1", State: coord.LandingConflict, Target: "main"},
		{ID: "pay-4.l2", State: coord.LandingLanded, Target: "main", Base: oid(10), Result: oid(11)},
	}
	c, err := landed.Revert("it broke the build")
	if err != nil || c.Validate() != nil || c.SourceKey != "revert:pay-4.l2" || c.Target != "main" || c.Outcome != "it broke the build" {
		t.Fatalf("got %+v, %v, %v", c, err, c.Validate())
	}
	if l, ok := (coord.Task{SourceKey: c.SourceKey}).Reverts(); !ok || l != "pay-4.l2" {
		t.Errorf("it takes back %q, %v", l, ok)
	}
	if _, ok := (coord.Task{SourceKey: "jira:REVERT-1"}).Reverts(); ok {
		t.Error("any task takes something back")
	}
	open := landed
	open.Landed = nil
	already := landed
	already.Landings = []coord.Landing{{ID: "pay-4.l2", State: coord.LandingLanded, Target: "main", Result: oid(11), AlreadyIn: true}}
	for name, d := range map[string]coord.TaskDetail{"not landed": open, "no commit of its own": already} {
		if _, err := d.Revert("why"); coord.CodeOf(err) != coord.CodeStateConflict {
			t.Errorf("%s: %v", name, err)
		}
	}
}
