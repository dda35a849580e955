package coord

import (
	"time"
)

// Check is a named command that a project requires, as read from the target
// branch.
type Check struct {
	Name    string   `json:"name"`
	Shell   string   `json:"shell,omitempty" doc:"Command line for sh, or cmd on Windows."`
	Argv    []string `json:"argv,omitempty" doc:"Command run as it is. Exactly one of shell and argv is set."`
	Timeout Duration `json:"timeout"`
	// SkipStatus is the exit status by which the command says that it could not
	// check anything here; 0 is none.
	SkipStatus int `json:"skip_status,omitempty"`
	// Fingerprint is a command line whose output tells the toolchain's version.
	Fingerprint string `json:"fingerprint,omitempty"`
}

// Digest identifies the definition: receipts of another definition do not
// count.
func (c Check) Digest() string { return digestOf(c) }

// Require is the check as a submission or a landing names it.
func (c Check) Require() RequiredCheck { return RequiredCheck{Name: c.Name, Digest: c.Digest()} }

// RequiredCheck names one definition of one check.
type RequiredCheck struct {
	Name   string `json:"name"`
	Digest string `json:"digest"`
}

func checkRequired(list []RequiredCheck) error {
	if len(list) > 50 {
		return Errorf(CodeBadRequest, "at most 50 checks can be required, not %d", len(list))
	}
	for _, c := range list {
		if err := checkLine("check", c.Name, 1, 80); err != nil {
			return err
		}
		if !written(c.Digest, hexDigits, 64, 64) {
			return Errorf(CodeBadRequest, "the definition of check %s must be a SHA-256 in hex", c.Name)
		}
	}
	return nil
}

// Result is how a check run ended.
type Result string

// The results.
const (
	ResultPassed      Result = "passed"
	ResultFailed      Result = "failed"
	ResultSkipped     Result = "skipped" // it ran and says that it checked nothing
	ResultInterrupted Result = "interrupted"
)

// Receipt is the immutable record of one run of one check on one snapshot.
// Flaky and Spent are what all runs of the check on that tree amount to when
// the receipt is read.
type Receipt struct {
	ID         ReceiptID  `json:"id"`
	Task       TaskID     `json:"task"`
	Attempt    AttemptID  `json:"attempt"`
	Check      string     `json:"check"`
	Definition string     `json:"definition" doc:"Digest of the check's definition."`
	Command    string     `json:"command,omitempty" doc:"The definition's command, as people read it."`
	Tree       OID        `json:"tree"`
	Commit     OID        `json:"commit,omitempty" doc:"Set when the worktree was clean."`
	Base       OID        `json:"base,omitempty"`
	Result     Result     `json:"result" enum:"passed,failed,skipped,interrupted"`
	ExitStatus int        `json:"exit_status"`
	Reason     string     `json:"reason,omitempty"`
	Changed    []string   `json:"changed,omitempty" doc:"Files that the run itself changed; then it does not count."`
	Machine    string     `json:"machine"`
	Toolchain  string     `json:"toolchain" doc:"OS and architecture of the run, and the fingerprint that the check's definition asks for."`
	LogDigest  string     `json:"log_digest,omitempty"`
	StartedAt  *time.Time `json:"started_at,omitempty" doc:"By the clock of the run's machine."`
	EndedAt    *time.Time `json:"ended_at,omitempty" doc:"By the clock of the run's machine."`
	DurationMS int64      `json:"duration_ms"`
	Decision   DecisionID `json:"decision,omitempty" doc:"That allowed the run although the check had failed too often."`
	At         time.Time  `json:"at" doc:"When the server recorded it."`
	Flaky      bool       `json:"flaky,omitempty" doc:"Another run of this check on this tree ended otherwise."`
	Spent      bool       `json:"spent,omitempty" doc:"The check failed too often on this tree: another run counts only with a decision."`
}

// Counts reports whether r is evidence for the check on the tree: it passed,
// on exactly that tree and definition, and changed nothing. Whether the check
// has passed there is for all its runs to say; see StateOf.
func (r Receipt) Counts(check RequiredCheck, tree OID) bool {
	return r.Result == ResultPassed && r.about(check, tree) && len(r.Changed) == 0
}

func (r Receipt) about(check RequiredCheck, tree OID) bool {
	return r.Tree == tree && r.Check == check.Name && r.Definition == check.Digest
}

// RecordReceipt reports a run under a live attempt.
type RecordReceipt struct {
	Key     Key       `json:"-"`
	Attempt AttemptID `json:"-"`
	Fence   Fence     `json:"fence"`
	Run     Run       `json:"run"`
}

// Run is what the client saw of one check run.
type Run struct {
	Check      string     `json:"check"`
	Definition string     `json:"definition"`
	Command    string     `json:"command,omitempty"`
	Tree       OID        `json:"tree"`
	Commit     OID        `json:"commit,omitempty"`
	Base       OID        `json:"base,omitempty"`
	Result     Result     `json:"result" enum:"passed,failed,skipped,interrupted"`
	ExitStatus int        `json:"exit_status"`
	Reason     string     `json:"reason,omitempty"`
	Changed    []string   `json:"changed,omitempty" maxItems:"100"`
	Machine    string     `json:"machine"`
	Toolchain  string     `json:"toolchain"`
	LogDigest  string     `json:"log_digest,omitempty"`
	StartedAt  time.Time  `json:"started_at,omitzero" doc:"By the clock of the run's machine; with ended_at."`
	EndedAt    time.Time  `json:"ended_at,omitzero"`
	DurationMS int64      `json:"duration_ms" minimum:"0"`
	Decision   DecisionID `json:"decision,omitempty" doc:"Answered decision that allows another run of a check that failed too often on the tree."`
}

// Skew is how far ahead of the server a machine's clock may be.
const Skew = 5 * time.Minute

// CheckTimes refuses a run from the future.
func (r Run) CheckTimes(now time.Time) error {
	if last := now.Add(Skew); r.StartedAt.After(last) || r.EndedAt.After(last) {
		return Errorf(CodeBadRequest, "the run of check %s is more than %s in the future, so its machine's clock is wrong; nothing was recorded", OneLine(r.Check), Skew).
			WithNext("coord check once the clock is right")
	}
	return nil
}

// Validate checks everything that needs no stored record.
func (r Run) Validate() error {
	if err := checkLine("check", r.Check, 1, 80); err != nil {
		return err
	}
	if !written(r.Definition, hexDigits, 64, 64) {
		return Errorf(CodeBadRequest, "the check's definition must be a SHA-256 in hex")
	}
	if err := r.checkOutcome(); err != nil {
		return err
	}
	if r.DurationMS < 0 || len(r.Changed) > 100 {
		return Errorf(CodeBadRequest, "a run takes at least 0 ms and lists at most 100 changed files")
	}
	if r.StartedAt.IsZero() != r.EndedAt.IsZero() || r.EndedAt.Before(r.StartedAt) {
		return Errorf(CodeBadRequest, "a run has a start and an end, which is not before the start")
	}
	for _, t := range append([]string{r.Machine, r.Toolchain, r.Reason, r.LogDigest, r.Command, string(r.Decision)}, r.Changed...) {
		if err := checkText("run text", t, 0, 2000); err != nil {
			return err
		}
	}
	return checkOIDs(append([]OID{r.Tree}, stated(r.Commit, r.Base)...)...)
}

func (r Run) checkOutcome() error {
	switch r.Result {
	case ResultPassed:
		if r.ExitStatus != 0 {
			return Errorf(CodeBadRequest, "a run that exited with %d did not pass", r.ExitStatus)
		}
	case ResultSkipped:
		if r.ExitStatus == 0 {
			return Errorf(CodeBadRequest, "a run that was skipped says so by an exit status other than 0")
		}
	case ResultFailed, ResultInterrupted:
	default:
		return Errorf(CodeBadRequest, "result %q is not passed, failed, skipped or interrupted", string(r.Result))
	}
	return nil
}
