package coord

import (
	"errors"
	"fmt"
	"time"
)

// Code names a kind of refusal or failure. It is stable: scripts and agents
// may branch on it. The table below gives its HTTP status, exit status and
// retry advice.
type Code string

// The codes. Each belongs to one exit status (see ExitStatus).
const (
	CodeInternal            Code = "internal"             // a defect of ours; its text stays in the log
	CodeBadRequest          Code = "bad_request"          // malformed or out-of-range input
	CodeNotFound            Code = "not_found"            // the named thing does not exist
	CodeAmbiguous           Code = "ambiguous"            // the name fits several things
	CodeSetup               Code = "setup"                // this machine or directory is not set up for the command
	CodeUnauthenticated     Code = "unauthenticated"      // no valid credential
	CodeSessionUnknown      Code = "session_unknown"      // the session was never opened here, or its proof is wrong
	CodeSessionInUse        Code = "session_in_use"       // another process has the session: it came with another proof, or its lock is held
	CodeNotPermitted        Code = "not_permitted"        // the policy or the caller's role forbids it
	CodeNotIndependent      Code = "not_independent"      // a contributor may not judge this submission
	CodeTaskTaken           Code = "task_taken"           // another attempt owns the task
	CodeFenced              Code = "fenced"               // the stated fence is not the current one
	CodeLeaseExpired        Code = "lease_expired"        // the lease ended; see Details["resumable"]
	CodeRecoveryRequired    Code = "recovery_required"    // saved work or a dead owner needs a disposition first
	CodeTargetHeld          Code = "target_held"          // another landing holds the target branch
	CodeStateConflict       Code = "state_conflict"       // the record is not in a state that allows this
	CodePlanStale           Code = "plan_stale"           // the import plan no longer fits what is stored
	CodeIdempotencyMismatch Code = "idempotency_mismatch" // the same key came with another body
	CodeKeyExpired          Code = "key_expired"          // the key was used too long ago for its answer to be kept
	CodeEpochChanged        Code = "epoch_changed"        // the server was restored from a backup since the caller read
	CodeQuota               Code = "quota"                // the session holds as many attempts as the project allows
	CodeResourceBusy        Code = "resource_busy"        // a wanted resource is taken
	CodeRequirement         Code = "requirement_not_met"  // evidence, a clean tree or another named requirement is missing
	CodeCheckFailed         Code = "check_failed"         // a required check ran and did not pass
	CodeMergeConflict       Code = "merge_conflict"       // the candidate does not merge into the target
	CodeRemoteRefused       Code = "remote_refused"       // the Git remote definitely refused
	CodeNothingEligible     Code = "nothing_eligible"     // a normal stop: no work for this caller now
	CodeRateLimited         Code = "rate_limited"         // too many requests; nothing changed
	CodeStorageFull         Code = "storage_full"         // the server's disk is full; nothing changed
	CodeUnavailable         Code = "unavailable"          // no answer, or the server is not ready; the outcome is unknown
)

// Retry says how a refused request may be sent again.
type Retry string

// The advice, as the wire carries it.
const (
	RetrySameKey     Retry = "same_key"     // same request, same idempotency key
	RetryNewKey      Retry = "new_key"      // same request under a new key
	RetryAfterReread Retry = "after_reread" // read the record again, then decide
	RetryNever       Retry = "never"
)

// Error is the one error type of coord. Message is a sentence that says what
// was wrong and whether anything changed; Next holds the commands that would
// help, best first. RequiredActor is set when only that kind of actor
// ("operator") can lift the refusal.
type Error struct {
	Code          Code              `json:"code"`
	Message       string            `json:"message"`
	Next          []string          `json:"next,omitempty"`
	RequiredActor string            `json:"required_actor,omitempty"`
	Retry         Retry             `json:"retry,omitempty"`
	RetryAfterMS  int64             `json:"retry_after_ms,omitempty"`
	Details       map[string]string `json:"details,omitempty"`

	cause error
}

// Errorf makes an Error. A %w verb keeps the cause for errors.Is.
func Errorf(code Code, format string, args ...any) *Error {
	wrapped := fmt.Errorf(format, args...)
	return &Error{Code: code, Message: wrapped.Error(), Retry: defaultRetry(code), cause: errors.Unwrap(wrapped)}
}

// WithNext returns a copy of e that suggests the commands, best first.
func (e *Error) WithNext(commands ...string) *Error {
	c := *e
	c.Next = append([]string(nil), commands...)
	return &c
}

// WithDetail returns a copy of e with one more detail.
func (e *Error) WithDetail(key, value string) *Error {
	c := *e
	c.Details = make(map[string]string, len(e.Details)+1)
	for k, v := range e.Details {
		c.Details[k] = v
	}
	c.Details[key] = value
	return &c
}

// WithActor returns a copy of e that names who can lift the refusal.
func (e *Error) WithActor(actor string) *Error {
	c := *e
	c.RequiredActor = actor
	return &c
}

// WithRetryAfter returns a copy of e that says when to look again.
func (e *Error) WithRetryAfter(d time.Duration) *Error {
	c := *e
	c.RetryAfterMS = max(d.Milliseconds(), 1)
	return &c
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause given to Errorf with %w, if any.
func (e *Error) Unwrap() error { return e.cause }

// Is reports whether target is an *Error of the same code, so that
// errors.Is(err, &coord.Error{Code: coord.CodeFenced}) works.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// CodeOf returns the code of err: its own, CodeInternal for an unknown
// error, and "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return CodeInternal
}

// outcome is one row of the table from code to the outside world.
type outcome struct {
	http, exit int
	retry      Retry
}

var outcomes = map[Code]outcome{
	CodeInternal:            {500, 1, RetrySameKey},
	CodeBadRequest:          {400, 2, RetryNever},
	CodeNotFound:            {404, 2, RetryAfterReread},
	CodeAmbiguous:           {409, 2, RetryNever},
	CodeSetup:               {412, 3, RetryNever},
	CodeUnauthenticated:     {401, 3, RetryNever},
	CodeSessionUnknown:      {401, 3, RetrySameKey},
	CodeSessionInUse:        {409, 5, RetrySameKey},
	CodeNotPermitted:        {403, 4, RetryNever},
	CodeNotIndependent:      {403, 4, RetryNever},
	CodeTaskTaken:           {409, 5, RetryNewKey},
	CodeFenced:              {409, 5, RetryAfterReread},
	CodeLeaseExpired:        {409, 5, RetryAfterReread},
	CodeRecoveryRequired:    {409, 5, RetryNewKey},
	CodeTargetHeld:          {409, 5, RetryNewKey},
	CodeStateConflict:       {409, 5, RetryAfterReread},
	CodePlanStale:           {409, 5, RetryAfterReread},
	CodeIdempotencyMismatch: {422, 5, RetryNewKey},
	CodeKeyExpired:          {409, 5, RetryAfterReread},
	CodeEpochChanged:        {409, 5, RetryAfterReread},
	CodeQuota:               {409, 5, RetryAfterReread},
	CodeResourceBusy:        {409, 5, RetryNewKey},
	CodeRequirement:         {409, 6, RetryNewKey},
	CodeCheckFailed:         {409, 6, RetryNewKey},
	CodeMergeConflict:       {409, 6, RetryNewKey},
	CodeRemoteRefused:       {409, 6, RetryNewKey},
	CodeNothingEligible:     {409, 8, RetryNewKey},
	CodeRateLimited:         {429, 7, RetrySameKey},
	CodeStorageFull:         {507, 7, RetrySameKey},
	CodeUnavailable:         {503, 7, RetrySameKey},
}

func defaultRetry(c Code) Retry { return outcomeOf(c).retry }

func outcomeOf(c Code) outcome {
	if o, ok := outcomes[c]; ok {
		return o
	}
	return outcomes[CodeInternal]
}

// HTTPStatus is the HTTP status that carries the code.
func (c Code) HTTPStatus() int { return outcomeOf(c).http }

// ExitStatus is the exit status of a command that ends with the code.
func (c Code) ExitStatus() int { return outcomeOf(c).exit }

// Business reports whether the code is a decision about stored state, which
// an idempotency key must remember, rather than a failure to decide.
func (c Code) Business() bool {
	switch c.HTTPStatus() {
	case 400, 401, 403, 422, 429:
		return false
	}
	return c.HTTPStatus() < 500
}
