// Package coord is the glossary and the rulebook of coord: the nouns that
// every other package speaks in, and the rules that move them, as pure
// functions. It imports nothing but the standard library, reads no clock, and
// knows neither SQL nor HTTP nor Git.
//
// Read coord.go for the service, task.go and attempt.go for the nouns, and
// workflow.go for the rules.
package coord

import "context"

// Service is what coord does for one caller. The store implements it for a
// caller it was handed, the HTTP client for the credential it carries; the
// API, the dashboard and the commands are shells over it.
//
// Every method may return an *Error. A method that changes something takes a
// command with a Key: the same key and command again has no second effect and
// returns the first outcome with the current standing.
type Service interface {
	Projects
	Sessions
	Access
	Tasks
	Attempts
	Reviews
	Decisions
	Jobs
	Resources
	Landings
	Knowledge
	Exchange
	Views
}

// Projects is the registry of projects.
type Projects interface {
	CreateProject(ctx context.Context, c CreateProject) (Project, error)
	Project(ctx context.Context, key ProjectKey) (Project, error)
	ListProjects(ctx context.Context) ([]Project, error)
	// SetPolicy replaces the policy. Finished work stays what it is: a
	// stricter review mode adds the missing reviews to what was submitted, a
	// looser one cancels those that nobody has begun.
	SetPolicy(ctx context.Context, c SetPolicy) (Project, error)
	// PolicyRevisions are all states of the policy, oldest first.
	PolicyRevisions(ctx context.Context, project ProjectKey) ([]PolicyRevision, error)
	SetRule(ctx context.Context, c SetRule) (Rule, error)
	// Rules are the binding rules in force, by name.
	Rules(ctx context.Context, project ProjectKey) ([]Rule, error)
}

// Sessions opens harness sessions under the caller's credential.
type Sessions interface {
	// OpenSession records the session's verifier. Opening it again with the
	// same proof changes nothing.
	OpenSession(ctx context.Context, c OpenSession) (Session, error)
	// Whoami says who the server takes the caller for.
	Whoami(ctx context.Context) (Caller, error)
}

// Access is who may come in: tokens, and the sessions under them. All of it
// but a session's own close and list is an operator's.
type Access interface {
	IssueToken(ctx context.Context, c IssueToken) (IssuedToken, error)
	// ListTokens returns the tokens, newest first, and never a secret.
	ListTokens(ctx context.Context) ([]Token, error)
	RevokeToken(ctx context.Context, c RevokeToken) (Token, error)
	RotateToken(ctx context.Context, c RotateToken) (IssuedToken, error)
	// ListSessions returns the open sessions, last seen first: an agent those
	// of its own principal, an operator all.
	ListSessions(ctx context.Context) ([]SessionRecord, error)
	CloseSession(ctx context.Context, c CloseSession) (SessionRecord, error)
}

// Tasks is the record of intended work.
type Tasks interface {
	CreateTask(ctx context.Context, c CreateTask) (Created, error)
	EditTask(ctx context.Context, c EditTask) (Task, error)
	LinkTask(ctx context.Context, c LinkTask) (Task, error)
	CancelTask(ctx context.Context, c CancelTask) (Task, error)
	SupersedeTask(ctx context.Context, c SupersedeTask) (Task, error)
	AcceptObjective(ctx context.Context, c AcceptObjective) (Task, error)
	Unblock(ctx context.Context, c Unblock) (Task, error)
	Task(ctx context.Context, id TaskID) (TaskDetail, error)
	ListTasks(ctx context.Context, q TaskQuery) (Page[Task], error)
}

// Attempts is ownership: claiming, keeping, saving and giving back.
type Attempts interface {
	Claim(ctx context.Context, c Claim) (Claimed, error)
	// BindWorktree registers where the attempt works. One editable checkout
	// serves one attempt.
	BindWorktree(ctx context.Context, c BindWorktree) (Attempt, error)
	Renew(ctx context.Context, c Renew) (Lease, error)
	Resume(ctx context.Context, c Resume) (Claimed, error)
	Release(ctx context.Context, c Release) (Attempt, error)
	RecordCheckpoint(ctx context.Context, c RecordCheckpoint) (Checkpoint, error)
	RecordReceipt(ctx context.Context, c RecordReceipt) (Receipt, error)
	// ReceiptsFor returns the receipts that cover a tree, oldest first.
	ReceiptsFor(ctx context.Context, project ProjectKey, tree OID) ([]Receipt, error)
	Submit(ctx context.Context, c Submit) (Submitted, error)
	AddNote(ctx context.Context, c AddNote) (Note, error)
}

// Reviews judges submissions and sends work back.
type Reviews interface {
	Review(ctx context.Context, c RecordReview) (Review, error)
	// Judge is a person's review, without an attempt.
	Judge(ctx context.Context, c Judge) (Review, error)
	WithdrawApproval(ctx context.Context, c WithdrawApproval) (Submission, error)
	Revise(ctx context.Context, c Revise) (Task, error)
}

// Decisions are questions with exact options, and what a person allowed.
type Decisions interface {
	Ask(ctx context.Context, c Ask) (Decision, error)
	Decide(ctx context.Context, c Decide) (Decision, error)
	Decision(ctx context.Context, project ProjectKey, id DecisionID) (Decision, error)
	ListDecisions(ctx context.Context, q DecisionQuery) ([]Decision, error)
	Authorize(ctx context.Context, c Authorize) (Authorization, error)
}

// Jobs are runs of local programs that outlive an agent's turn.
type Jobs interface {
	RegisterJob(ctx context.Context, c RegisterJob) (RegisteredJob, error)
	ObserveJob(ctx context.Context, c ObserveJob) (Observed, error)
	// SettleJob says how a job ended that nobody observes any more.
	SettleJob(ctx context.Context, c SettleJob) (Job, error)
	Job(ctx context.Context, id JobID) (Job, error)
	ListJobs(ctx context.Context, q JobQuery) ([]Job, error)
}

// Resources are named things with a capacity, taken in sets.
type Resources interface {
	CreateResource(ctx context.Context, c CreateResource) (Resource, error)
	ListResources(ctx context.Context, project ProjectKey) ([]Resource, error)
	Reserve(ctx context.Context, c Reserve) (Reserved, error)
	Unreserve(ctx context.Context, c Unreserve) ([]Reservation, error)
	// Adopt makes an attempt answer for what an earlier one of its task left.
	Adopt(ctx context.Context, c Adopt) (Obligations, error)
}

// Landings brings approved submissions into their target branch.
type Landings interface {
	// Hold claims an integration task and reserves its target.
	Hold(ctx context.Context, c Hold) (Held, error)
	// RecordMerge states what merging the candidate into the tip gave.
	RecordMerge(ctx context.Context, c RecordMerge) (Merged, error)
	// Permit allows one push of exactly the stated result.
	Permit(ctx context.Context, c Permit) (Landing, error)
	// RecordObservation reports what the remote holds; the only way out of
	// publishing.
	RecordObservation(ctx context.Context, c RecordObservation) (Landed, error)
	// FailLanding gives the target back after a conflict or a failed check.
	FailLanding(ctx context.Context, c FailLanding) (Landing, error)
	// DivergeTarget reports that the held target lost its last landing.
	DivergeTarget(ctx context.Context, c DivergeTarget) (Target, error)
	// SettleTarget opens a diverged target again.
	SettleTarget(ctx context.Context, c SettleTarget) (Target, error)
	// Reconcile tells a restored server what is on the held target.
	Reconcile(ctx context.Context, c Reconcile) (Reconciled, error)
}

// Knowledge keeps what was learnt.
type Knowledge interface {
	Learn(ctx context.Context, c Learn) (Lesson, error)
	Lessons(ctx context.Context, q LessonQuery) ([]Lesson, error)
	Lesson(ctx context.Context, project ProjectKey, id LessonID) (LessonDetail, error)
	EditLesson(ctx context.Context, c EditLesson) (Lesson, error)
	// JudgeLesson verifies or disputes what a lesson says.
	JudgeLesson(ctx context.Context, c JudgeLesson) (Lesson, error)
	// RateLesson counts whether a lesson helped, once for each session.
	RateLesson(ctx context.Context, c RateLesson) (Lesson, error)
	// SupersedeLesson returns the lesson that takes the place of the old one.
	SupersedeLesson(ctx context.Context, c SupersedeLesson) (Lesson, error)
	// RuleRevisions are all texts that the project's rules had, by name, the
	// latest first.
	RuleRevisions(ctx context.Context, project ProjectKey) ([]Rule, error)
	// Handoffs are the notes that imports brought in: dated history.
	Handoffs(ctx context.Context, q HandoffQuery) (Page[HandoffNote], error)
	Handoff(ctx context.Context, project ProjectKey, id HandoffID) (HandoffDetail, error)
}

// Exchange moves records in from Markdown and out to it.
type Exchange interface {
	PlanImport(ctx context.Context, r ImportRequest) (ImportPlan, error)
	ApplyImport(ctx context.Context, c ApplyImport) (ImportResult, error)
	// Sources are the files that were imported, and what is wrong in them.
	Sources(ctx context.Context, project ProjectKey) (Sources, error)
	ExportData(ctx context.Context, project ProjectKey) (ExportData, error)
}

// Views are the bounded answers that people and agents read.
type Views interface {
	Next(ctx context.Context, project ProjectKey) (NextAction, error)
	// Brief is the caller's orientation, in one read.
	Brief(ctx context.Context, project ProjectKey) (Brief, error)
	Board(ctx context.Context, project ProjectKey) (Board, error)
	// LandingBoard is branch versus integrated, as data.
	LandingBoard(ctx context.Context, project ProjectKey) (LandingBoard, error)
	Overview(ctx context.Context) (Overview, error)
	// Events returns at most limit events after a sequence, oldest first,
	// and does not wait. An empty project means all of them.
	Events(ctx context.Context, project ProjectKey, after Seq, limit int) ([]Event, error)
	// WaitEvents returns as soon as there is an event after the sequence,
	// or with none when ctx ends.
	WaitEvents(ctx context.Context, project ProjectKey, after Seq) ([]Event, error)
}

// Page is one page of a list. NextCursor is empty on the last one.
type Page[T any] struct {
	Items      []T    `json:"items"`
	NextCursor string `json:"next_cursor,omitempty"`
	AsOf       Seq    `json:"as_of" doc:"Event sequence that the page reflects."`
}
