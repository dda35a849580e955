package api_test

import (
	"context"

	"coord"
)

func (r *recorder) EditTask(_ context.Context, c coord.EditTask) (coord.Task, error) {
	return seen[coord.Task](r, "EditTask", c)
}

func (r *recorder) LinkTask(_ context.Context, c coord.LinkTask) (coord.Task, error) {
	return seen[coord.Task](r, "LinkTask", c)
}

func (r *recorder) CancelTask(_ context.Context, c coord.CancelTask) (coord.Task, error) {
	return seen[coord.Task](r, "CancelTask", c)
}

func (r *recorder) SupersedeTask(_ context.Context, c coord.SupersedeTask) (coord.Task, error) {
	return seen[coord.Task](r, "SupersedeTask", c)
}

func (r *recorder) AcceptObjective(_ context.Context, c coord.AcceptObjective) (coord.Task, error) {
	return seen[coord.Task](r, "AcceptObjective", c)
}

func (r *recorder) Unblock(_ context.Context, c coord.Unblock) (coord.Task, error) {
	return seen[coord.Task](r, "Unblock", c)
}

func (r *recorder) AddNote(_ context.Context, c coord.AddNote) (coord.Note, error) {
	return seen[coord.Note](r, "AddNote", c)
}

func (r *recorder) Judge(_ context.Context, c coord.Judge) (coord.Review, error) {
	return seen[coord.Review](r, "Judge", c)
}

func (r *recorder) WithdrawApproval(_ context.Context, c coord.WithdrawApproval) (coord.Submission, error) {
	return seen[coord.Submission](r, "WithdrawApproval", c)
}

func (r *recorder) Ask(_ context.Context, c coord.Ask) (coord.Decision, error) {
	return seen[coord.Decision](r, "Ask", c)
}

func (r *recorder) Decide(_ context.Context, c coord.Decide) (coord.Decision, error) {
	return seen[coord.Decision](r, "Decide", c)
}

func (r *recorder) Authorize(_ context.Context, c coord.Authorize) (coord.Authorization, error) {
	return seen[coord.Authorization](r, "Authorize", c)
}

func (r *recorder) SetPolicy(_ context.Context, c coord.SetPolicy) (coord.Project, error) {
	return seen[coord.Project](r, "SetPolicy", c)
}

func (r *recorder) SetRule(_ context.Context, c coord.SetRule) (coord.Rule, error) {
	return seen[coord.Rule](r, "SetRule", c)
}

func (r *recorder) RegisterJob(_ context.Context, c coord.RegisterJob) (coord.RegisteredJob, error) {
	return seen[coord.RegisteredJob](r, "RegisterJob", c)
}

func (r *recorder) ObserveJob(_ context.Context, c coord.ObserveJob) (coord.Observed, error) {
	return seen[coord.Observed](r, "ObserveJob", c)
}

func (r *recorder) SettleJob(_ context.Context, c coord.SettleJob) (coord.Job, error) {
	return seen[coord.Job](r, "SettleJob", c)
}

func (r *recorder) CreateResource(_ context.Context, c coord.CreateResource) (coord.Resource, error) {
	return seen[coord.Resource](r, "CreateResource", c)
}

func (r *recorder) Reserve(_ context.Context, c coord.Reserve) (coord.Reserved, error) {
	return seen[coord.Reserved](r, "Reserve", c)
}

func (r *recorder) Unreserve(_ context.Context, c coord.Unreserve) ([]coord.Reservation, error) {
	return seen[[]coord.Reservation](r, "Unreserve", c)
}

func (r *recorder) Adopt(_ context.Context, c coord.Adopt) (coord.Obligations, error) {
	return seen[coord.Obligations](r, "Adopt", c)
}

func (r *recorder) PolicyRevisions(_ context.Context, key coord.ProjectKey) ([]coord.PolicyRevision, error) {
	return seen[[]coord.PolicyRevision](r, "PolicyRevisions", key)
}

func (r *recorder) Rules(_ context.Context, key coord.ProjectKey) ([]coord.Rule, error) {
	return seen[[]coord.Rule](r, "Rules", key)
}

func (r *recorder) ListResources(_ context.Context, key coord.ProjectKey) ([]coord.Resource, error) {
	return seen[[]coord.Resource](r, "ListResources", key)
}

func (r *recorder) Brief(_ context.Context, key coord.ProjectKey) (coord.Brief, error) {
	return seen[coord.Brief](r, "Brief", key)
}

func (r *recorder) Decision(_ context.Context, key coord.ProjectKey, id coord.DecisionID) (coord.Decision, error) {
	return seen[coord.Decision](r, "Decision", key, id)
}

func (r *recorder) ListDecisions(_ context.Context, q coord.DecisionQuery) ([]coord.Decision, error) {
	return seen[[]coord.Decision](r, "ListDecisions", q)
}

func (r *recorder) Job(_ context.Context, id coord.JobID) (coord.Job, error) {
	return seen[coord.Job](r, "Job", id)
}

func (r *recorder) ListJobs(_ context.Context, q coord.JobQuery) ([]coord.Job, error) {
	return seen[[]coord.Job](r, "ListJobs", q)
}
