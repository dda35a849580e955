package client

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"coord"
)

// Next implements coord.Views.
func (c *Client) Next(ctx context.Context, project coord.ProjectKey) (coord.NextAction, error) {
	return get[coord.NextAction](ctx, c, call{path: inProject(project, "next"), session: sessionIfOpen})
}

// Brief implements coord.Views.
func (c *Client) Brief(ctx context.Context, project coord.ProjectKey) (coord.Brief, error) {
	return get[coord.Brief](ctx, c, call{path: inProject(project, "brief"), session: sessionIfOpen})
}

// Board implements coord.Views.
func (c *Client) Board(ctx context.Context, project coord.ProjectKey) (coord.Board, error) {
	return get[coord.Board](ctx, c, call{path: inProject(project, "board"), session: sessionIfOpen})
}

// LandingBoard implements coord.Views.
func (c *Client) LandingBoard(ctx context.Context, project coord.ProjectKey) (coord.LandingBoard, error) {
	return get[coord.LandingBoard](ctx, c, call{path: inProject(project, "landing"), session: sessionIfOpen})
}

// Overview implements coord.Views.
func (c *Client) Overview(ctx context.Context) (coord.Overview, error) {
	return get[coord.Overview](ctx, c, call{path: "/overview", session: sessionIfOpen})
}

// Events implements coord.Views.
func (c *Client) Events(ctx context.Context, project coord.ProjectKey, after coord.Seq, limit int) ([]coord.Event, error) {
	return c.events(ctx, project, after, 0, limit)
}

// longPoll is how long the server holds a request that waits for events.
const longPoll = 30 * time.Second

// WaitEvents implements coord.Views by long polls: one request every 30 s
// while nothing happens. A failed poll is returned, not repeated.
func (c *Client) WaitEvents(ctx context.Context, project coord.ProjectKey, after coord.Seq) ([]coord.Event, error) {
	for ctx.Err() == nil {
		events, err := c.events(ctx, project, after, c.pollFor(ctx), 0)
		switch {
		case ctx.Err() != nil && len(events) == 0:
			return nil, nil
		case err != nil || len(events) > 0:
			return events, err
		}
	}
	return nil, nil
}

// pollFor is the wait of one long poll: no longer than ctx lasts.
func (c *Client) pollFor(ctx context.Context) time.Duration {
	wait := longPoll
	if deadline, ok := ctx.Deadline(); ok {
		wait = min(wait, deadline.Sub(c.opts.Now()))
	}
	return max(wait, 0)
}

func (c *Client) events(ctx context.Context, project coord.ProjectKey, after coord.Seq, wait time.Duration, limit int) ([]coord.Event, error) {
	v := url.Values{"after": {strconv.FormatInt(int64(after), 10)}, "wait": {wait.Round(time.Millisecond).String()}}
	setCount(v, "limit", limit)
	path := "/events"
	if project != "" {
		path = inProject(project, "events")
	}
	list, err := get[items[coord.Event]](ctx, c, call{path: path, query: v, session: sessionIfOpen})
	return list.Items, err
}
