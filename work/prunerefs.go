package work

import (
	"context"
	"strings"

	"coord"
	"coord/gitops"
)

// pruneRefs removes a landed task's checkpoint and candidate refs from the
// remote, each only at the value that was recorded for it.
func (d *Desk) pruneRefs(ctx context.Context, t coord.TaskDetail) ([]string, error) {
	if t.Task.Landed == nil {
		return nil, nil
	}
	recorded := map[string]coord.OID{}
	for _, c := range t.Checkpoints {
		if c.Pushed {
			recorded[c.Ref] = c.Commit
		}
	}
	for _, s := range t.Submissions {
		recorded[s.Ref] = s.Commit
	}
	var updates []gitops.RefUpdate
	for name, commit := range recorded {
		if strings.HasPrefix(name, d.Refs+"/") {
			updates = append(updates, gitops.RefUpdate{Name: name, Old: gitops.Exactly(commit)})
		}
	}
	return d.deleteRefs(ctx, updates)
}

func (d *Desk) deleteRefs(ctx context.Context, updates []gitops.RefUpdate) ([]string, error) {
	if len(updates) == 0 {
		return nil, nil
	}
	names := make([]string, len(updates))
	for i, u := range updates {
		names[i] = u.Name
	}
	before, err := d.Repo.Observe(ctx, d.Remote, names...)
	if err != nil {
		return nil, err
	}
	var present []gitops.RefUpdate
	for _, u := range updates {
		if before[u.Name] != "" && u.Old == gitops.Exactly(before[u.Name]) {
			present = append(present, u)
		}
	}
	if len(present) == 0 {
		return nil, nil
	}
	_ = d.Repo.Push(ctx, d.Remote, present, false) // what it did is read back below
	after, err := d.Repo.Observe(ctx, d.Remote, names...)
	if err != nil {
		return nil, err
	}
	var gone []string
	for _, u := range present {
		if after[u.Name] == "" {
			gone = append(gone, u.Name)
		}
	}
	return gone, nil
}
