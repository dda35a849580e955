package api

import (
	"context"

	"coord"
)

func policyRoutes() []route {
	return []route{
		command("/projects/{project}/policy", "set-policy", "Replace a project's policy", operators, serve(setPolicy)),
		command("/projects/{project}/rules", "set-rule", "Write a binding rule", readers, serve(setRule)),
		read("/projects/{project}/policy", "policy-revisions", "Every state of the policy, oldest first", readers, serve(policyRevisions)),
		read("/projects/{project}/rules", "list-rules", "The binding rules in force", readers, serve(rules)),
	}
}

func setPolicy(ctx context.Context, s coord.Service, key coord.Key, in *projectCommand[coord.SetPolicy]) (coord.Project, error) {
	c := in.Body
	c.Key, c.Project = key, in.Project
	return s.SetPolicy(ctx, c)
}

func setRule(ctx context.Context, s coord.Service, key coord.Key, in *projectCommand[coord.SetRule]) (coord.Rule, error) {
	c := in.Body
	c.Key, c.Project = key, in.Project
	return s.SetRule(ctx, c)
}

func policyRevisions(ctx context.Context, s coord.Service, _ coord.Key, in *inProject) (list[coord.PolicyRevision], error) {
	return listOf(s.PolicyRevisions(ctx, in.Project))
}

func rules(ctx context.Context, s coord.Service, _ coord.Key, in *inProject) (list[coord.Rule], error) {
	return listOf(s.Rules(ctx, in.Project))
}
