package api_test

import (
	"context"

	"coord"
)

var _ coord.Service = (*recorder)(nil)

func (r *recorder) CreateProject(_ context.Context, c coord.CreateProject) (coord.Project, error) {
	return seen[coord.Project](r, "CreateProject", c)
}

func (r *recorder) Project(_ context.Context, key coord.ProjectKey) (coord.Project, error) {
	return seen[coord.Project](r, "Project", key)
}

func (r *recorder) ListProjects(_ context.Context) ([]coord.Project, error) {
	return seen[[]coord.Project](r, "ListProjects")
}

func (r *recorder) OpenSession(_ context.Context, c coord.OpenSession) (coord.Session, error) {
	return seen[coord.Session](r, "OpenSession", c)
}

func (r *recorder) Whoami(_ context.Context) (coord.Caller, error) {
	return seen[coord.Caller](r, "Whoami")
}

func (r *recorder) CreateTask(_ context.Context, c coord.CreateTask) (coord.Created, error) {
	return seen[coord.Created](r, "CreateTask", c)
}

func (r *recorder) Task(_ context.Context, id coord.TaskID) (coord.TaskDetail, error) {
	return seen[coord.TaskDetail](r, "Task", id)
}

func (r *recorder) ListTasks(_ context.Context, q coord.TaskQuery) (coord.Page[coord.Task], error) {
	return seen[coord.Page[coord.Task]](r, "ListTasks", q)
}

func (r *recorder) Claim(_ context.Context, c coord.Claim) (coord.Claimed, error) {
	return seen[coord.Claimed](r, "Claim", c)
}

func (r *recorder) BindWorktree(_ context.Context, c coord.BindWorktree) (coord.Attempt, error) {
	return seen[coord.Attempt](r, "BindWorktree", c)
}

func (r *recorder) Renew(_ context.Context, c coord.Renew) (coord.Lease, error) {
	return seen[coord.Lease](r, "Renew", c)
}

func (r *recorder) Resume(_ context.Context, c coord.Resume) (coord.Claimed, error) {
	return seen[coord.Claimed](r, "Resume", c)
}

func (r *recorder) Release(_ context.Context, c coord.Release) (coord.Attempt, error) {
	return seen[coord.Attempt](r, "Release", c)
}

func (r *recorder) RecordCheckpoint(_ context.Context, c coord.RecordCheckpoint) (coord.Checkpoint, error) {
	return seen[coord.Checkpoint](r, "RecordCheckpoint", c)
}

func (r *recorder) RecordReceipt(_ context.Context, c coord.RecordReceipt) (coord.Receipt, error) {
	return seen[coord.Receipt](r, "RecordReceipt", c)
}

func (r *recorder) ReceiptsFor(_ context.Context, project coord.ProjectKey, tree coord.OID) ([]coord.Receipt, error) {
	return seen[[]coord.Receipt](r, "ReceiptsFor", project, tree)
}

func (r *recorder) Submit(_ context.Context, c coord.Submit) (coord.Submitted, error) {
	return seen[coord.Submitted](r, "Submit", c)
}

func (r *recorder) Review(_ context.Context, c coord.RecordReview) (coord.Review, error) {
	return seen[coord.Review](r, "Review", c)
}

func (r *recorder) Revise(_ context.Context, c coord.Revise) (coord.Task, error) {
	return seen[coord.Task](r, "Revise", c)
}

func (r *recorder) Hold(_ context.Context, c coord.Hold) (coord.Held, error) {
	return seen[coord.Held](r, "Hold", c)
}

func (r *recorder) RecordMerge(_ context.Context, c coord.RecordMerge) (coord.Merged, error) {
	return seen[coord.Merged](r, "RecordMerge", c)
}

func (r *recorder) Permit(_ context.Context, c coord.Permit) (coord.Landing, error) {
	return seen[coord.Landing](r, "Permit", c)
}

func (r *recorder) RecordObservation(_ context.Context, c coord.RecordObservation) (coord.Landed, error) {
	return seen[coord.Landed](r, "RecordObservation", c)
}

func (r *recorder) FailLanding(_ context.Context, c coord.FailLanding) (coord.Landing, error) {
	return seen[coord.Landing](r, "FailLanding", c)
}

func (r *recorder) DivergeTarget(_ context.Context, c coord.DivergeTarget) (coord.Target, error) {
	return seen[coord.Target](r, "DivergeTarget", c)
}

func (r *recorder) SettleTarget(_ context.Context, c coord.SettleTarget) (coord.Target, error) {
	return seen[coord.Target](r, "SettleTarget", c)
}

func (r *recorder) Reconcile(_ context.Context, c coord.Reconcile) (coord.Reconciled, error) {
	return seen[coord.Reconciled](r, "Reconcile", c)
}

func (r *recorder) Learn(_ context.Context, c coord.Learn) (coord.Lesson, error) {
	return seen[coord.Lesson](r, "Learn", c)
}

func (r *recorder) Lessons(_ context.Context, q coord.LessonQuery) ([]coord.Lesson, error) {
	return seen[[]coord.Lesson](r, "Lessons", q)
}

func (r *recorder) Lesson(_ context.Context, project coord.ProjectKey, id coord.LessonID) (coord.LessonDetail, error) {
	return seen[coord.LessonDetail](r, "Lesson", project, id)
}

func (r *recorder) EditLesson(_ context.Context, c coord.EditLesson) (coord.Lesson, error) {
	return seen[coord.Lesson](r, "EditLesson", c)
}

func (r *recorder) JudgeLesson(_ context.Context, c coord.JudgeLesson) (coord.Lesson, error) {
	return seen[coord.Lesson](r, "JudgeLesson", c)
}

func (r *recorder) RateLesson(_ context.Context, c coord.RateLesson) (coord.Lesson, error) {
	return seen[coord.Lesson](r, "RateLesson", c)
}

func (r *recorder) SupersedeLesson(_ context.Context, c coord.SupersedeLesson) (coord.Lesson, error) {
	return seen[coord.Lesson](r, "SupersedeLesson", c)
}

func (r *recorder) RuleRevisions(_ context.Context, project coord.ProjectKey) ([]coord.Rule, error) {
	return seen[[]coord.Rule](r, "RuleRevisions", project)
}

func (r *recorder) Handoffs(_ context.Context, q coord.HandoffQuery) (coord.Page[coord.HandoffNote], error) {
	return seen[coord.Page[coord.HandoffNote]](r, "Handoffs", q)
}

func (r *recorder) Handoff(_ context.Context, project coord.ProjectKey, id coord.HandoffID) (coord.HandoffDetail, error) {
	return seen[coord.HandoffDetail](r, "Handoff", project, id)
}

func (r *recorder) PlanImport(_ context.Context, c coord.ImportRequest) (coord.ImportPlan, error) {
	return seen[coord.ImportPlan](r, "PlanImport", c)
}

func (r *recorder) ApplyImport(_ context.Context, c coord.ApplyImport) (coord.ImportResult, error) {
	return seen[coord.ImportResult](r, "ApplyImport", c)
}

func (r *recorder) Sources(_ context.Context, project coord.ProjectKey) (coord.Sources, error) {
	return seen[coord.Sources](r, "Sources", project)
}

func (r *recorder) ExportData(_ context.Context, project coord.ProjectKey) (coord.ExportData, error) {
	return seen[coord.ExportData](r, "ExportData", project)
}

func (r *recorder) Next(_ context.Context, project coord.ProjectKey) (coord.NextAction, error) {
	return seen[coord.NextAction](r, "Next", project)
}

func (r *recorder) Board(_ context.Context, project coord.ProjectKey) (coord.Board, error) {
	return seen[coord.Board](r, "Board", project)
}

func (r *recorder) LandingBoard(_ context.Context, project coord.ProjectKey) (coord.LandingBoard, error) {
	return seen[coord.LandingBoard](r, "LandingBoard", project)
}

func (r *recorder) Overview(_ context.Context) (coord.Overview, error) {
	return seen[coord.Overview](r, "Overview")
}

func (r *recorder) Events(_ context.Context, project coord.ProjectKey, after coord.Seq, limit int) ([]coord.Event, error) {
	if r.quiet {
		return nil, nil
	}
	return seen[[]coord.Event](r, "Events", project, after, limit)
}

func (r *recorder) WaitEvents(_ context.Context, project coord.ProjectKey, after coord.Seq) ([]coord.Event, error) {
	return seen[[]coord.Event](r, "WaitEvents", project, after)
}

func (r *recorder) IssueToken(_ context.Context, c coord.IssueToken) (coord.IssuedToken, error) {
	return seen[coord.IssuedToken](r, "IssueToken", c)
}

func (r *recorder) ListTokens(_ context.Context) ([]coord.Token, error) {
	return seen[[]coord.Token](r, "ListTokens")
}

func (r *recorder) RevokeToken(_ context.Context, c coord.RevokeToken) (coord.Token, error) {
	return seen[coord.Token](r, "RevokeToken", c)
}

func (r *recorder) RotateToken(_ context.Context, c coord.RotateToken) (coord.IssuedToken, error) {
	return seen[coord.IssuedToken](r, "RotateToken", c)
}

func (r *recorder) ListSessions(_ context.Context) ([]coord.SessionRecord, error) {
	return seen[[]coord.SessionRecord](r, "ListSessions")
}

func (r *recorder) CloseSession(_ context.Context, c coord.CloseSession) (coord.SessionRecord, error) {
	return seen[coord.SessionRecord](r, "CloseSession", c)
}

func (r *recorder) SignIn(_ context.Context, name, password string) (coord.IssuedToken, error) {
	return seen[coord.IssuedToken](r, "SignIn", name, password)
}
