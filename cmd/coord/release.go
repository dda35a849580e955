package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"coord"
)

// releaseOptions are the flags of release.
type releaseOptions struct {
	reason  string
	blocked string
	reopen  string
}

func newRelease(a *app) *cobra.Command {
	var o releaseOptions
	c := a.verb("release", "give the task back, keeping what was done", cobra.NoArgs, func(ctx context.Context, _ []string) (output, error) {
		return a.release(ctx, o)
	})
	f := c.Flags()
	f.StringVarP(&o.reason, "message", "m", "", "why, as `TEXT`")
	f.StringVar(&o.blocked, "blocked", "", "what the task cannot go on without, as `KIND: TEXT`, or KIND with -m; the kinds are upstream, capability, resource, verification and permission")
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
		if blocker != nil {
			until := ""
			if blocker.Reopen != "" {
				until = " until " + clip(blocker.Reopen, 200)
			}
			fmt.Fprintf(w, "%s is blocked%s; lifted by: coord task unblock %s -m REASON\n", b.Task, until, b.Task)
		}
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
