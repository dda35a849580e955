package client

import (
	"context"

	"coord"
)

// CreateProject implements coord.Projects.
func (c *Client) CreateProject(ctx context.Context, cmd coord.CreateProject) (coord.Project, error) {
	return mutate[coord.Project](ctx, c, call{path: "/projects", key: cmd.Key}, cmd)
}

// Project implements coord.Projects.
func (c *Client) Project(ctx context.Context, key coord.ProjectKey) (coord.Project, error) {
	return get[coord.Project](ctx, c, call{path: inProject(key)})
}

// ListProjects implements coord.Projects.
func (c *Client) ListProjects(ctx context.Context) ([]coord.Project, error) {
	list, err := get[items[coord.Project]](ctx, c, call{path: "/projects"})
	return list.Items, err
}

// OpenSession implements coord.Sessions. The client opens its own session by
// itself when a call needs it.
func (c *Client) OpenSession(ctx context.Context, cmd coord.OpenSession) (coord.Session, error) {
	opened, err := ask[coord.Session](ctx, c, call{path: "/sessions"}, cmd)
	if own := c.opts.Session; err == nil && own != nil && own.ID == cmd.ID {
		err = own.setOpened(c.opts.Now(), c.epoch.Load())
	}
	return opened, err
}

// Whoami implements coord.Sessions.
func (c *Client) Whoami(ctx context.Context) (coord.Caller, error) {
	return get[coord.Caller](ctx, c, call{path: "/whoami", session: sessionIfOpen})
}

// inProject is the path of something in a project.
func inProject(key coord.ProjectKey, rest ...string) string {
	return at(append([]string{"projects", string(key)}, rest...)...)
}
