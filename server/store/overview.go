package store

import (
	"context"
	"database/sql"
	"time"

	"coord"
)

// Overview is every project at a glance.
func (s *service) Overview(ctx context.Context) (coord.Overview, error) {
	if err := s.mayRead(); err != nil {
		return coord.Overview{}, err
	}
	return reading(ctx, s.Store, (*view).overview)
}

func (v *view) overview() (o coord.Overview, err error) {
	o.Projects, o.Now = []coord.ProjectSummary{}, v.now
	projects, err := v.projects()
	if err != nil {
		return o, err
	}
	for _, p := range projects {
		sum, err := v.summary(p)
		if err != nil {
			return o, err
		}
		o.Projects = append(o.Projects, sum)
	}
	o.AsOf, err = v.lastSeq()
	return o, err
}

func (v *view) summary(p coord.Project) (s coord.ProjectSummary, err error) {
	s.Project, s.Name = p.Key, p.Name
	if s.Counts, err = v.counts(p.Key, codeOnly); err != nil {
		return s, err
	}
	week := nanos(v.now.Add(-7 * 24 * time.Hour))
	if _, err = v.get([]any{&s.LandedThisWeek}, "SELECT count(*) FROM landings WHERE project = ? AND state = 'landed' AND landed_at > ?", string(p.Key), week); err != nil {
		return s, err
	}
	for _, q := range []struct {
		into  **time.Time
		query string
	}{
		{&s.OldestReady, "SELECT min(t.ready_since) FROM tasks t INDEXED BY tasks_claimable WHERE t.project = ? AND t.kind = 'code' AND " + claimable},
		{&s.OldestReview, "SELECT min(at) FROM submissions WHERE project = ? AND state = 'in_review'"},
		{&s.OldestLanding, "SELECT min(changed_at) FROM submissions WHERE project = ? AND state = 'approved'"},
	} {
		var at sql.NullInt64
		if _, err := v.get([]any{&at}, q.query, string(p.Key)); err != nil {
			return s, err
		}
		*q.into = instantOrNil(at)
	}
	return s, nil
}
