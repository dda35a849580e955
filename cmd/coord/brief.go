package main

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"coord"
	"coord/work"
)

// Budgets of what others wrote, in words. Together with the fixed text they
// keep the brief at 600 words and 6,000 bytes, whatever a record holds.
const (
	briefTitle    = 35
	briefOutcome  = 60
	briefCriteria = 140
	briefLeft     = 25
	briefNote     = 40
	briefFindings = 80
	briefReason   = 30
	briefLessons  = 45
	briefLesson   = 7 // the least that one is worth showing in
	briefRules    = 40
	briefReport   = 60
	briefChecks   = 12

	wordBytes = 9 // of a word in the budget, with its space
)

// briefStart is how much of the brief has to be enough to begin: it names the
// task, the worktree, what is asked, and the next command.
const briefStart = 1500

// started is the data of start.
type started struct {
	Task       coord.Task        `json:"task"`
	Attempt    coord.Attempt     `json:"attempt"`
	Worktree   coord.Worktree    `json:"worktree"`
	Lessons    []coord.Lesson    `json:"lessons"`
	Checks     []coord.Check     `json:"checks"`
	Resumed    bool              `json:"resumed,omitempty"`
	Replayed   bool              `json:"replayed,omitempty"`
	Submission *coord.Submission `json:"submission,omitempty"`
	Returned   *coord.Review     `json:"returned,omitempty"`

	ReturnedReason string             `json:"returned_reason,omitempty"`
	Obligations    *coord.Obligations `json:"obligations,omitempty"`
}

// brief is what start prints.
func (a *app) brief(s work.Started, checks []coord.Check, kept bool) (output, error) {
	p, err := a.place()
	if err != nil {
		return output{}, err
	}
	data := started{
		Task: s.Task, Attempt: s.Attempt, Worktree: s.Worktree, Lessons: listOf(s.Lessons, "").Items,
		Checks: listOf(checks, "").Items, Resumed: s.Resumed, Replayed: s.Replayed, Submission: s.Submission, Returned: s.Returned, ReturnedReason: s.ReturnedReason,
	}
	if leftText(s.Obligations) != "" {
		data.Obligations = &s.Obligations
	}
	return output{kind: "start", data: data, text: func(w io.Writer) {
		b := briefText{w: w, s: s, checks: checks, kept: kept, dir: nearPath(p.dir, s.Worktree.Path), cut: new(bool)}
		b.write()
	}}, nil
}

// nearPath is path as seen from dir when that is the shorter way to say it. It
// has slashes on every system: each shell of Windows takes them, and one of
// them, bash, takes nothing else unquoted.
func nearPath(dir, path string) string {
	rel, err := filepath.Rel(dir, path)
	if err != nil || len(rel) >= len(path) {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(rel)
}

type briefText struct {
	w      io.Writer
	s      work.Started
	checks []coord.Check
	kept   bool
	dir    string
	cut    *bool // whether anything was left out
}

// write prints the brief in the order of its use. Where what is asked and what
// was left is long, the next command comes before it.
func (b briefText) write() {
	var begin, middle, next bytes.Buffer
	b.to(&begin).head()
	b.to(&middle).ask()
	b.to(&middle).history()
	b.to(&middle).lessons()
	if *b.cut {
		b.to(&middle).line("cut", "the whole text: coord task show %s", b.s.Task.ID)
	}
	if b.dir != "." {
		b.to(&next).line("next", "%s", enter(b.dir))
	}
	parts := []*bytes.Buffer{&begin, &middle, &next}
	if begin.Len()+middle.Len()+next.Len() > briefStart {
		parts = []*bytes.Buffer{&begin, &next, &middle}
	}
	for _, p := range parts {
		_, _ = p.WriteTo(b.w) // a buffer takes all
	}
	b.howTo()
}

func (b briefText) to(w io.Writer) briefText {
	b.w = w
	return b
}

// short is text from others within a budget of words.
func (b briefText) short(text string, words int) string {
	s := clipWords(text, words)
	*b.cut = *b.cut || s != coord.OneLine(text)
	return s
}

func (b briefText) line(label, format string, args ...any) {
	fmt.Fprintf(b.w, "%-9s %s\n", label, fmt.Sprintf(format, args...))
}

func (b briefText) head() {
	lease := fmt.Sprintf("attempt %d, lease %s", b.s.Attempt.Generation, leaseText(b.s.Project.Policy.Lease))
	if b.kept {
		lease += ", kept while this harness lives"
	}
	fmt.Fprintf(b.w, "%-57s  %s\n", string(b.s.Task.ID)+"  "+b.short(b.s.Task.Title, briefTitle), lease)
	if b.s.Resumed {
		b.line("resumed", "the lease had ended and nobody else took the task")
	}
	fmt.Fprintf(b.w, "%-40s  %s\n", "worktree  "+b.dir, "branch  "+b.s.Worktree.Branch)
}

// ask is what the task wants.
func (b briefText) ask() {
	if b.s.Task.Kind == coord.KindReview && b.s.Submission != nil {
		b.reviewAsk(*b.s.Submission)
		return
	}
	if b.s.Task.Outcome != "" {
		b.line("outcome", "%s", b.short(b.s.Task.Outcome, briefOutcome))
	}
	b.criteria(b.s.Task.Criteria)
}

func (b briefText) reviewAsk(s coord.Submission) {
	b.line("submitted", "%s by %s: %s", s.ID, b.short(s.Author, 10), b.short(s.Summary, briefOutcome))
	b.criteria(b.s.Task.Criteria)
	b.report(s)
	if s.Base != s.Commit {
		b.line("diff", "git diff %s %s", s.Base.Short(), s.Commit.Short())
	}
}

// report is what the author says besides: how criteria are met, which findings
// are dealt with, and which criteria there should be instead.
func (b briefText) report(s coord.Submission) {
	var evidence []item
	for _, e := range s.Evidence {
		evidence = append(evidence, item{fmt.Sprintf("%d.", e.Criterion), e.Text})
	}
	b.lines("evidence", b.fit(evidence, briefReport))
	if len(s.Resolved) > 0 {
		b.line("resolved", "%s, the author says", b.short(findingsNamed(s.Resolved), 20))
	}
	if m := s.Amendment; m != nil && m.Verdict == "" {
		b.line("amendment", "%s", b.short(m.Reason, briefReason))
		b.lines("", b.fit(numbered(m.Criteria), briefReport))
		b.line("", "to approve, add --accept-amendment or --reject-amendment")
	}
}

// criteria puts them on one line when they fit, else one on each.
func (b briefText) criteria(list []string) {
	items := b.fit(numbered(list), briefCriteria)
	if one := strings.Join(items, "   "); one != "" && len(one) <= 100 {
		b.line("accept", "%s", one)
		return
	}
	b.lines("accept", items)
}

// item is a text with what it is called.
type item struct{ label, text string }

func numbered(list []string) (items []item) {
	for i, text := range list {
		items = append(items, item{fmt.Sprintf("%d.", i+1), text})
	}
	return items
}

// fit shortens the items to a budget of words. Those that do not fit are
// counted.
func (b briefText) fit(list []item, words int) []string {
	var items []string
	for i, x := range list {
		if words < 8 {
			*b.cut = true
			return append(items, fmt.Sprintf("… %d more", len(list)-i))
		}
		item := x.label + " " + b.short(x.text, words/2+4)
		words -= max(len(strings.Fields(item)), len(item)/wordBytes)
		items = append(items, item)
	}
	return items
}

func (b briefText) lines(label string, items []string) {
	for _, item := range items {
		b.line(label, "%s", item)
		label = ""
	}
}

// history is what earlier attempts left.
func (b briefText) history() {
	if from := b.s.Attempt.StartedFrom; from != "" && b.s.Delivered {
		b.line("begins", "at commit %s, which is on the target: check and submit it", from.Short())
	} else if from != "" {
		b.line("saved", "goes on from commit %s of an earlier attempt", from.Short())
	}
	if saved := b.s.Task.Saved; saved != nil && saved.Next != "" {
		b.line("left", "%s", b.short(saved.Next, briefLeft))
	}
	if open := leftText(b.s.Obligations); open != "" {
		b.line("open", "%s", open)
	}
	if r := b.s.Returned; r != nil {
		b.line("returned", "%s: %s", b.short(r.Reviewer, 10), b.short(r.Note, briefNote))
		var findings []item
		for _, f := range r.Findings {
			findings = append(findings, item{findingLabel(f), f.Text})
		}
		b.lines("", b.fit(findings, briefFindings))
	}
	if b.s.Returned == nil && b.s.ReturnedReason != "" {
		b.line("returned", "%s", b.short(b.s.ReturnedReason, briefReason))
	}
}

// lessons are what binds, and what was learnt.
func (b briefText) lessons() {
	var rules []item
	for _, r := range b.s.Rules {
		rules = append(rules, item{r.Name + ":", r.Text})
	}
	b.lines("rules", b.fit(rules, briefRules))
	label, words := "lessons", briefLessons
	for i, l := range b.s.Lessons {
		left := len(b.s.Lessons) - i
		if words < briefLesson {
			b.line("", "… %d more: coord lessons", left)
			return
		}
		text := b.short(lessonText(l, l.Text), min(words, max(words/left, 2*briefLesson)))
		words -= max(len(strings.Fields(text)), len(text)/wordBytes)
		b.line(label, "%s %s (%s)", l.ID, text, lessonOrigin(l))
		label = ""
	}
}

// lessonOrigin is how far a lesson is trusted, where it was learnt, and why it
// is shown.
func lessonOrigin(l coord.Lesson) string {
	origin := string(l.Status)
	if l.Task != "" {
		origin += ", " + string(l.Task)
	}
	if l.Why != "" {
		origin += "; " + clip(l.Why, 40)
	}
	return origin
}

// howTo is everything an agent needs to know of coord to finish.
func (b briefText) howTo() {
	if b.s.Task.Kind == coord.KindReview {
		b.line("then", `coord approve -m "why it holds"   or   coord reject -m "what is wrong" --finding "what to change"`)
		return
	}
	step := func(label, command, what string) { fmt.Fprintf(b.w, "%-9s %-61s  %s\n", label, command, what) }
	step("then", `coord checkpoint -m "what is done" --next "what is left"`, "saves and pushes, as often as you like")
	if len(b.checks) > 0 && b.s.Task.Kind == coord.KindCode {
		var names []string
		for _, c := range b.checks {
			names = append(names, c.Name)
		}
		step("", "coord check", "runs "+b.short(strings.Join(names, ", "), briefChecks)+" on this exact tree")
	}
	step("", `coord submit --all -m "what changed" --lesson "worth knowing"`, "hands it over")
	step("", `coord release -m "why"`, "gives it back, keeping what is saved")
}

// leaseText is a lease's length as people say it.
func leaseText(d coord.Duration) string {
	v := time.Duration(d)
	switch {
	case v%time.Hour == 0:
		return fmt.Sprintf("%d h", v/time.Hour)
	case v%time.Minute == 0:
		return fmt.Sprintf("%d min", v/time.Minute)
	}
	return fmt.Sprintf("%d s", v/time.Second)
}
