package store

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"coord"
)

// SetRule writes the next text of a binding rule, where the policy lets the
// caller.
func (s *service) SetRule(ctx context.Context, c coord.SetRule) (coord.Rule, error) {
	if err := cmp.Or(s.mayDecide(), c.Validate()); err != nil {
		return coord.Rule{}, err
	}
	i := intent[coord.Rule]{operation: "set_rule", key: c.Key, ids: []string{string(c.Project)}, command: c, session: s.caller.Role == coord.RoleAgent}
	return mutate(ctx, s, i, func(t *tx) (coord.Rule, error) { return t.setRule(c) })
}

func (t *tx) setRule(c coord.SetRule) (coord.Rule, error) {
	p, err := t.project(c.Project)
	if err != nil {
		return coord.Rule{}, err
	}
	latest, _, err := one(&t.view, scanRule, "SELECT "+ruleColumns+" FROM rules r WHERE r.project = ? AND r.name = ? ORDER BY r.revision DESC LIMIT 1", string(c.Project), c.Name)
	if err != nil {
		return coord.Rule{}, err
	}
	if err := cmp.Or(p.Policy.CheckSetRule(t.caller.Role), c.CheckRevision(latest)); err != nil {
		return coord.Rule{}, err
	}
	next := coord.Rule{Project: p.Key, Name: c.Name, Text: c.Text, Revision: latest.Revision + 1, Author: t.actor(), Reason: c.Reason, From: c.From, At: t.now}
	err = t.change("INSERT INTO rules (project, name, revision, text, author, reason, proposal, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		string(next.Project), next.Name, next.Revision, next.Text, next.Author, next.Reason, string(next.From), nanos(t.now))
	if err != nil {
		return next, err
	}
	if err := t.adoptProposal(c, next); err != nil {
		return next, err
	}
	did := "wrote"
	if next.Text == "" {
		did = "withdrew"
	}
	e := coord.Event{
		Kind: coord.EventRuleChanged, Project: p.Key, Text: fmt.Sprintf("%s %s the rule %s", next.Author, did, next.Name),
		Data: map[string]string{"rule": next.Name, "revision": strconv.FormatInt(next.Revision, 10), "reason": next.Reason},
	}
	if next.From != "" {
		e.Text += " from " + string(next.From)
		e.Data["lesson"] = string(next.From)
	}
	return next, t.record(e)
}

// adoptProposal points a proposal to the rule that it became.
func (t *tx) adoptProposal(c coord.SetRule, r coord.Rule) error {
	if c.From == "" {
		return nil
	}
	l, err := t.lesson(c.Project, c.From)
	if err != nil {
		return err
	}
	if err := c.CheckProposal(l.Lesson); err != nil {
		return err
	}
	return t.change("UPDATE lessons SET rule = ?, rule_revision = ? WHERE id = ? AND kind = 'proposal' AND status <> 'superseded' AND rule IS NULL",
		r.Name, r.Revision, l.row)
}

// RuleRevisions are all texts that rules had, by name, the latest first.
func (s *service) RuleRevisions(ctx context.Context, project coord.ProjectKey) ([]coord.Rule, error) {
	if err := s.mayRead(); err != nil {
		return nil, err
	}
	return reading(ctx, s.Store, func(v *view) ([]coord.Rule, error) {
		if _, err := v.project(project); err != nil {
			return nil, err
		}
		return list(v, scanRule, "SELECT "+ruleColumns+" FROM rules r WHERE r.project = ? ORDER BY r.name, r.revision DESC", string(project))
	})
}

// Rules are the binding rules in force, by name.
func (s *service) Rules(ctx context.Context, project coord.ProjectKey) ([]coord.Rule, error) {
	if err := s.mayRead(); err != nil {
		return nil, err
	}
	return reading(ctx, s.Store, func(v *view) ([]coord.Rule, error) {
		if _, err := v.project(project); err != nil {
			return nil, err
		}
		return v.rules(project)
	})
}

const ruleColumns = "r.project, r.name, r.text, r.revision, r.author, r.reason, r.proposal, r.at"

func scanRule(r scanner) (x coord.Rule, err error) {
	var at int64
	err = r.Scan(&x.Project, &x.Name, &x.Text, &x.Revision, &x.Author, &x.Reason, &x.From, &at)
	x.At = instant(at)
	return x, err
}

// rules are the latest texts that were not withdrawn.
func (v *view) rules(p coord.ProjectKey) ([]coord.Rule, error) {
	return list(v, scanRule, "SELECT "+ruleColumns+` FROM rules r WHERE r.project = ? AND r.text <> ''
		AND NOT EXISTS (SELECT 1 FROM rules n WHERE n.project = r.project AND n.name = r.name AND n.revision > r.revision) ORDER BY r.name`, string(p))
}
