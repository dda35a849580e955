package api

import (
	"context"

	"coord"
)

func jobRoutes() []route {
	return []route{
		work("/attempts/{attempt}/jobs", "register-job", "Record a job before it is launched", serve(registerJob)),
		command("/jobs/{job}/observations", "observe-job", "Report what a job's process was seen to be", observers, serve(observeJob)),
		command("/jobs/{job}/settlements", "settle-job", "Say how a job ended that nobody observes any more", readers, serve(settleJob)),
		read("/projects/{project}/jobs", "list-jobs", "Jobs, newest first", readers, serve(listJobs)),
		read("/jobs/{job}", "get-job", "One job", readers, serve(getJob)),
	}
}

// jobFilter is coord.JobQuery as a query string.
type jobFilter struct {
	Project coord.ProjectKey `path:"project" doc:"Key of the project, such as pay."`
	Task    coord.TaskID     `query:"task" doc:"Jobs of this task."`
	Open    bool             `query:"open" doc:"Only those that may still run."`
	Limit   int              `query:"limit" minimum:"1" maximum:"200" doc:"50 when absent."`
}

func listJobs(ctx context.Context, s coord.Service, _ coord.Key, in *jobFilter) (list[coord.Job], error) {
	return listOf(s.ListJobs(ctx, coord.JobQuery(*in)))
}

func getJob(ctx context.Context, s coord.Service, _ coord.Key, in *struct {
	Job coord.JobID `path:"job" doc:"Such as j12."`
},
) (coord.Job, error) {
	return s.Job(ctx, in.Job)
}

func registerJob(ctx context.Context, s coord.Service, key coord.Key, in *attemptCommand[coord.RegisterJob]) (coord.RegisteredJob, error) {
	c := in.Body
	c.Key, c.Attempt = key, in.Attempt
	return s.RegisterJob(ctx, c)
}

func observeJob(ctx context.Context, s coord.Service, key coord.Key, in *struct {
	Job  coord.JobID `path:"job" doc:"Such as j12."`
	Body coord.ObserveJob
},
) (coord.Observed, error) {
	c := in.Body
	c.Key, c.Job = key, in.Job
	return s.ObserveJob(ctx, c)
}

func settleJob(ctx context.Context, s coord.Service, key coord.Key, in *struct {
	Job  coord.JobID `path:"job" doc:"Such as j12."`
	Body coord.SettleJob
},
) (coord.Job, error) {
	c := in.Body
	c.Key, c.Job = key, in.Job
	return s.SettleJob(ctx, c)
}
