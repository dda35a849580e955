package api

import (
	"context"

	"coord"
)

func judgementRoutes() []route {
	return []route{
		command("/submissions/{submission}/judgements", "judge-submission", "A person's review", operators, serve(judge)),
		command("/reviews/{review}/withdrawals", "withdraw-approval", "Take an approval back before it landed", readers, serve(withdrawApproval)),
	}
}

func judge(ctx context.Context, s coord.Service, key coord.Key, in *struct {
	Submission coord.SubmissionID `path:"submission" doc:"Such as pay-42.s1."`
	Body       coord.Judge
},
) (coord.Review, error) {
	c := in.Body
	c.Key, c.Submission = key, in.Submission
	return s.Judge(ctx, c)
}

func withdrawApproval(ctx context.Context, s coord.Service, key coord.Key, in *struct {
	Review coord.ReviewID `path:"review" doc:"Such as v4."`
	Body   coord.WithdrawApproval
},
) (coord.Submission, error) {
	c := in.Body
	c.Key, c.Review = key, in.Review
	return s.WithdrawApproval(ctx, c)
}
