package servicetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"coord"
)

// Core is the workflow on nothing but the rules of package coord: records in
// memory, no SQL and no HTTP. What it decides, it decides by the same pure
// functions as the store does; what it keeps, it keeps in maps. A walk that is
// compared with it shows that the store adds nothing to the rules and loses
// nothing of them.
type Core struct {
	now      func() time.Time
	record   coreRecord
	backup   coreRecord
	sessions map[coord.SessionID]*coreCaller
	answers  map[coreKey]coreAnswer
}

// NewCore has no project yet.
func NewCore(now func() time.Time) *Core {
	c := &Core{now: now, sessions: map[coord.SessionID]*coreCaller{}, answers: map[coreKey]coreAnswer{}}
	c.record = coreRecord{
		epoch: 1, projects: map[coord.ProjectKey]*coreProject{}, tasks: map[coord.TaskID]*coreTask{},
		subs: map[coord.SubmissionID]*coreSubmission{}, landings: map[coord.LandingID]*coreLanding{}, targets: map[string]*coord.Target{},
	}
	return c
}

// coreRecord is what a backup holds.
type coreRecord struct {
	epoch    int64
	projects map[coord.ProjectKey]*coreProject
	tasks    map[coord.TaskID]*coreTask
	subs     map[coord.SubmissionID]*coreSubmission
	landings map[coord.LandingID]*coreLanding
	receipts []coord.Receipt
	targets  map[string]*coord.Target // by project and name
	restored bool
	blockers int // opened so far
}

type coreProject struct {
	policy coord.Policy
	target string
	tasks  int64
	asked  []*coord.Decision
}

// coreTask is a task as it is recorded: what is derived is not in it.
type coreTask struct {
	coord.Task
	subject  coord.SubmissionID // of a review or an integration
	attempts []*coreAttempt
	blockers []*coord.Blocker // lifted ones are dropped
}

type coreAttempt struct {
	id    coord.AttemptID
	facts coord.AttemptFacts
	from  coord.OID
}

type coreSubmission struct {
	coord.Submission
	generation int64
	landing    coord.LandingID
	reviews    []coord.Review
	revisedAt  time.Time
}

type coreLanding struct {
	coord.Landing
	attempt coord.AttemptID
}

// coreCaller is the core as one session sees it, or a person, who has none. It
// serves what a walk needs of coord.Service; anything else panics on the nil
// interface.
type coreCaller struct {
	coord.Service
	*Core
	id   coord.SessionID
	name string
	role coord.Role
}

// coreRequest is one keyed request: what makes two requests the same.
type coreRequest struct {
	operation string
	key       coord.Key
	about     string // the path's ids, which the command's JSON leaves out
	command   any
}

// coreKey is what a key belongs to. Agents are one principal here, and
// operators another.
type coreKey struct {
	role      coord.Role
	operation string
	key       coord.Key
}

// coreAnswer is what a key got: an outcome as it is now, or a refusal.
type coreAnswer struct {
	print   string
	current func() any
	refusal error
}

// once answers a key's first request by doing it, and its repetition by what
// came of it, as it stands now.
func once[T any](s *coreCaller, r coreRequest, do func() (func() T, error)) (out T, err error) {
	if err := s.open(); err != nil {
		return out, err
	}
	key, print := coreKey{s.role, r.operation, r.key}, s.print(r)
	if a, ok := s.answers[key]; ok {
		switch {
		case a.print != print:
			return out, coord.Errorf(coord.CodeIdempotencyMismatch, "another request had this key")
		case a.refusal != nil:
			return out, a.refusal
		}
		return a.current().(T), nil
	}
	current, err := do()
	var e *coord.Error
	switch {
	case err == nil:
		s.answers[key] = coreAnswer{print: print, current: func() any { return current() }}
		return current(), nil
	case errors.As(err, &e) && e.Code.Business():
		s.answers[key] = coreAnswer{print: print, refusal: err}
	}
	return out, err
}

func (s *coreCaller) print(r coreRequest) string {
	body, err := json.Marshal(r.command)
	if err != nil {
		panic(err) // commands are encoded on every wire
	}
	who := s.id
	if r.operation == "create" { // it needs no session
		who = ""
	}
	return fmt.Sprintf("%s %s %s %s", r.operation, r.about, who, body)
}

// open refuses a session that was closed.
func (s *coreCaller) open() error {
	if s.role == coord.RoleAgent && s.sessions[s.id] != s {
		return coord.Errorf(coord.CodeSessionUnknown, "the session is closed")
	}
	return nil
}

func (c *Core) project(p coord.ProjectKey) (*coreProject, error) {
	if x := c.record.projects[p]; x != nil {
		return x, nil
	}
	return nil, coord.Errorf(coord.CodeNotFound, "there is no project %s", p)
}

func (c *Core) policy(t *coreTask) coord.Policy { return c.record.projects[t.Project].policy }

func (c *Core) task(id coord.TaskID) (*coreTask, error) {
	if t := c.record.tasks[id]; t != nil {
		return t, nil
	}
	return nil, coord.Errorf(coord.CodeNotFound, "there is no task %s", id)
}

// add records a task under the next number.
func (c *Core) add(t coord.Task, subject coord.SubmissionID) *coreTask {
	p := c.record.projects[t.Project]
	p.tasks++
	t.ID, t.Revision = coord.NewTaskID(t.Project, p.tasks), 1
	t.Digest = coord.Digest(t.Kind, t.Title, t.Outcome, t.Criteria)
	n := &coreTask{Task: t, subject: subject}
	c.record.tasks[t.ID] = n
	return n
}

// current is the attempt that was not ended.
func (t *coreTask) current() *coreAttempt {
	i := slices.IndexFunc(t.attempts, func(a *coreAttempt) bool { return a.facts.Ended == "" })
	if i < 0 {
		return nil
	}
	return t.attempts[i]
}

func (t *coreTask) workedOn(s coord.SessionID) bool {
	return slices.ContainsFunc(t.attempts, func(a *coreAttempt) bool { return a.facts.Session == s })
}

// submission is the one in review or landing, or what a follower is about.
func (c *Core) submission(t *coreTask) *coreSubmission {
	if t.subject != "" {
		return c.record.subs[t.subject]
	}
	return c.record.subs[t.Submission]
}

// facts is what the rules judge a task by.
func (c *Core) facts(t *coreTask) coord.TaskFacts {
	f := coord.TaskFacts{
		ID: t.ID, Kind: t.Kind, Lifecycle: t.Lifecycle, Waiting: c.waiting(t), Blockers: c.blockersOf(t), Generation: t.Generation,
		Saved: t.Saved, Slot: t.Slot,
	}
	if a := t.current(); a != nil {
		f.Attempt = &a.facts
	}
	x := c.submission(t)
	if x == nil {
		return f
	}
	f.Submission, f.SubmissionID = x.State, x.ID
	if l := c.record.landings[x.landing]; l != nil {
		f.Landing = l.State
		if _, a, err := c.attempt(l.attempt); err == nil && l.State.Reserves() && t.subject == "" {
			f.LandingEnds = a.facts.ExpiresAt
		}
	}
	return f
}

func (c *Core) waiting(t *coreTask) (out []coord.TaskID) {
	for _, d := range t.DependsOn {
		if c.record.tasks[d].Lifecycle != coord.LifecycleDone {
			out = append(out, d)
		}
	}
	return out
}

// blockersOf are the open ones of a task, and of its integration too, oldest
// first.
func (c *Core) blockersOf(t *coreTask) (out []coord.Blocker) {
	all := t.blockers
	if x := c.record.subs[t.Submission]; x != nil && x.Integration != "" {
		all = append(slices.Clone(all), c.record.tasks[x.Integration].blockers...)
	}
	for _, b := range all {
		out = append(out, *b)
	}
	slices.SortFunc(out, func(a, b coord.Blocker) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return out
}

func (c *Core) attempt(id coord.AttemptID) (*coreTask, *coreAttempt, error) {
	if t := c.record.tasks[id.Task()]; t != nil {
		for _, a := range t.attempts {
			if a.id == id {
				return t, a, nil
			}
		}
	}
	return nil, nil, coord.Errorf(coord.CodeNotFound, "there is no attempt %s", id)
}

// owned proves the caller's authority at this moment.
func (s *coreCaller) owned(id coord.AttemptID, stated coord.Fence) (*coreTask, *coreAttempt, error) {
	t, a, err := s.attempt(id)
	if err != nil {
		return t, a, err
	}
	return t, a, a.facts.Authorize(s.id, stated, coord.Fence{Epoch: s.record.epoch, Generation: t.Generation}, s.now())
}

// close closes a task that nobody holds.
func (c *Core) close(t *coreTask, to coord.Lifecycle) {
	t.Lifecycle, t.blockers = to, nil
}

// block opens a blocker. Their ids are the store's to give; nothing here needs
// them.
func (c *Core) block(t *coreTask, b coord.Blocker) {
	c.record.blockers++
	b.ID, b.Task = coord.BlockerID(fmt.Sprintf("b%09d", c.record.blockers)), t.ID
	t.blockers = append(t.blockers, &b)
}
