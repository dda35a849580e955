package coord

import (
	"slices"
	"time"
)

// Check is a named command that a project requires, as read from the target
// branch.
type Check struct {
	Name    string   `json:"name"`
	Shell   string   `json:"shell,omitempty" doc:"Command line for sh, or cmd on Windows."`
	Argv    []string `json:"argv,omitempty" doc:"Command run as it is. Exactly one of shell and argv is set."`
	Timeout Duration `json:"timeout"`
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
	ResultInterrupted Result = "interrupted"
)

// Receipt is the immutable record of one run of one check on one snapshot.
type Receipt struct {
	ID         ReceiptID `json:"id"`
	Task       TaskID    `json:"task"`
	Attempt    AttemptID `json:"attempt"`
	Check      string    `json:"check"`
	Definition string    `json:"definition" doc:"Digest of the check's definition."`
	Tree       OID       `json:"tree"`
	Commit     OID       `json:"commit,omitempty" doc:"Set when the worktree was clean."`
	Base       OID       `json:"base,omitempty"`
	Result     Result    `json:"result" enum:"passed,failed,interrupted"`
	ExitStatus int       `json:"exit_status"`
	Reason     string    `json:"reason,omitempty"`
	Changed    []string  `json:"changed,omitempty" doc:"Files that the run itself changed; then it does not count."`
	Machine    string    `json:"machine"`
	Toolchain  string    `json:"toolchain" doc:"OS and architecture of the run."`
	LogDigest  string    `json:"log_digest,omitempty"`
	DurationMS int64     `json:"duration_ms"`
	At         time.Time `json:"at" doc:"When the server recorded it."`
}

// Counts reports whether r is evidence for the check on the tree: it passed,
// on exactly that tree and definition, and changed nothing.
func (r Receipt) Counts(check RequiredCheck, tree OID) bool {
	return r.Result == ResultPassed && r.Tree == tree && r.Check == check.Name &&
		r.Definition == check.Digest && len(r.Changed) == 0
}

// MissingChecks returns the required checks that no receipt covers for tree.
func MissingChecks(required []RequiredCheck, receipts []Receipt, tree OID) []RequiredCheck {
	var missing []RequiredCheck
	for _, c := range required {
		if !slices.ContainsFunc(receipts, func(r Receipt) bool { return r.Counts(c, tree) }) {
			missing = append(missing, c)
		}
	}
	return missing
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
	Check      string   `json:"check"`
	Definition string   `json:"definition"`
	Tree       OID      `json:"tree"`
	Commit     OID      `json:"commit,omitempty"`
	Base       OID      `json:"base,omitempty"`
	Result     Result   `json:"result" enum:"passed,failed,interrupted"`
	ExitStatus int      `json:"exit_status"`
	Reason     string   `json:"reason,omitempty"`
	Changed    []string `json:"changed,omitempty" maxItems:"100"`
	Machine    string   `json:"machine"`
	Toolchain  string   `json:"toolchain"`
	LogDigest  string   `json:"log_digest,omitempty"`
	DurationMS int64    `json:"duration_ms" minimum:"0"`
}

// Validate checks everything that needs no stored record.
func (r Run) Validate() error {
	if err := checkLine("check", r.Check, 1, 80); err != nil {
		return err
	}
	if !written(r.Definition, hexDigits, 64, 64) {
		return Errorf(CodeBadRequest, "the check's definition must be a SHA-256 in hex")
	}
	if r.Result != ResultPassed && r.Result != ResultFailed && r.Result != ResultInterrupted {
		return Errorf(CodeBadRequest, "result %q is not passed, failed or interrupted", string(r.Result))
	}
	if r.Result == ResultPassed && r.ExitStatus != 0 {
		return Errorf(CodeBadRequest, "a run that exited with %d did not pass", r.ExitStatus)
	}
	if r.DurationMS < 0 || len(r.Changed) > 100 {
		return Errorf(CodeBadRequest, "a run takes at least 0 ms and lists at most 100 changed files")
	}
	for _, t := range append([]string{r.Machine, r.Toolchain, r.Reason, r.LogDigest}, r.Changed...) {
		if err := checkText("run text", t, 0, 2000); err != nil {
			return err
		}
	}
	return checkOIDs(append([]OID{r.Tree}, stated(r.Commit, r.Base)...)...)
}
