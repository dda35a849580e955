package work

import (
	"context"
	"strings"

	"coord"
	"coord/gitops"
)

// maxFound is how many commits of a target are compared with a restored
// server.
const maxFound = 1000

// checkDiverged reports a target whose tip does not contain its last recorded
// landing: somebody moved it back, and pushing again what was removed is not
// for a landing to decide.
func (l *landing) checkDiverged(ctx context.Context, tip coord.OID) error {
	known := l.held.Target
	if known.Landed == "" {
		return nil
	}
	in, err := l.inHistory(ctx, known.Landed, tip)
	if err != nil || in {
		return err
	}
	target, err := l.Service.DivergeTarget(ctx, coord.DivergeTarget{Landing: l.record.ID, Fence: l.held.Attempt.Fence, Tip: tip})
	if err != nil {
		return err
	}
	if err := target.CheckOpen(); err != nil {
		return err
	}
	return coord.Errorf(coord.CodeStateConflict, "%s at %s does not contain %s, which %s landed; nothing was published", l.record.Target, tip.Short(), known.Landed.Short(), known.Landing).
		WithNext("coord target list")
}

// inHistory reports whether a commit is in the history of another, which was
// just fetched: one that is not here is not in it.
func (d *Desk) inHistory(ctx context.Context, commit, tip coord.OID) (bool, error) {
	here, err := d.has(ctx, commit)
	if err != nil || !here {
		return false, err
	}
	return d.Repo.IsAncestor(ctx, commit, tip)
}

// reconcile tells a restored server what landed after its backup. The fence
// moves first, so that a push which the lost record permitted can no longer
// arrive unseen.
func (l *landing) reconcile(ctx context.Context) error {
	if !l.held.Target.Unreconciled {
		return nil
	}
	l.Say("the server was restored; comparing %s with it", l.record.Target)
	at, err := l.fetchTarget(ctx, l.record.Target)
	if err != nil {
		return err
	}
	fence, err := l.nextFence(ctx, "reconcile", at)
	if err != nil {
		return err
	}
	if err := l.moveFence(ctx, fence); err != nil && coord.CodeOf(err) != coord.CodeRemoteRefused {
		return err
	}
	tip, err := l.fetchTarget(ctx, l.record.Target)
	if err != nil {
		return err
	}
	found, err := l.found(ctx, tip)
	if err != nil {
		return err
	}
	out, err := l.Service.Reconcile(ctx, coord.Reconcile{Landing: l.record.ID, Fence: l.held.Attempt.Fence, Tip: tip, Found: found})
	if err != nil {
		return err
	}
	for _, id := range out.Landed {
		l.Say("%s had landed already", id.Task())
	}
	for _, id := range out.Blocked {
		l.Say("%s may have landed already; it is blocked until somebody looked: coord task show %s", id, id)
	}
	l.record, l.held.Target = out.Landing, out.Target
	return nil
}

// found lists the target's commits since the tip that the record knows, newest
// first, with what their trailers say.
func (l *landing) found(ctx context.Context, tip coord.OID) ([]coord.FoundCommit, error) {
	since := l.held.Target.Tip
	if since != "" {
		in, err := l.inHistory(ctx, since, tip)
		if err != nil {
			return nil, err
		}
		if !in {
			since = ""
		}
	}
	commits, err := l.Repo.Log(ctx, since, tip, maxFound)
	if err != nil {
		return nil, err
	}
	found := make([]coord.FoundCommit, len(commits))
	for i, c := range commits {
		found[i] = coord.FoundCommit{Commit: c.OID, Tree: c.Tree, Submission: submissionIn(c)}
		if len(c.Parents) > 0 {
			found[i].Base = c.Parents[0]
		}
	}
	return found, nil
}

const submissionTrailer = "Coord-Submission: "

// submissionIn is the submission that a commit's message says it landed.
func submissionIn(c gitops.Commit) coord.SubmissionID {
	paragraphs := strings.Split(strings.TrimSpace(c.Message), "\n\n")
	for _, line := range strings.Split(paragraphs[len(paragraphs)-1], "\n") {
		if id, ok := strings.CutPrefix(line, submissionTrailer); ok && coord.SubmissionID(id).Valid() {
			return coord.SubmissionID(id)
		}
	}
	return ""
}

// SettleTarget opens a diverged target again, if it contains what landed last
// or a person accepts it as it is.
func (d *Desk) SettleTarget(ctx context.Context, target string, accept bool, reason string) (coord.Target, error) {
	board, err := d.Service.LandingBoard(ctx, d.Project)
	if err != nil {
		return coord.Target{}, err
	}
	c := coord.SettleTarget{Project: d.Project, Repository: d.Repository, Target: target, Accept: accept, Reason: reason}
	var landed coord.OID
	for _, row := range board.Targets {
		if row.Repository == d.Repository && row.Target == target {
			landed = row.Landed
		}
	}
	if c.Tip, err = d.fetchTarget(ctx, target); err != nil {
		return coord.Target{}, err
	}
	if landed != "" {
		if c.Contained, err = d.inHistory(ctx, landed, c.Tip); err != nil {
			return coord.Target{}, err
		}
	}
	return d.Service.SettleTarget(ctx, c)
}
