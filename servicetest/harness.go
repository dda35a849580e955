// Package servicetest is the conformance suite of coord.Service: what every
// implementation must do, whatever lies under it. An implementation's tests
// call Run with a way to open it; RunHistory and RunWorkflow prove what scenes
// cannot show.
package servicetest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"coord"
)

// Harness is one open service with a clock in the test's hands.
type Harness struct {
	// As opens a fresh session of the display name. All sessions belong to
	// one agent principal.
	As func(t testing.TB, name string) coord.Service
	// AsOperator is a person at the dashboard.
	AsOperator func() coord.Service
	// AsSetup is the credential that registers projects.
	AsSetup func() coord.Service
	// AsPerson is an operator at a command line, after signing in; nil when
	// the service is not asked that way.
	AsPerson func(t testing.TB) coord.Service
	// Able opens a fresh session of the display name that offers capabilities.
	Able func(t testing.TB, name string, capabilities ...string) coord.Service
	// Under opens a fresh session of the display name under an agent's token.
	Under func(t testing.TB, token, name string) coord.Service
	// AsReporter is the holder of a job's narrow credential.
	AsReporter func(t testing.TB, credential string) coord.Service
	// Clock is the server's only clock.
	Clock *Clock
	// Planner says that the service has a planner which makes one task of
	// each line "- [ ] TITLE" of a backlog, and plans nothing for a line
	// that it has imported before.
	Planner bool

	projects atomic.Int64
}

// Now is the server's time.
func (h *Harness) Now() time.Time { return h.Clock.Now() }

// Advance moves the server's clock.
func (h *Harness) Advance(d time.Duration) { h.Clock.Advance(d) }

// Project registers a new project with one repository, whose default target
// is main.
func (h *Harness) Project(t testing.TB, p coord.Policy) coord.ProjectKey {
	t.Helper()
	k := coord.ProjectKey(fmt.Sprintf("p%d", h.projects.Add(1)))
	if _, err := h.AsSetup().CreateProject(t.Context(), createProject(k, p)); err != nil {
		t.Fatalf("creating project %s: %v", k, err)
	}
	return k
}

func createProject(k coord.ProjectKey, p coord.Policy) coord.CreateProject {
	id := "git.example.com/team/" + string(k)
	return coord.CreateProject{
		Key: newKey(), Project: k, Name: "Project " + string(k), Policy: p,
		Repositories: []coord.Repository{{ID: coord.RepositoryID(id), Remote: "https://" + id + ".git", Target: "main"}},
	}
}

// Clock is a clock that only moves when told to.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock starts at a fixed moment.
func NewClock() *Clock { return &Clock{now: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)} }

// Now is the time that the clock was moved to.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// suite is the scenes of one noun. They share an open service; each has a
// project of its own.
type suite struct {
	name   string
	scenes []scene
}

// scene shows one thing.
type scene struct {
	shows string
	play  func(*stage)
}

// Run plays every scene. open opens an empty service that ends with its test.
func Run(t *testing.T, open func(t *testing.T) *Harness) {
	suites := []suite{
		{"projects", projectScenes},
		{"tasks", taskScenes},
		{"lists", listScenes},
		{"new tasks", newTaskScenes},
		{"edits", editScenes},
		{"links", linkScenes},
		{"closing", closeScenes},
		{"objectives", objectiveScenes},
		{"unclaimable", unclaimableScenes},
		{"claims", claimScenes},
		{"idempotency", keyScenes},
		{"leases", leaseScenes},
		{"recovery", recoveryScenes},
		{"caps", capScenes},
		{"dispositions", dispositionScenes},
		{"fences", fenceScenes},
		{"checkpoints", checkpointScenes},
		{"receipts", receiptScenes},
		{"flaky", flakyScenes},
		{"submit", submitScenes},
		{"review", reviewScenes},
		{"landing", landingScenes},
		{"targets", targetScenes},
		{"landing guards", landingGuardScenes},
		{"takeover", takeoverScenes},
		{"revise", reviseScenes},
		{"policy", policyScenes},
		{"rules", ruleScenes},
		{"authorizations", authorizationScenes},
		{"independence", independenceScenes},
		{"approvals", approvalScenes},
		{"findings", findingScenes},
		{"amendments", amendmentScenes},
		{"general tasks", generalScenes},
		{"release", releaseScenes},
		{"decisions", decisionScenes},
		{"blockers", blockerScenes},
		{"briefs", briefScenes},
		{"events", eventScenes},
		{"lessons", lessonScenes},
		{"changed lessons", lessonChangeScenes},
		{"views", viewScenes},
		{"a person's next", nextPersonScenes},
		{"imports", importScenes},
		{"tokens", tokenScenes},
		{"sessions", sessionScenes},
		{"jobs", jobScenes},
		{"settled jobs", settleScenes},
		{"resources", resourceScenes},
		{"lines", lineScenes},
		{"obligations", obligationScenes},
	}
	for _, s := range suites {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel() // much of it is waiting for the disk
			h := open(t)
			for _, sc := range s.scenes {
				t.Run(sc.shows, func(t *testing.T) { newStage(t, h).run(sc.play) })
			}
		})
	}
}
