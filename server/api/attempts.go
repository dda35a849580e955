package api

import (
	"context"
	"net/http"

	"coord"
)

func attemptRoutes() []route {
	renew := work("/attempts/{attempt}/renewals", renewalID, "Extend a live lease; liveness, not progress", serve(renewLease))
	renew.keyed, renew.status = false, http.StatusOK // a repeated renewal is harmless
	return []route{
		work("/projects/{project}/claims", "claim", "Take a task: the named one or the next eligible one", serve(claim)),
		work("/attempts/{attempt}/worktree", "bind-worktree", "Say where the attempt works", serve(bindWorktree)),
		renew,
		work("/attempts/{attempt}/resumptions", "resume-attempt", "Go on after the own lease ended, under a new generation", serve(resume)),
		command("/attempts/{attempt}/releases", "release-attempt", "Give the task back and keep what was saved", readers, serve(release)),
		work("/attempts/{attempt}/checkpoints", "record-checkpoint", "Record saved progress", serve(recordCheckpoint)),
		work("/attempts/{attempt}/receipts", "record-receipt", "Record a run of a check", serve(recordReceipt)),
		read("/projects/{project}/receipts", "list-receipts", "Receipts that cover a tree, oldest first", readers, serve(receiptsFor)),
		work("/attempts/{attempt}/submissions", "submit", "Hand a candidate over and end the attempt", serve(submit)),
		work("/attempts/{attempt}/reviews", "record-review", "Decide on the submission under review", serve(review)),
	}
}

func claim(ctx context.Context, s coord.Service, key coord.Key, in *projectCommand[coord.Claim]) (coord.Claimed, error) {
	c := in.Body
	c.Key, c.Project = key, in.Project
	return s.Claim(ctx, c)
}

func bindWorktree(ctx context.Context, s coord.Service, key coord.Key, in *attemptCommand[coord.BindWorktree]) (coord.Attempt, error) {
	c := in.Body
	c.Key, c.Attempt = key, in.Attempt
	return s.BindWorktree(ctx, c)
}

func renewLease(ctx context.Context, s coord.Service, _ coord.Key, in *attemptCommand[coord.Renew]) (coord.Lease, error) {
	c := in.Body
	c.Attempt = in.Attempt
	return s.Renew(ctx, c)
}

func resume(ctx context.Context, s coord.Service, key coord.Key, in *attemptCommand[coord.Resume]) (coord.Claimed, error) {
	c := in.Body
	c.Key, c.Attempt = key, in.Attempt
	return s.Resume(ctx, c)
}

func release(ctx context.Context, s coord.Service, key coord.Key, in *attemptCommand[coord.Release]) (coord.Attempt, error) {
	c := in.Body
	c.Key, c.Attempt = key, in.Attempt
	return s.Release(ctx, c)
}

func recordCheckpoint(ctx context.Context, s coord.Service, key coord.Key, in *attemptCommand[coord.RecordCheckpoint]) (coord.Checkpoint, error) {
	c := in.Body
	c.Key, c.Attempt = key, in.Attempt
	return s.RecordCheckpoint(ctx, c)
}

func recordReceipt(ctx context.Context, s coord.Service, key coord.Key, in *attemptCommand[coord.RecordReceipt]) (coord.Receipt, error) {
	c := in.Body
	c.Key, c.Attempt = key, in.Attempt
	return s.RecordReceipt(ctx, c)
}

func receiptsFor(ctx context.Context, s coord.Service, _ coord.Key, in *struct {
	Project coord.ProjectKey `path:"project" doc:"Key of the project, such as pay."`
	Tree    coord.OID        `query:"tree" required:"true" pattern:"^([0-9a-f]{40}|[0-9a-f]{64})$" doc:"Full Git object id of a tree."`
},
) (list[coord.Receipt], error) {
	return listOf(s.ReceiptsFor(ctx, in.Project, in.Tree))
}

func submit(ctx context.Context, s coord.Service, key coord.Key, in *attemptCommand[coord.Submit]) (coord.Submitted, error) {
	c := in.Body
	c.Key, c.Attempt = key, in.Attempt
	return s.Submit(ctx, c)
}

func review(ctx context.Context, s coord.Service, key coord.Key, in *attemptCommand[coord.RecordReview]) (coord.Review, error) {
	c := in.Body
	c.Key, c.Attempt = key, in.Attempt
	return s.Review(ctx, c)
}
