package api

import (
	"context"

	"coord"
)

func decisionRoutes() []route {
	return []route{
		command("/projects/{project}/decisions", "ask", "Record a question and park the tasks it names", readers, serve(askDecision)),
		command("/projects/{project}/decisions/{decision}/answer", "decide", "Answer a decision with one of its options", readers, serve(decide)),
		read("/projects/{project}/decisions", "list-decisions", "Decisions, open ones first, newest first", readers, serve(listDecisions)),
		read("/projects/{project}/decisions/{decision}", "get-decision", "One decision", readers, serve(getDecision)),
		command("/projects/{project}/authorizations", "authorize", "Record what a person allows", operators, serve(authorize)),
	}
}

// inDecision names a decision of a project.
type inDecision struct {
	Project  coord.ProjectKey `path:"project" doc:"Key of the project, such as pay."`
	Decision coord.DecisionID `path:"decision" doc:"Such as D3."`
}

// decisionFilter is coord.DecisionQuery as a query string.
type decisionFilter struct {
	Project coord.ProjectKey    `path:"project" doc:"Key of the project, such as pay."`
	State   coord.DecisionState `query:"state" enum:"open,answered,expired,superseded"`
	Task    coord.TaskID        `query:"task" doc:"Decisions that name this task."`
	Limit   int                 `query:"limit" minimum:"1" maximum:"200" doc:"50 when absent."`
}

func listDecisions(ctx context.Context, s coord.Service, _ coord.Key, in *decisionFilter) (list[coord.Decision], error) {
	return listOf(s.ListDecisions(ctx, coord.DecisionQuery(*in)))
}

func getDecision(ctx context.Context, s coord.Service, _ coord.Key, in *inDecision) (coord.Decision, error) {
	return s.Decision(ctx, in.Project, in.Decision)
}

func askDecision(ctx context.Context, s coord.Service, key coord.Key, in *projectCommand[coord.Ask]) (coord.Decision, error) {
	c := in.Body
	c.Key, c.Project = key, in.Project
	return s.Ask(ctx, c)
}

func decide(ctx context.Context, s coord.Service, key coord.Key, in *struct {
	Project  coord.ProjectKey `path:"project" doc:"Key of the project, such as pay."`
	Decision coord.DecisionID `path:"decision" doc:"Such as D3."`
	Body     coord.Decide
},
) (coord.Decision, error) {
	c := in.Body
	c.Key, c.Project, c.Decision = key, in.Project, in.Decision
	return s.Decide(ctx, c)
}

func authorize(ctx context.Context, s coord.Service, key coord.Key, in *projectCommand[coord.Authorize]) (coord.Authorization, error) {
	c := in.Body
	c.Key, c.Project = key, in.Project
	return s.Authorize(ctx, c)
}
