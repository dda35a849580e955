package server

import (
	"context"
	"testing"
	"time"

	"coord"
)

// A recommendation comes to stand although nobody makes a change after the
// question: the server keeps the time itself.
func TestTheServerKeepsTime(t *testing.T) {
	dir := t.TempDir()
	secrets := provision(t, dir, Wish{})
	r := start(t, dir)
	defer r.stop(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err := harnessClient(t, r.url, secrets.SetupToken, "setup").CreateProject(ctx, coord.CreateProject{
		Key: "key-00000000000000000001", Project: "pay", Name: "Pay", Policy: coord.Policy{TimedAnswers: true},
		Repositories: []coord.Repository{{ID: "git.example.com/pay", Remote: "https://git.example.com/pay", Target: "main"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	alpha := harnessClient(t, r.url, secrets.AgentToken, "alpha")
	d, err := alpha.Ask(ctx, coord.Ask{
		Key: "key-00000000000000000002", Project: "pay", Question: "Which?", Options: []string{"a", "b"}, Recommendation: "b", Reversible: true,
		StandsIn: coord.Duration(time.Millisecond),
	})
	if err != nil {
		t.Fatal(err)
	}
	for after := coord.Seq(0); d.Answer == nil; {
		events, err := alpha.WaitEvents(ctx, "pay", after)
		if err != nil || len(events) == 0 {
			t.Fatalf("nobody answered it: %v", err)
		}
		for _, e := range events {
			if after = e.Seq; e.Kind == coord.EventDecisionAnswered {
				if d, err = alpha.Decision(ctx, "pay", d.ID); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if d.Answer.Actor != coord.ActorTimeout || d.Answer.Option != "b" {
		t.Errorf("%+v", d.Answer)
	}
}
