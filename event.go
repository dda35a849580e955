package coord

import "time"

// EventKind names a change. Liveness is not an event.
type EventKind string

// The kinds, by the noun that changed.
const (
	EventProjectCreated     EventKind = "project.created"
	EventSessionOpened      EventKind = "session.opened"
	EventSessionClosed      EventKind = "session.closed"
	EventTokenIssued        EventKind = "token.issued"
	EventTokenRevoked       EventKind = "token.revoked"
	EventOperatorDisabled   EventKind = "operator.disabled"
	EventTaskCreated        EventKind = "task.created"
	EventTaskUpdated        EventKind = "task.updated"
	EventTaskClosed         EventKind = "task.closed"
	EventAttemptClaimed     EventKind = "attempt.claimed"
	EventAttemptRecovered   EventKind = "attempt.recovered"
	EventAttemptResumed     EventKind = "attempt.resumed"
	EventAttemptReleased    EventKind = "attempt.released"
	EventAttemptRevoked     EventKind = "attempt.revoked" // its session was closed, or its credential ended
	EventWorktreeBound      EventKind = "worktree.bound"
	EventCheckpointRecorded EventKind = "checkpoint.recorded"
	EventReceiptRecorded    EventKind = "receipt.recorded"
	EventSubmissionCreated  EventKind = "submission.created"
	EventSubmissionReviewed EventKind = "submission.reviewed"
	EventSubmissionRevised  EventKind = "submission.revised"
	EventLandingHeld        EventKind = "landing.held"
	EventLandingMerged      EventKind = "landing.merged"
	EventLandingPermitted   EventKind = "landing.permitted"
	EventLandingObserved    EventKind = "landing.observed" // not landed
	EventLandingLanded      EventKind = "landing.landed"
	EventLandingFailed      EventKind = "landing.failed" // conflict, failed check or given back
	EventTargetDiverged     EventKind = "target.diverged"
	EventTargetSettled      EventKind = "target.settled"
	EventTargetReconciled   EventKind = "target.reconciled" // with a restored server
	EventTaskEdited         EventKind = "task.edited"
	EventTaskLinked         EventKind = "task.linked"
	EventTaskUnlinked       EventKind = "task.unlinked"
	EventTaskBlocked        EventKind = "task.blocked"
	EventTaskUnblocked      EventKind = "task.unblocked"
	EventNoteAdded          EventKind = "note.added"
	EventDecisionAsked      EventKind = "decision.asked"
	EventDecisionAnswered   EventKind = "decision.answered"
	EventDecisionSuperseded EventKind = "decision.superseded"
	EventApprovalVoided     EventKind = "approval.voided"
	EventAuthorized         EventKind = "authorization.given"
	EventPolicyChanged      EventKind = "policy.changed"
	EventRuleChanged        EventKind = "rule.changed"
	EventJobRegistered      EventKind = "job.registered"
	EventJobObserved        EventKind = "job.observed" // its state changed
	EventResourceCreated    EventKind = "resource.created"
	EventResourceReserved   EventKind = "resource.reserved"
	EventResourceReleased   EventKind = "resource.released"
	EventObligationsAdopted EventKind = "obligations.adopted"
	EventLessonLearned      EventKind = "lesson.learned"
	EventLessonChanged      EventKind = "lesson.changed"
	EventLessonJudged       EventKind = "lesson.judged" // verified or disputed
	EventLessonRated        EventKind = "lesson.rated"  // useful or not
	EventLessonSuperseded   EventKind = "lesson.superseded"
	EventImportApplied      EventKind = "import.applied"
	EventServerRestored     EventKind = "server.restored" // the records are as a backup had them
)

// EventKinds are all kinds of event, in order.
func EventKinds() []EventKind {
	return []EventKind{
		EventApprovalVoided, EventAttemptClaimed, EventAttemptRecovered, EventAttemptReleased, EventAttemptResumed,
		EventAttemptRevoked, EventAuthorized, EventCheckpointRecorded, EventDecisionAnswered, EventDecisionAsked,
		EventDecisionSuperseded, EventImportApplied, EventJobObserved, EventJobRegistered, EventLandingFailed, EventLandingHeld,
		EventLandingLanded, EventLandingMerged, EventLandingObserved, EventLandingPermitted, EventLessonChanged, EventLessonJudged,
		EventLessonLearned, EventLessonRated, EventLessonSuperseded, EventNoteAdded,
		EventObligationsAdopted, EventOperatorDisabled, EventPolicyChanged, EventProjectCreated, EventReceiptRecorded,
		EventResourceCreated, EventResourceReleased, EventResourceReserved, EventRuleChanged, EventServerRestored, EventSessionClosed,
		EventSessionOpened, EventSubmissionCreated, EventSubmissionReviewed, EventSubmissionRevised, EventTargetDiverged,
		EventTargetReconciled, EventTargetSettled, EventTaskBlocked, EventTaskClosed,
		EventTaskCreated, EventTaskEdited, EventTaskLinked, EventTaskUnblocked, EventTaskUnlinked, EventTaskUpdated, EventTokenIssued,
		EventTokenRevoked, EventWorktreeBound,
	}
}

// Event is one entry of the log. Seq is dense from 1; Hash chains each entry
// to the one before.
type Event struct {
	Seq     Seq               `json:"seq"`
	At      time.Time         `json:"at"`
	Kind    EventKind         `json:"kind"`
	Project ProjectKey        `json:"project,omitempty"`
	Task    TaskID            `json:"task,omitempty"`
	Actor   string            `json:"actor" doc:"Display name of the session or principal."`
	Text    string            `json:"text" doc:"What happened, in a sentence."`
	Data    map[string]string `json:"data,omitempty"`
	Hash    string            `json:"hash"`
}
