package coord

import (
	"strings"
	"testing"
)

func TestNewBlockerValidate(t *testing.T) {
	ok := NewBlocker{Kind: BlockedByCapability, Text: "needs a GPU"}
	if err := ok.Validate(); err != nil {
		t.Error(err)
	}
	for name, b := range map[string]NewBlocker{
		"a decision's":    {Kind: BlockedByDecision, Text: "x"},
		"a landing's":     {Kind: BlockedByConflict, Text: "x"},
		"no kind":         {Text: "x"},
		"no text":         {Kind: BlockedByCapability, Text: " "},
		"a long text":     {Kind: BlockedByCapability, Text: strings.Repeat("x", 2001)},
		"an unknown lift": {Kind: BlockedByCapability, Text: "x", Actor: ActorTimeout},
	} {
		if err := b.Validate(); CodeOf(err) != CodeBadRequest {
			t.Errorf("%s: %v", name, err)
		}
	}
	if b := ok.Of("pay-1"); b.Task != "pay-1" || b.Actor != ActorEither || b.Reopen != "coord task unblock pay-1 -m REASON" {
		t.Errorf("%+v", b)
	}
}

func TestUnblockWhich(t *testing.T) {
	one, two := Blocker{ID: "b7", Task: "pay-1", Kind: BlockedByUpstream}, Blocker{ID: "b8", Task: "pay-1", Kind: BlockedByPermission}
	asked := Blocker{ID: "b6", Task: "pay-1", Kind: BlockedByDecision, Decision: "D1"}
	for name, c := range map[string]struct {
		blocker BlockerID
		open    []Blocker
		want    BlockerID
		refused Code
	}{
		"the only one":         {open: []Blocker{one}, want: "b7"},
		"the named one":        {blocker: "b8", open: []Blocker{one, two}, want: "b8"},
		"none":                 {refused: CodeStateConflict},
		"several":              {open: []Blocker{one, two}, refused: CodeAmbiguous},
		"beside a decision":    {open: []Blocker{asked, two}, refused: CodeAmbiguous},
		"one that is not open": {blocker: "b9", open: []Blocker{one}, refused: CodeNotFound},
	} {
		b, err := Unblock{Task: "pay-1", Blocker: c.blocker, Reason: "x"}.Which(c.open)
		if b.ID != c.want || CodeOf(err) != c.refused {
			t.Errorf("%s: %s %v", name, b.ID, err)
		}
	}
	_, err := Unblock{Task: "pay-1", Reason: "x"}.Which([]Blocker{asked, two})
	if e, ok := err.(*Error); !ok || e.Next[0] != "coord task unblock pay-1 --blocker b8 -m REASON" {
		t.Errorf("the next command names one that it cannot lift: %v", err)
	}
	if err := (Unblock{Task: "pay-1"}).Validate(); CodeOf(err) != CodeBadRequest {
		t.Errorf("without a reason: %v", err)
	}
}

func TestV9_CheckLift(t *testing.T) {
	for name, c := range map[string]struct {
		b    Blocker
		role Role
		want Code
		next string
	}{
		"anybody's, by an agent":  {b: Blocker{Kind: BlockedByUpstream, Actor: ActorEither}, role: RoleAgent},
		"an agent's, by a person": {b: Blocker{Kind: BlockedByUpstream, Actor: ActorAgent}, role: RoleOperator},
		"a person's, by an agent": {b: Blocker{Kind: BlockedByPermission, Actor: ActorHuman}, role: RoleAgent, want: CodeNotPermitted, next: "coord next"},
		"a person's, by a person": {b: Blocker{Kind: BlockedByPermission, Actor: ActorHuman}, role: RoleOperator},
		"anybody's, by set-up":    {b: Blocker{Kind: BlockedByUpstream, Actor: ActorEither}, role: RoleSetup, want: CodeNotPermitted, next: "coord next"},
		"a decision's, by a person": {
			b: Blocker{Kind: BlockedByDecision, Actor: ActorEither, Decision: "D3", Reopen: "coord decide D3 OPTION"}, role: RoleOperator, want: CodeStateConflict, next: "coord decide D3 OPTION",
		},
		"a conflict's": {b: Blocker{Kind: BlockedByConflict, Actor: ActorEither, Reopen: "coord revise --conflict pay-1"}, role: RoleAgent, want: CodeStateConflict, next: "coord revise --conflict pay-1"},
	} {
		err := c.b.CheckLift(c.role)
		if CodeOf(err) != c.want {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if e, _ := err.(*Error); e != nil && e.Next[0] != c.next {
			t.Errorf("%s: next %v", name, e.Next)
		}
	}
}

func TestNoteOn(t *testing.T) {
	for _, c := range []struct {
		standing Standing
		by       SessionID
		late     bool
		want     Code
	}{
		{standing: StandingLive, by: "s1"},
		{standing: StandingExpired, by: "s1", late: true},
		{standing: StandingSuperseded, by: "s1", late: true},
		{standing: StandingSubmitted, by: "s1", late: true},
		{standing: StandingLive, by: "s2", want: CodeFenced},
		{standing: StandingExpired, by: "", want: CodeFenced},
	} {
		a := Attempt{ID: "pay-1.a1", Task: "pay-1", Standing: c.standing}
		n, err := NoteOn(a, "s1", Caller{Session: c.by, Name: "alpha"}, AddNote{Text: "x"}, asked)
		if CodeOf(err) != c.want || n.Late != c.late {
			t.Errorf("%+v: %+v %v", c, n, err)
		}
	}
}
