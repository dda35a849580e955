package coord

import (
	"strconv"
	"strings"
)

// Identifiers are distinct types so that one cannot be passed for another.
type (
	ProjectKey      string // stable short name of a project: pay
	TaskID          string // pay-42; never reused
	AttemptID       string // pay-42.a3: generation 3 of pay-42
	SubmissionID    string // pay-42.s1
	LandingID       string // pay-42.l1
	ReceiptID       string // r17
	ReviewID        string // v4
	LessonID        string // L3, numbered within its project
	HandoffID       string // H3, numbered within its project
	DecisionID      string // D3, numbered within its project
	AuthorizationID string // A3, numbered within its project
	BlockerID       string // b7
	FindingID       string // pay-42.f3
	JobID           string // j12
	ReservationID   string // n5
	TicketID        string // w5
	SessionID       string // made by the client, 16 to 64 of [A-Za-z0-9_-]
	PrincipalID     string // who a credential belongs to
	RepositoryID    string // normalised remote: host/path, or file:///path
)

// OID is a full Git object id in lower-case hex, SHA-1 or SHA-256; empty
// means none.
type OID string

// Valid reports whether o is a full object id, and not the all-zero one that
// Git uses for nothing.
func (o OID) Valid() bool {
	return (len(o) == 40 || len(o) == 64) && strings.Trim(string(o), hexDigits) == "" && strings.Trim(string(o), "0") != ""
}

// Short is the form that people read.
func (o OID) Short() string {
	if len(o) < 7 {
		return string(o)
	}
	return string(o[:7])
}

// Seq is a position in the event log: dense, from 1. It is a string in JSON,
// since JavaScript rounds integers above 2^53.
type Seq int64

// MarshalText writes the decimal form.
func (s Seq) MarshalText() ([]byte, error) { return strconv.AppendInt(nil, int64(s), 10), nil }

// UnmarshalText accepts exactly the decimal form of a non-negative int64.
func (s *Seq) UnmarshalText(b []byte) error {
	n, err := parseCount(string(b))
	if err != nil {
		return Errorf(CodeBadRequest, "sequence %q is not a decimal number", string(b))
	}
	*s = Seq(n)
	return nil
}

// Fence is the proof of current authority: the server's epoch, which changes
// only by restore, and the attempt's generation. Fences of one task never
// repeat and never decrease.
type Fence struct {
	Epoch, Generation int64
}

// EpochChanged is the refusal of a request that states another epoch than the
// server's: what its sender knows is from before a restore, or was lost in it.
func EpochChanged(stated, current int64) *Error {
	return Errorf(CodeEpochChanged, "the server was restored from a backup: its epoch is %d, and this request is from epoch %d; nothing was changed; what was done since that backup may be missing, so look first", current, stated).
		WithNext("coord status", "coord board")
}

// String writes the wire form epoch.generation.
func (f Fence) String() string {
	return strconv.FormatInt(f.Epoch, 10) + "." + strconv.FormatInt(f.Generation, 10)
}

// MarshalText writes the wire form.
func (f Fence) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText accepts exactly the wire form.
func (f *Fence) UnmarshalText(b []byte) error {
	epoch, generation, ok := strings.Cut(string(b), ".")
	e, err1 := parseCount(epoch)
	g, err2 := parseCount(generation)
	if !ok || err1 != nil || err2 != nil {
		return Errorf(CodeBadRequest, "fence %q is not of the form epoch.generation", string(b))
	}
	*f = Fence{Epoch: e, Generation: g}
	return nil
}

// parseCount reads a canonical non-negative decimal.
func parseCount(s string) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0, err
	}
	if n < 0 || strconv.FormatInt(n, 10) != s {
		return 0, strconv.ErrSyntax
	}
	return n, nil
}

const (
	digits    = "0123456789"
	hexDigits = digits + "abcdef"
	lower     = "abcdefghijklmnopqrstuvwxyz"
	urlSafe   = lower + "ABCDEFGHIJKLMNOPQRSTUVWXYZ" + digits + "-_" // base64url, RFC 4648 section 5
)

// written reports whether s has shortest to longest bytes, all of them in the
// ASCII alphabet.
func written(s, alphabet string, shortest, longest int) bool {
	return len(s) >= shortest && len(s) <= longest && strings.Trim(s, alphabet) == ""
}

// Validate checks the form: a lower-case letter, then up to 15 letters or
// digits. No dash, so that pay-42 has one reading.
func (k ProjectKey) Validate() error {
	if written(string(k), lower+digits, 1, 16) && k[0] >= 'a' {
		return nil
	}
	return Errorf(CodeBadRequest, "project key %q must be a lower-case letter followed by up to 15 lower-case letters or digits", string(k))
}

// NewTaskID joins a project and a number.
func NewTaskID(p ProjectKey, number int64) TaskID {
	return TaskID(string(p) + "-" + strconv.FormatInt(number, 10))
}

// Split takes an id apart. It returns CodeBadRequest for anything that
// NewTaskID would not write.
func (t TaskID) Split() (ProjectKey, int64, error) {
	p, n, ok := strings.Cut(string(t), "-")
	number, err := parseCount(n)
	if !ok || err != nil || number == 0 || ProjectKey(p).Validate() != nil {
		return "", 0, Errorf(CodeBadRequest, "%q is not a task id; one looks like pay-42", string(t)).WithNext("coord task list")
	}
	return ProjectKey(p), number, nil
}

// Project is the project part of a well-formed id, else empty.
func (t TaskID) Project() ProjectKey {
	p, _, err := t.Split()
	if err != nil {
		return ""
	}
	return p
}

// NewAttemptID names the attempt of one generation.
func NewAttemptID(t TaskID, generation int64) AttemptID {
	return AttemptID(string(t) + ".a" + strconv.FormatInt(generation, 10))
}

// Task is the task that the attempt is of.
func (a AttemptID) Task() TaskID { return TaskID(beforeLast(string(a), ".a")) }

// NewSubmissionID names the nth submission of a task.
func NewSubmissionID(t TaskID, n int64) SubmissionID {
	return SubmissionID(string(t) + ".s" + strconv.FormatInt(n, 10))
}

// Task is the task that the submission is of.
func (s SubmissionID) Task() TaskID { return TaskID(beforeLast(string(s), ".s")) }

// Valid reports whether NewSubmissionID would write it.
func (s SubmissionID) Valid() bool {
	task, n, ok := strings.Cut(string(s), ".s")
	number, err := parseCount(n)
	return ok && err == nil && number > 0 && TaskID(task).Project() != ""
}

// NewFindingID names the nth finding of a task's reviews.
func NewFindingID(t TaskID, n int64) FindingID {
	return FindingID(string(t) + ".f" + strconv.FormatInt(n, 10))
}

// NewLandingID names the nth landing of a task.
func NewLandingID(t TaskID, n int64) LandingID {
	return LandingID(string(t) + ".l" + strconv.FormatInt(n, 10))
}

// Task is the code task that the landing is of.
func (l LandingID) Task() TaskID { return TaskID(beforeLast(string(l), ".l")) }

func beforeLast(s, sep string) string {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i]
	}
	return s
}
