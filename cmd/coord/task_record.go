package main

import (
	"fmt"
	"io"
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
		receipts = append(receipts, row(string(r.ID), r.Check, string(r.Result), took, "tree "+r.Tree.Short(), r.Machine, clip(r.Reason, 60)))
	}
	section(w, "attempts", attempts)
	section(w, "checkpoints", checkpoints)
	section(w, "receipts", receipts)
}

// writeJudgement prints what was made of the work: submissions, reviews,
// landings.
func writeJudgement(w io.Writer, d coord.TaskDetail) {
	var submissions, reviews, landings []string
	for _, s := range d.Submissions {
		submissions = append(submissions, row(string(s.ID), string(s.State), s.Commit.Short(), "tree "+s.Tree.Short(), s.Author, clip(s.Summary, 60)))
	}
	for _, v := range d.Reviews {
		reviews = append(reviews, row(string(v.Submission), string(v.Verdict), v.Commit.Short(), v.Reviewer, clip(v.Note, 60)))
		for _, f := range v.Findings {
			reviews = append(reviews, row("", string(f.Severity), clip(f.Text, 100)))
		}
	}
	for _, l := range d.Landings {
		landings = append(landings, row(string(l.ID), string(l.State), l.Target, moved(l), verified(l), l.Holder, clip(l.Reason, 60)))
	}
	section(w, "submissions", submissions)
	section(w, "reviews", reviews)
	section(w, "landings", landings)
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
