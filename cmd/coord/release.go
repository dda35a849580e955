package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"coord"
	"coord/work"
)

// releaseOptions are the flags of release.
type releaseOptions struct {
	reason  string
	blocked string
	reopen  string
	person  bool
}

func newRelease(a *app) *cobra.Command {
	var o releaseOptions
	c := a.verb("release", "give the task back, keeping what was done", cobra.NoArgs, func(ctx context.Context, _ []string) (output, error) {
		return a.release(ctx, o)
	})
	f := c.Flags()
	f.StringVarP(&o.reason, "message", "m", "", "why, as `TEXT`")
	f.StringVar(&o.blocked, "blocked", "", "what the task cannot go on without, as `KIND: TEXT`, or KIND with -m; the kinds are upstream, capability, resource, verification and permission")
	f.BoolVar(&o.person, "person", false, "as the person signed in here: give back the task of --task, whose owner's lease ended")
	f.StringVar(&o.reopen, "reopen", "", "the `CONDITION` under which it can go on")
	return c
}

func (a *app) release(ctx context.Context, o releaseOptions) (output, error) {
	if o.reason+o.blocked == "" {
		return output{}, coord.Errorf(coord.CodeBadRequest, "coord release needs -m TEXT: why; nothing was done").WithNext("coord release -m TEXT", `coord release --blocked "KIND: TEXT"`)
	}
	blocker, err := blockerOf(o.blocked, o.reopen, o.reason)
	if err != nil {
		return output{}, err
	}
	if o.reason == "" {
		o.reason = "blocked: " + o.blocked
	}
	if o.person {
		return a.releaseGone(ctx, o.reason, blocker)
	}
	d, b, err := a.stage(ctx, "")
	if err != nil {
		return output{}, err
	}
	r, err := d.Release(ctx, b, o.reason, blocker)
	if err != nil {
		return output{}, err
	}
	return output{kind: "release", data: r, text: func(w io.Writer) {
		if r.Checkpoint == nil {
			fmt.Fprintf(w, "%s released; there was nothing to save\n", b.Task)
		} else {
			fmt.Fprintf(w, "%s released; its work is saved as checkpoint %d, tree %s\n", b.Task, r.Checkpoint.Number, r.Checkpoint.Tree.Short())
		}
		writeMet(w, b.Task, blocker)
	}}, nil
}

// writeMet says what the one who gave the task back met.
func writeMet(w io.Writer, task coord.TaskID, b *coord.NewBlocker) {
	if b == nil {
		return
	}
	until := ""
	if b.Reopen != "" {
		until = " until " + clip(b.Reopen, 200)
	}
	fmt.Fprintf(w, "%s is blocked%s; lifted by: coord task unblock %s -m REASON\n", task, until, task)
}

// releaseGone is a person's release: of a task whose owner's lease ended. What
// was saved of it stays.
func (a *app) releaseGone(ctx context.Context, reason string, blocker *coord.NewBlocker) (output, error) {
	if a.task == "" {
		return output{}, coord.Errorf(coord.CodeBadRequest, "say which task it is; nothing was released").WithNext("coord release --task TASK -m REASON --person")
	}
	p, err := a.asOperator()
	if err != nil {
		return output{}, err
	}
	id, err := a.taskNamed(ctx, p, a.task)
	if err != nil {
		return output{}, p.signedOut(err)
	}
	t, err := p.Task(ctx, id)
	if err != nil {
		return output{}, p.signedOut(err)
	}
	if t.Owner == nil {
		return output{}, coord.Errorf(coord.CodeStateConflict, "nobody holds %s; nothing was released", id).WithNext("coord task show " + string(id))
	}
	attempt, err := p.Release(ctx, coord.Release{Attempt: t.Owner.Attempt, Reason: reason, Blocker: blocker})
	if err != nil {
		return output{}, p.signedOut(err)
	}
	return output{kind: "release", data: work.Released{Attempt: attempt}, text: func(w io.Writer) {
		saved := "nothing of it was saved"
		if t.Saved != nil {
			saved = "what was saved of it stays"
		}
		fmt.Fprintf(w, "%s released in the place of %s; %s\n", id, coord.OneLine(attempt.Owner), saved)
		writeMet(w, id, blocker)
	}}, nil
}

// blockerOf reads KIND: TEXT. Without a kind it is upstream; a kind by itself
// is explained by the reason.
func blockerOf(text, reopen, reason string) (*coord.NewBlocker, error) {
	if text == "" {
		return nil, nil
	}
	b := coord.NewBlocker{Kind: coord.BlockedByUpstream, Text: text, Reopen: reopen}
	if kind, rest, ok := strings.Cut(text, ": "); ok && !strings.Contains(kind, " ") {
		b.Kind, b.Text = coord.BlockerKind(kind), rest
	} else if alone := (coord.NewBlocker{Kind: coord.BlockerKind(text), Text: text}); alone.Validate() == nil {
		b.Kind, b.Text = alone.Kind, reason
	}
	if b.Text == "" {
		return nil, coord.Errorf(coord.CodeBadRequest, "a blocker of the kind %s needs a text; nothing was done", b.Kind)
	}
	return &b, b.Validate()
}
