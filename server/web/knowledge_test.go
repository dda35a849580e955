package web

import (
	"strings"
	"testing"
	"time"

	"coord"
)

// fillKnowledge gives pay a verified lesson that took the place of another, a
// rejected approach, a proposal that became a rule, an expired fact, and a
// lesson of another project.
func (f *fake) fillKnowledge() {
	ago := func(d time.Duration) time.Time { return f.now.Add(-d) }
	past := ago(time.Hour)
	f.lessons = nil
	add := func(l coord.Lesson) *coord.LessonDetail {
		l.Revision, l.At, l.ChangedAt = max(l.Revision, 1), ago(time.Duration(len(f.lessons)+2)*time.Hour), ago(time.Hour)
		if l.Project == "" {
			l.Project = "pay"
		}
		said := coord.LessonRevision{Revision: l.Revision, Kind: l.Kind, Text: l.Text, Status: l.Status, Author: l.Author, Reason: "looked again", At: l.ChangedAt}
		f.lessons = append(f.lessons, coord.LessonDetail{Lesson: l, Revisions: []coord.LessonRevision{said}})
		return &f.lessons[len(f.lessons)-1]
	}
	add(coord.Lesson{ID: "L1", Kind: coord.KindLesson, Text: "Tokens expire at midnight.", Author: "delta", Status: coord.LessonSuperseded, SupersededBy: "L2"})
	d := add(coord.Lesson{
		ID: "L2", Kind: coord.KindLesson, Text: "Tokens expire at the second they say.", Author: "alpha", Task: "pay-1", Submission: "pay-1.s1", Receipt: "r2", Source: "docs/LEARNINGS.md",
		Status: coord.LessonVerified, Judged: &coord.LessonJudgement{By: "echo", Note: "ran it twice", At: ago(time.Minute)}, Revision: 2, Useful: 3, NotUseful: 1,
		Scope: coord.LessonScope{Component: "token", Paths: []string{"token/**"}, Version: "2", Environment: "windows"}, Tags: []string{"clock"},
	})
	d.Supersedes = []coord.LessonID{"L1"}
	d.Revisions = append([]coord.LessonRevision{{Revision: 1, Kind: coord.KindLesson, Text: "Tokens expire early.", Author: "alpha", At: ago(5 * time.Hour)}}, d.Revisions...)
	d.Feedback = []coord.LessonFeedback{{By: "bravo", Useful: true, Note: "the boundary", At: ago(time.Minute)}, {By: "foxtrot", At: ago(2 * time.Minute)}}
	add(coord.Lesson{ID: "L3", Kind: coord.KindRejected, Text: "One clock for the whole process.", Reopen: "tests no longer run at once", Author: "bravo", Status: coord.LessonObserved, Scope: coord.LessonScope{Task: "pay-1"}})
	add(coord.Lesson{ID: "L4", Kind: coord.KindProposal, Text: "Every expiry has a test.", Author: "bravo", Status: coord.LessonObserved, Rule: &coord.LessonRule{Name: "expiry", Revision: 1}})
	add(coord.Lesson{ID: "L5", Kind: coord.KindFact, Text: "The provider sleeps on Sundays.", Author: "bravo", Status: coord.LessonDisputed, ExpiresAt: &past, Expired: true})
	add(coord.Lesson{ID: "L1", Project: "web", Kind: coord.KindLesson, Text: "Tokens live in a cookie.", Author: "delta", Status: coord.LessonObserved})
	f.notes = []coord.HandoffNote{{
		ID: "H3", Project: "pay", Title: "2026-02-27 Parser", HandoffFacts: coord.HandoffFacts{Date: "2026-02-27", Branch: "feat/parse", Revision: "abc1234"},
		Path: "HANDOFF.md", Line: 3, Last: 9, At: f.now.Add(-time.Hour),
	}}
	f.rules = []coord.Rule{
		{Project: "pay", Name: "expiry", Text: "Every expiry has two tests.", Revision: 2, Author: "warden", Reason: "stricter", At: ago(time.Hour)},
		{Project: "pay", Name: "expiry", Text: "Every expiry has a test.", Revision: 1, Author: "warden", Reason: "bitten twice", From: "L4", At: ago(2 * time.Hour)},
		{Project: "pay", Name: "style", Revision: 2, Author: "warden", Reason: "a tool does it", At: ago(time.Hour)},
	}
}

// crowdKnowledge makes every list long and every text as long as people make
// it.
func (f *fake) crowdKnowledge() {
	text := strings.Repeat("Words that a session wrote about it. ", 54)
	paths := []string{}
	for range 10 {
		paths = append(paths, strings.Repeat("deep/", 40))
	}
	for i := range f.lessons {
		l := &f.lessons[i]
		l.Text, l.Reopen, l.Scope.Paths = text, text[:min(len(l.Reopen)*100, 500)], paths
		l.Tags = fillTo([]string{strings.Repeat("t", 64)}, 10)
		l.Revisions, l.Feedback = fillTo(l.Revisions, 60), fillTo(append(l.Feedback, coord.LessonFeedback{Note: text, By: "bravo"}), 50)
	}
	for _, kind := range []coord.LessonKind{coord.KindLesson, coord.KindRejected, coord.KindProposal} {
		for range 60 {
			l := f.lessons[1]
			l.Kind = kind
			f.lessons = append(f.lessons, l)
		}
	}
	for i := range 60 {
		for range 12 {
			r := f.rules[0]
			r.Name, r.Text, r.Reason = "rule-"+string(rune('a'+i%26))+string(rune('a'+i/26)), text, text
			f.rules = append(f.rules, r)
		}
	}
}

func TestKnowledgeIsSearched(t *testing.T) {
	h, f, in := door(t)
	page := request(h, "GET", "/p/pay/knowledge?q=midnight&kind=lesson&status=superseded&shared=1", "", in).Body.String()
	want := coord.LessonQuery{Project: "pay", Text: "midnight", Kind: coord.KindLesson, Status: coord.LessonSuperseded, Shared: true, Limit: lessonsFound}
	if len(f.sought) != 1 || f.sought[0] != want {
		t.Errorf("the filter became %+v", f.sought)
	}
	for _, need := range []string{`value="midnight"`, `<option selected>superseded`, ` checked> all projects`, `href="?lesson=L2"`} {
		if !strings.Contains(page, need) {
			t.Errorf("the page lacks %s", need)
		}
	}
	f.sought = nil
	request(h, "GET", "/p/pay/knowledge?status=all", "", in)
	if len(f.sought) != 1 || !f.sought[0].All || f.sought[0].Status != "" {
		t.Errorf("all became %+v", f.sought)
	}
	for path, status := range map[string]int{"/p/pay/knowledge?lesson=L99": 404, "/p/pay/knowledge?lesson=x": 404, "/p/nope/knowledge": 404, "/p/pay/knowledge?kind=x&status=y": 200} {
		if w := request(h, "GET", path, "", in); w.Code != status {
			t.Errorf("%s answers %d", path, w.Code)
		}
	}
}
