package api

import (
	"context"

	"coord"
)

func resourceRoutes() []route {
	return []route{
		command("/projects/{project}/resources", "create-resource", "Name a resource", readers, serve(createResource)),
		work("/attempts/{attempt}/reservations", "reserve", "Take a set of resources, all or none, or a place in line", serve(reserveSet)),
		work("/attempts/{attempt}/unreservations", "unreserve", "Give reservations back", serve(unreserve)),
		work("/attempts/{attempt}/adoptions", "adopt", "Answer for what an earlier attempt left", serve(adopt)),
		read("/projects/{project}/resources", "list-resources", "Resources with who holds them", readers, serve(listResources)),
	}
}

func createResource(ctx context.Context, s coord.Service, key coord.Key, in *projectCommand[coord.CreateResource]) (coord.Resource, error) {
	c := in.Body
	c.Key, c.Project = key, in.Project
	return s.CreateResource(ctx, c)
}

func reserveSet(ctx context.Context, s coord.Service, key coord.Key, in *attemptCommand[coord.Reserve]) (coord.Reserved, error) {
	c := in.Body
	c.Key, c.Attempt = key, in.Attempt
	return s.Reserve(ctx, c)
}

func unreserve(ctx context.Context, s coord.Service, key coord.Key, in *attemptCommand[coord.Unreserve]) (list[coord.Reservation], error) {
	c := in.Body
	c.Key, c.Attempt = key, in.Attempt
	return listOf(s.Unreserve(ctx, c))
}

func adopt(ctx context.Context, s coord.Service, key coord.Key, in *attemptCommand[coord.Adopt]) (coord.Obligations, error) {
	c := in.Body
	c.Key, c.Attempt = key, in.Attempt
	return s.Adopt(ctx, c)
}

func listResources(ctx context.Context, s coord.Service, _ coord.Key, in *inProject) (list[coord.Resource], error) {
	return listOf(s.ListResources(ctx, in.Project))
}
