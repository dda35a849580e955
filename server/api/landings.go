package api

import (
	"context"

	"coord"
)

func landingRoutes() []route {
	return []route{
		work("/projects/{project}/holds", "hold", "Claim an integration task and reserve its target, both or neither", serve(hold)),
		work("/landings/{landing}/merges", "record-merge", "State what merging the candidate into the tip gave", serve(recordMerge)),
		work("/landings/{landing}/permits", "permit-push", "Ask to push exactly the merged result", serve(permit)),
		work("/landings/{landing}/observations", "record-observation", "Report what the remote was read back to hold", serve(recordObservation)),
		work("/landings/{landing}/failures", "fail-landing", "Give the target back", serve(failLanding)),
		work("/landings/{landing}/divergence", "diverge-target", "Report that the held target lost its last landing", serve(divergeTarget)),
		work("/landings/{landing}/reconciliation", "reconcile", "Tell a restored server what is on the held target", serve(reconcile)),
		command("/projects/{project}/targets", "settle-target", "Open a diverged target again", readers, serve(settleTarget)),
	}
}

func hold(ctx context.Context, s coord.Service, key coord.Key, in *projectCommand[coord.Hold]) (coord.Held, error) {
	c := in.Body
	c.Key, c.Project = key, in.Project
	return s.Hold(ctx, c)
}

func recordMerge(ctx context.Context, s coord.Service, key coord.Key, in *landingCommand[coord.RecordMerge]) (coord.Merged, error) {
	c := in.Body
	c.Key, c.Landing = key, in.Landing
	return s.RecordMerge(ctx, c)
}

func permit(ctx context.Context, s coord.Service, key coord.Key, in *landingCommand[coord.Permit]) (coord.Landing, error) {
	c := in.Body
	c.Key, c.Landing = key, in.Landing
	return s.Permit(ctx, c)
}

func recordObservation(ctx context.Context, s coord.Service, key coord.Key, in *landingCommand[coord.RecordObservation]) (coord.Landed, error) {
	c := in.Body
	c.Key, c.Landing = key, in.Landing
	return s.RecordObservation(ctx, c)
}

func failLanding(ctx context.Context, s coord.Service, key coord.Key, in *landingCommand[coord.FailLanding]) (coord.Landing, error) {
	c := in.Body
	c.Key, c.Landing = key, in.Landing
	return s.FailLanding(ctx, c)
}

func divergeTarget(ctx context.Context, s coord.Service, key coord.Key, in *landingCommand[coord.DivergeTarget]) (coord.Target, error) {
	c := in.Body
	c.Key, c.Landing = key, in.Landing
	return s.DivergeTarget(ctx, c)
}

func reconcile(ctx context.Context, s coord.Service, key coord.Key, in *landingCommand[coord.Reconcile]) (coord.Reconciled, error) {
	c := in.Body
	c.Key, c.Landing = key, in.Landing
	return s.Reconcile(ctx, c)
}

func settleTarget(ctx context.Context, s coord.Service, key coord.Key, in *projectCommand[coord.SettleTarget]) (coord.Target, error) {
	c := in.Body
	c.Key, c.Project = key, in.Project
	return s.SettleTarget(ctx, c)
}
