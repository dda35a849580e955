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
	set(v, "kind", string(q.Kind))
	set(v, "status", string(q.Status))
	set(v, "tag", q.Tag)
	set(v, "component", q.Component)
	set(v, "path", q.Path)
	set(v, "for", string(q.For))
	setFlag(v, "shared", q.Shared)
	setFlag(v, "all", q.All)
	setCount(v, "limit", q.Limit)
	list, err := get[items[coord.Lesson]](ctx, c, call{path: inProject(q.Project, "lessons"), query: v, session: sessionIfOpen})
	return list.Items, err
}

// inLesson is the path of something of a lesson.
func inLesson(p coord.ProjectKey, id coord.LessonID, rest ...string) string {
	return inProject(p, append([]string{"lessons", string(id)}, rest...)...)
}

// Lesson implements coord.Knowledge.
func (c *Client) Lesson(ctx context.Context, p coord.ProjectKey, id coord.LessonID) (coord.LessonDetail, error) {
	return get[coord.LessonDetail](ctx, c, call{path: inLesson(p, id), session: sessionIfOpen})
}

// EditLesson implements coord.Knowledge.
func (c *Client) EditLesson(ctx context.Context, cmd coord.EditLesson) (coord.Lesson, error) {
	return mutate[coord.Lesson](ctx, c, call{path: inLesson(cmd.Project, cmd.Lesson, "edit"), key: cmd.Key, session: sessionNeeded}, cmd)
}

// JudgeLesson implements coord.Knowledge.
func (c *Client) JudgeLesson(ctx context.Context, cmd coord.JudgeLesson) (coord.Lesson, error) {
	return mutate[coord.Lesson](ctx, c, call{path: inLesson(cmd.Project, cmd.Lesson, "judgement"), key: cmd.Key, session: sessionNeeded}, cmd)
}

// RateLesson implements coord.Knowledge.
func (c *Client) RateLesson(ctx context.Context, cmd coord.RateLesson) (coord.Lesson, error) {
	return mutate[coord.Lesson](ctx, c, call{path: inLesson(cmd.Project, cmd.Lesson, "feedback"), key: cmd.Key, session: sessionNeeded}, cmd)
}

// SupersedeLesson implements coord.Knowledge.
func (c *Client) SupersedeLesson(ctx context.Context, cmd coord.SupersedeLesson) (coord.Lesson, error) {
	return mutate[coord.Lesson](ctx, c, call{path: inLesson(cmd.Project, cmd.Lesson, "supersede"), key: cmd.Key, session: sessionNeeded}, cmd)
}

// RuleRevisions implements coord.Knowledge.
func (c *Client) RuleRevisions(ctx context.Context, project coord.ProjectKey) ([]coord.Rule, error) {
	list, err := get[items[coord.Rule]](ctx, c, call{path: inProject(project, "rules", "revisions"), session: sessionIfOpen})
	return list.Items, err
}

// Handoffs implements coord.Knowledge.
func (c *Client) Handoffs(ctx context.Context, q coord.HandoffQuery) (coord.Page[coord.HandoffNote], error) {
	v := url.Values{}
	set(v, "text", q.Text)
	set(v, "path", q.Path)
	setCount(v, "limit", q.Limit)
	set(v, "cursor", q.Cursor)
	return get[coord.Page[coord.HandoffNote]](ctx, c, call{path: inProject(q.Project, "handoffs"), query: v, session: sessionIfOpen})
}

// Handoff implements coord.Knowledge.
func (c *Client) Handoff(ctx context.Context, p coord.ProjectKey, id coord.HandoffID) (coord.HandoffDetail, error) {
	return get[coord.HandoffDetail](ctx, c, call{path: inProject(p, "handoffs", string(id)), session: sessionIfOpen})
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

// Sources implements coord.Exchange.
func (c *Client) Sources(ctx context.Context, project coord.ProjectKey) (coord.Sources, error) {
	return get[coord.Sources](ctx, c, call{path: inProject(project, "sources"), session: sessionIfOpen})
}

// ExportData implements coord.Exchange.
func (c *Client) ExportData(ctx context.Context, project coord.ProjectKey) (coord.ExportData, error) {
	return get[coord.ExportData](ctx, c, call{path: inProject(project, "export"), session: sessionIfOpen})
}
