package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"coord"
)

// writeWork prints what was done: attempts, checkpoints, receipts.
func writeWork(w io.Writer, d coord.TaskDetail) {
	var attempts, checkpoints, receipts []string
	for _, a := range d.Attempts {
		where := ""
		if a.Worktree != nil {
			where = a.Worktree.Machine + ":" + a.Worktree.Path
		}
		attempts = append(attempts, row(fmt.Sprint(a.Generation), string(a.Standing), a.Owner, day(a.StartedAt), where, a.EndReason))
	}
	for _, c := range d.Checkpoints {
		pushed := "pushed"
		if !c.Pushed {
			pushed = "local only"
		}
		checkpoints = append(checkpoints, row(fmt.Sprintf("%d.%d", c.Generation, c.Number), day(c.At), c.Commit.Short(), "tree "+c.Tree.Short(), pushed, clip(c.Note, 60)))
	}
	for _, r := range d.Receipts {
		took := fmt.Sprintf("%.1f s", (time.Duration(r.DurationMS) * time.Millisecond).Seconds())
		receipts = append(receipts, row(string(r.ID), r.Check, receiptWord(r), took, "tree "+r.Tree.Short(), r.Machine, clip(r.Reason, 60)))
	}
	writePlaces(w, d)
	section(w, "attempts", attempts)
	section(w, "checkpoints", checkpoints)
	section(w, "receipts", receipts)
}

// writeJudgement prints what was made of the work: submissions, reviews,
// landings.
func writeJudgement(w io.Writer, d coord.TaskDetail) {
	var submissions, reviews, landings []string
	var reports, said [][]string
	for _, s := range d.Submissions {
		submissions = append(submissions, row(string(s.ID), string(s.State), s.Commit.Short(), "tree "+s.Tree.Short(), s.Author, clip(s.Summary, 60)))
		reports = append(reports, reportLines(s))
	}
	for _, v := range d.Reviews {
		reviews = append(reviews, row(string(v.ID), string(v.Submission), string(v.Verdict), v.Commit.Short(), v.Reviewer, clip(v.Note, 60)))
		said = append(said, reviewLines(v))
	}
	for _, l := range d.Landings {
		landings = append(landings, row(string(l.ID), string(l.State), l.Target, moved(l), verified(l), l.Holder, clip(l.Reason, 60)))
	}
	section(w, "submissions", submissions, reports...)
	section(w, "reviews", reviews, said...)
	section(w, "landings", landings)
	var allowed []string
	for _, a := range d.Authorizations {
		allowed = append(allowed, row(string(a.ID), a.Action, cmp.Or(a.Revision.Short(), "any commit"), "until "+day(a.Until), a.By, clip(a.Note, 60)))
	}
	section(w, "authorizations", allowed)
}

// reportLines are what an author said besides the summary.
func reportLines(s coord.Submission) (lines []string) {
	for _, e := range s.Evidence {
		lines = append(lines, fmt.Sprintf("criterion %d: %s", e.Criterion, clip(e.Text, 100)))
	}
	if m := s.Amendment; m != nil {
		lines = append(lines, fmt.Sprintf("other criteria, %s: %s", cmp.Or(string(m.Verdict), "proposed"), clip(m.Reason, 100)))
		for i, k := range m.Criteria {
			lines = append(lines, fmt.Sprintf("  %d. %s", i+1, clip(k, 100)))
		}
	}
	if len(s.Resolved) > 0 {
		lines = append(lines, "dealt with: "+clip(findingsNamed(s.Resolved), 100))
	}
	if s.Handoff != "" {
		lines = append(lines, "handoff: "+clip(s.Handoff, 100))
	}
	return lines
}

// reviewLines are what a reviewer said besides the note, and what became of it.
func reviewLines(v coord.Review) (lines []string) {
	if v.Voided != "" {
		lines = append(lines, "counts no more: "+clip(v.Voided, 100))
	}
	for _, f := range v.Findings {
		line := findingLabel(f) + " " + clip(f.Text, 100)
		if f.Resolution != "" {
			line += "  (dealt with: " + f.Resolution + ")"
		}
		lines = append(lines, line)
	}
	return lines
}

// findingLabel is what a finding is referred to by, and how it counts.
func findingLabel(f coord.Finding) string {
	label := findingsNamed([]coord.FindingID{f.ID}) + " " + string(f.Severity)
	if f.Class != "" && f.Class != coord.DefaultClass {
		label += ", " + f.Class
	}
	return label + ":"
}

// findingsNamed are findings of one task, named without it.
func findingsNamed(ids []coord.FindingID) string {
	var short []string
	for _, id := range ids {
		short = append(short, string(id[strings.LastIndex(string(id), ".")+1:]))
	}
	return strings.Join(short, ", ")
}

func moved(l coord.Landing) string {
	if l.Result == "" {
		return l.Base.Short()
	}
	return l.Base.Short() + ".." + l.Result.Short()
}

func verified(l coord.Landing) string {
	switch {
	case l.Tree == "":
		return ""
	case l.Verified:
		return "tree " + l.Tree.Short() + " verified"
	}
	return "tree " + l.Tree.Short() + " not verified"
}
