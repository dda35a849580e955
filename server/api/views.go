package api

import (
	"context"

	"coord"
)

func viewRoutes() []route {
	return []route{
		read("/projects/{project}/next", "next", "The one thing that this caller should do now", readers, serve(next)),
		read("/projects/{project}/brief", "brief", "The caller's bounded orientation", readers, serve(brief)),
		read("/projects/{project}/board", "board", "Tasks by status", readers, serve(board)),
		read("/projects/{project}/landing", "landing-board", "Branch versus integrated", readers, serve(landingBoard)),
		read("/overview", "overview", "Every project at a glance", readers, serve(overview)),
	}
}

func next(ctx context.Context, s coord.Service, _ coord.Key, in *inProject) (coord.NextAction, error) {
	return s.Next(ctx, in.Project)
}

func brief(ctx context.Context, s coord.Service, _ coord.Key, in *inProject) (coord.Brief, error) {
	return s.Brief(ctx, in.Project)
}

func board(ctx context.Context, s coord.Service, _ coord.Key, in *inProject) (coord.Board, error) {
	return s.Board(ctx, in.Project)
}

func landingBoard(ctx context.Context, s coord.Service, _ coord.Key, in *inProject) (coord.LandingBoard, error) {
	return s.LandingBoard(ctx, in.Project)
}

func overview(ctx context.Context, s coord.Service, _ coord.Key, _ *nothing) (coord.Overview, error) {
	return s.Overview(ctx)
}
