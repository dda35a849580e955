package client

import (
	"context"
	"net/url"

	"coord"
)

// RegisterJob implements coord.Jobs.
func (c *Client) RegisterJob(ctx context.Context, cmd coord.RegisterJob) (coord.RegisteredJob, error) {
	return mutate[coord.RegisteredJob](ctx, c, onAttempt(cmd.Attempt, "jobs", cmd.Key), cmd)
}

// ObserveJob implements coord.Jobs.
func (c *Client) ObserveJob(ctx context.Context, cmd coord.ObserveJob) (coord.Observed, error) {
	return mutate[coord.Observed](ctx, c, call{path: at("jobs", string(cmd.Job), "observations"), key: cmd.Key, session: sessionIfOpen}, cmd)
}

// SettleJob implements coord.Jobs.
func (c *Client) SettleJob(ctx context.Context, cmd coord.SettleJob) (coord.Job, error) {
	return mutate[coord.Job](ctx, c, call{path: at("jobs", string(cmd.Job), "settlements"), key: cmd.Key, session: sessionNeeded}, cmd)
}

// Job implements coord.Jobs.
func (c *Client) Job(ctx context.Context, id coord.JobID) (coord.Job, error) {
	return get[coord.Job](ctx, c, call{path: at("jobs", string(id)), session: sessionIfOpen})
}

// ListJobs implements coord.Jobs.
func (c *Client) ListJobs(ctx context.Context, q coord.JobQuery) ([]coord.Job, error) {
	v := url.Values{}
	set(v, "task", string(q.Task))
	if q.Open {
		v.Set("open", "true")
	}
	setCount(v, "limit", q.Limit)
	list, err := get[items[coord.Job]](ctx, c, call{path: inProject(q.Project, "jobs"), query: v, session: sessionIfOpen})
	return list.Items, err
}
