package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"coord"
)

// fullBrief is a brief with as much text everywhere as is allowed; text makes
// so many bytes.
func fullBrief(text func(int) string) coord.Brief {
	b := coord.Brief{
		Project: coord.Project{Key: "abcdefghijklmnop", Name: text(200)}, Caller: coord.Caller{Name: text(80), Role: coord.RoleAgent},
		Next: fullNext(text),
	}
	for i := range 10 {
		b.Holds = append(b.Holds, coord.Task{ID: coord.NewTaskID("abcdefghijklmnop", 1e15+int64(i)), Status: coord.StatusWaitingIntegration, Title: text(200)})
	}
	for i := range 20 {
		b.Rules = append(b.Rules, coord.Rule{Name: fmt.Sprintf("%02d", i) + strings.Repeat("r", 62), Text: text(8000)})
	}
	for i := range 5 {
		b.Decisions = append(b.Decisions, fullQuestion(text, i))
	}
	for range 3 {
		b.Lessons = append(b.Lessons, coord.Lesson{ID: "L1000000", Text: text(2000)})
	}
	return b
}

func fullQuestion(text func(int) string, n int) coord.Decision {
	d := coord.Decision{ID: coord.DecisionID(fmt.Sprint("D100000", n)), Question: text(4000), RequiredActor: coord.ActorHuman, State: coord.DecisionOpen}
	for i := range 20 {
		d.Options = append(d.Options, text(190)+fmt.Sprint(i))
	}
	return d
}

func fullNext(text func(int) string) coord.NextAction {
	d := fullQuestion(text, 9)
	n := coord.NextAction{Activity: coord.ActivityIntegrate, Task: &coord.Task{ID: "abcdefghijklmnop-1", Title: text(200)}, Decision: &d, Command: "coord decide D1000009 OPTION"}
	for i := range 30 {
		n.Skipped = append(n.Skipped, coord.Skip{Reason: text(150), Count: 1000 + i, Example: "abcdefghijklmnop-1000000"})
	}
	return n
}

var texts = map[string]func(int) string{
	"prose":  func(n int) string { return strings.Repeat("word and ", n/9) },
	"hidden": func(n int) string { return strings.Repeat("\u202e", n/3) },
	"wide":   func(n int) string { return strings.Repeat("日本", n/6) },
	"lines":  func(n int) string { return strings.Repeat("x\n", n/2) },
}

func TestBriefBudget(t *testing.T) {
	for name, text := range texts {
		s := coord.Printable(briefOf(fullBrief(text)))
		if len(s) > 6000 {
			t.Errorf("%s: %d bytes", name, len(s))
		}
		beginning := s[:min(len(s), 1500)]
		for _, need := range []string{"abcdefghijklmnop  ", "\nintegrate ", "\nnext      coord decide D1000009 OPTION\n"} {
			if !strings.Contains(beginning, need) {
				t.Errorf("%s: the first 1,500 bytes lack %q:\n%s", name, need, beginning)
			}
		}
		for _, need := range []string{" more: coord task list\n", " more: coord decisions\n", " more: coord rules\n", " more: coord lessons\n", " more: coord board\n"} {
			if !strings.Contains(s, need) {
				t.Errorf("%s: what is cut is not counted with %q:\n%s", name, need, s)
			}
		}
	}
}

func TestNextBudget(t *testing.T) {
	for name, text := range texts {
		var b bytes.Buffer
		writeNext(&b, fullNext(text))
		if s := coord.Printable(b.String()); len(s) > nextBytes || !strings.Contains(s, " more: coord board\n") {
			t.Errorf("%s: %d bytes:\n%s", name, len(s), s)
		}
	}
}

func TestOptionMeant(t *testing.T) {
	d := coord.Decision{ID: "D1", Options: []string{"2", "the old one", "the new one", "Neither"}}
	for said, want := range map[string]string{
		"the old one": "the old one", "the n": "the new one", "neither": "Neither", "2": "2", "3": "the new one", "4": "Neither",
		"the": "", "": "", "5": "", "0": "", "both": "",
	} {
		got, err := optionMeant(d, []string{said})
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q %v", said, got, err)
		}
		if err != nil && !strings.Contains(err.Error(), "4. Neither; nothing was done") {
			t.Errorf("%q: the options are not said: %v", said, err)
		}
	}
}

func TestDecisionTexts(t *testing.T) {
	at := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	for want, d := range map[string]coord.Decision{
		"next      coord ask --supersedes D1\n":           {ID: "D1", State: coord.DecisionExpired, ExpiresAt: &at},
		"next      coord decisions D2\n":                  {ID: "D1", State: coord.DecisionSuperseded, SupersededBy: "D2"},
		"next      coord decide D1 OPTION --person   (a ": {ID: "D1", State: coord.DecisionOpen, RequiredActor: coord.ActorHuman},
		"stands    the recommendation, from 2030-01-02":   {ID: "D1", State: coord.DecisionOpen, StandsAt: &at},
		"expires   2030-01-02 03:04:05 UTC\n":             {ID: "D1", State: coord.DecisionOpen, ExpiresAt: &at},
	} {
		var b bytes.Buffer
		if writeDecision(&b, d); !strings.Contains(b.String(), want) {
			t.Errorf("lacks %q:\n%s", want, b.String())
		}
	}
}

// A brief has so many rules and no more; where there may be others it says so.
func TestBriefSaysThatThereMayBeMoreRules(t *testing.T) {
	var b coord.Brief
	for i := range briefRulesMost {
		if strings.Contains(briefOf(b), "coord rules") {
			t.Errorf("of %d rules there are more", i)
		}
		b.Rules = append(b.Rules, coord.Rule{Name: fmt.Sprint("r", i), Text: "x"})
	}
	if !strings.Contains(briefOf(b), "coord rules") {
		t.Error("it says nothing of the others")
	}
}
