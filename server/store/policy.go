package store

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"coord"
)

// SetPolicy replaces a project's policy. What was submitted stays what it is;
// the reviews that it waits for become those that the new mode asks for.
func (s *service) SetPolicy(ctx context.Context, c coord.SetPolicy) (coord.Project, error) {
	if err := cmp.Or(s.need(coord.RoleOperator), c.Validate()); err != nil {
		return coord.Project{}, err
	}
	i := intent[coord.Project]{operation: "set_policy", key: c.Key, ids: []string{string(c.Project)}, command: c, current: currentProject}
	return mutate(ctx, s, i, func(t *tx) (coord.Project, error) { return t.setPolicy(c) })
}

func currentProject(t *tx, out *coord.Project) (err error) {
	*out, err = t.project(out.Key)
	return err
}

func (t *tx) setPolicy(c coord.SetPolicy) (coord.Project, error) {
	p, err := t.project(c.Project)
	if err != nil {
		return p, err
	}
	if err := c.CheckSetPolicy(p); err != nil {
		return p, err
	}
	next := c.Policy.Complete()
	changes := p.Policy.Changes(next)
	if len(changes) == 0 {
		return p, nil
	}
	err = t.change("UPDATE projects SET policy = ?, policy_revision = policy_revision + 1 WHERE key = ? AND policy_revision = ?", toJSON(next), string(p.Key), p.PolicyRevision)
	if err != nil {
		return p, err
	}
	t.batch.timed = true // recommendations may stand now, or no more
	if err := t.addPolicyRevision(p.Key, next, c.Reason); err != nil {
		return p, err
	}
	err = t.record(coord.Event{
		Kind: coord.EventPolicyChanged, Project: p.Key, Text: fmt.Sprintf("%s changed the policy: %s", t.actor(), strings.Join(changes, "; ")),
		Data: map[string]string{"revision": strconv.FormatInt(p.PolicyRevision+1, 10), "changes": strings.Join(changes, "; "), "reason": c.Reason},
	})
	if err != nil {
		return p, err
	}
	if next.Review != p.Policy.Review {
		if err := t.reslotAll(p.Key, next.Review); err != nil {
			return p, err
		}
	}
	return t.project(p.Key)
}

// addPolicyRevision keeps the policy that is in force now.
func (t *tx) addPolicyRevision(p coord.ProjectKey, policy coord.Policy, reason string) error {
	return t.change("INSERT INTO policy_revisions (project, revision, policy, author, reason, at) SELECT key, policy_revision, ?, ?, ?, ? FROM projects WHERE key = ?",
		toJSON(policy), t.actor(), reason, nanos(t.now), string(p))
}

// reslotAll is reslot for everything that waits for review or landing, oldest
// first.
func (t *tx) reslotAll(p coord.ProjectKey, mode coord.ReviewMode) error {
	ids, err := list(&t.view, scanText[coord.SubmissionID], "SELECT id FROM submissions WHERE project = ? AND state IN ('in_review', 'approved') ORDER BY at, id", string(p))
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := t.reslot(id, mode); err != nil {
			return err
		}
	}
	return nil
}

// PolicyRevisions are all states of the policy, oldest first.
func (s *service) PolicyRevisions(ctx context.Context, project coord.ProjectKey) ([]coord.PolicyRevision, error) {
	if err := s.mayRead(); err != nil {
		return nil, err
	}
	return reading(ctx, s.Store, func(v *view) ([]coord.PolicyRevision, error) {
		if _, err := v.project(project); err != nil {
			return nil, err
		}
		return list(v, scanPolicyRevision, "SELECT revision, policy, author, reason, at FROM policy_revisions WHERE project = ? ORDER BY revision", string(project))
	})
}

func scanPolicyRevision(r scanner) (x coord.PolicyRevision, err error) {
	var policy string
	var at int64
	if err = r.Scan(&x.Revision, &policy, &x.Author, &x.Reason, &at); err != nil {
		return x, err
	}
	x.At = instant(at)
	if err = fromJSON(policy, &x.Policy); err == nil {
		x.Policy = x.Policy.Complete() // one that was stored before a field existed
	}
	return x, err
}
