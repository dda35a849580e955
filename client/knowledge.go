package client

import (
	"context"
	"net/url"

	"coord"
)

// Learn implements coord.Knowledge.
func (c *Client) Learn(ctx context.Context, cmd coord.Learn) (coord.Lesson, error) {
	return mutate[coord.Lesson](ctx, c, call{path: inProject(cmd.Project, "lessons"), key: cmd.Key, session: sessionNeeded}, cmd)
}

// Lessons implements coord.Knowledge.
func (c *Client) Lessons(ctx context.Context, q coord.LessonQuery) ([]coord.Lesson, error) {
	v := url.Values{}
	set(v, "text", q.Text)
	setCount(v, "limit", q.Limit)
	list, err := get[items[coord.Lesson]](ctx, c, call{path: inProject(q.Project, "lessons"), query: v, session: sessionIfOpen})
	return list.Items, err
}

// PlanImport implements coord.Exchange.
func (c *Client) PlanImport(ctx context.Context, r coord.ImportRequest) (coord.ImportPlan, error) {
	r.Files = withContent(r.Files)
	return ask[coord.ImportPlan](ctx, c, call{path: inProject(r.Project, "imports", "plan"), session: sessionIfOpen}, r)
}

// ApplyImport implements coord.Exchange.
func (c *Client) ApplyImport(ctx context.Context, cmd coord.ApplyImport) (coord.ImportResult, error) {
	cmd.Files = withContent(cmd.Files)
	return mutate[coord.ImportResult](ctx, c, call{path: inProject(cmd.Project, "imports"), key: cmd.Key, session: sessionNeeded}, cmd)
}

// withContent makes the bytes of an empty file an empty string in JSON: a nil
// slice would be null, which is no content at all.
func withContent(files []coord.SourceFile) []coord.SourceFile {
	out := make([]coord.SourceFile, len(files))
	for i, f := range files {
		if f.Content == nil {
			f.Content = []byte{}
		}
		out[i] = f
	}
	return out
}

// ExportData implements coord.Exchange.
func (c *Client) ExportData(ctx context.Context, project coord.ProjectKey) (coord.ExportData, error) {
	return get[coord.ExportData](ctx, c, call{path: inProject(project, "export"), session: sessionIfOpen})
}
