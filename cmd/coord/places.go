package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"coord"
)

// workShown is how many rows of work the landing board prints.
const workShown = 40

// landingBoard prints branch versus integrated: the targets, and where each
// piece of work is.
func (a *app) landingBoard(ctx context.Context) (output, error) {
	b, err := a.landings(ctx)
	if err != nil {
		return output{}, err
	}
	return output{kind: "landing_board", data: b, text: func(w io.Writer) {
		for _, t := range b.Targets {
			writeTarget(w, t)
		}
		shown := b.Work[:min(len(b.Work), workShown)]
		var rows []string
		for _, r := range shown {
			if r.Stage == coord.StageLanded {
				r.Distance = nil // that was before
			}
			rows = append(rows, row(string(r.Stage), string(r.Task), clip(r.Title, 40), r.Commit.Short(), distanceText(r.Distance, r.Target), driftText(r), clip(r.By, 24)))
		}
		section(w, "work", rows)
		if left := len(b.Work) - len(shown); left > 0 {
			fmt.Fprintf(w, "  … %d more: coord board --landing --json\n", left)
		}
	}}, nil
}

// landings is branch versus integrated of the project here, for an agent or
// for a person alone.
func (a *app) landings(ctx context.Context) (coord.LandingBoard, error) {
	svc, project, err := a.eitherInProject(ctx, false)
	if err != nil {
		return coord.LandingBoard{}, err
	}
	return svc.LandingBoard(ctx, project)
}

// distanceText says how far a candidate was from its target when it was
// submitted.
func distanceText(d *coord.Distance, target string) string {
	if d == nil {
		return ""
	}
	return fmt.Sprintf("%d ahead, %d behind %s at %s", d.Ahead, d.Behind, target, d.Tip.Short())
}

func driftText(r coord.WorkRow) string {
	var parts []string
	if r.LocalOnly {
		parts = append(parts, "on one machine only")
	}
	if r.Drift > 0 {
		parts = append(parts, plural(r.Drift, "landing")+" since")
	}
	return strings.Join(parts, ", ")
}

// writePlaces prints where a task's work is.
func writePlaces(w io.Writer, d coord.TaskDetail) {
	distance := map[coord.SubmissionID]string{}
	for _, s := range d.Submissions {
		distance[s.ID] = distanceText(s.Distance, s.Target)
	}
	var rows []string
	for _, p := range d.Places {
		where := p.Ref
		switch {
		case p.Stage == coord.StageWorkstation:
			where = p.Machine + ":" + p.Path
		case p.Stage == coord.StageVerified:
			where = "tree " + p.Tree.Short() + " on " + p.Base.Short()
		case p.LocalOnly:
			where = "on its machine only: the remote did not take " + p.Ref
		}
		far := ""
		if p.Stage == coord.StageCandidate {
			far = distance[p.Submission]
		}
		rows = append(rows, row(string(p.Stage), p.Commit.Short(), where, p.By, day(p.At), far))
	}
	section(w, "where", rows)
}
