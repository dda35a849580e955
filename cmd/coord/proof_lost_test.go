package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"coord"
	"coord/client"
)

// lossyStory runs every mutating verb through a proxy that loses answers.
type lossyStory struct {
	*proofWorld
	proxy *lossyProxy
}

func newLossyStory(t *testing.T, losses int) *lossyStory {
	t.Helper()
	w := &proofWorld{testHome: newTestHome(t)}
	s := &lossyStory{proofWorld: w}
	var done upDone
	if err := w.json(w.repository("boot"), &done, "up"); err != nil {
		t.Fatal(err)
	}
	cred := w.credential(done.Server)
	w.url, w.token = done.Server, cred.Agent
	w.record = client.New(client.Options{Server: w.url, Token: w.token})
	s.proxy = newLossyProxy(t, w.url, losses)
	if err := (client.Credentials{Dir: filepath.Join(w.root, "config")}).Keep(s.proxy.URL, cred); err != nil {
		t.Fatal(err)
	}
	w.env = append(w.env, "COORD_SERVER="+s.proxy.URL)
	w.dir = w.repository("pay")
	w.write(w.dir, configName, proofConfig)
	return s
}

// do types a command until its outcome is known: as long as answers are lost
// it says so and nothing else. It returns how the last run ended.
func (s *lossyStory) do(session, dir string, args ...string) ran {
	s.t.Helper()
	s.proxy.arm()
	unknown := 0
	for range 12 {
		r := s.as(session, dir, args...)
		if r.status != 7 {
			if lost := s.proxy.losses > 1; lost != (unknown > 0) {
				s.t.Errorf("%v: the outcome was unknown %d times with %d losses", args, unknown, s.proxy.losses)
			}
			return r
		}
		unknown++
		if said := r.out + r.err; !strings.Contains(said, "the outcome is unknown") || !strings.Contains(said, "run the same command again") {
			s.t.Errorf("%v: lost answer: %s", args, said)
		}
	}
	s.t.Fatalf("%v never ended", args)
	return ran{}
}

func (s *lossyStory) ok(session, dir string, args ...string) string {
	s.t.Helper()
	r := s.do(session, dir, args...)
	if r.status != 0 {
		s.t.Fatalf("%s: coord %v: status %d\n%s%s", session, args, r.status, r.out, r.err)
	}
	return r.out
}

func (s *lossyStory) worktree(name string) string {
	return filepath.Join(s.root, "pay.worktrees", name)
}

// outside moves the target without coord.
func (s *lossyStory) outside(name, text string) {
	s.t.Helper()
	s.git(s.dir, "pull", "-q", "--ff-only")
	s.write(s.dir, name, text)
	s.commit(s.dir, "Outside: "+name)
}

// handOver checks and submits what is in a worktree, and has it approved.
func (s *lossyStory) handOver(worktree, review string) {
	s.t.Helper()
	s.ok("a", worktree, "check")
	s.ok("a", worktree, "submit", "--all", "-m", "Done", "--lesson", "from "+filepath.Base(worktree))
	s.ok("b", s.dir, "start", "--kind", "review", "--no-keeper")
	s.ok("b", s.worktree(review), "approve", "-m", "it holds")
}

func (s *lossyStory) tell() {
	s.t.Helper()
	s.ok("a", s.dir, "init")
	s.commit(s.dir, "Use coord")
	s.ok("a", s.dir, "task", "new", "One", "--accept", "it works")
	s.ok("a", s.dir, "task", "new", "Two")
	s.ok("a", s.dir, "learn", "Answers get lost")
	s.imports()

	s.ok("a", s.dir, "start", "pay-1", "--no-keeper")
	first := s.worktree("pay-1")
	s.write(first, "one.txt", "draft\n")
	s.ok("a", first, "checkpoint", "-m", "draft", "--next", "finish")
	s.ok("a", first, "check")
	s.ok("a", first, "submit", "--all", "-m", "Draft")
	s.ok("b", s.dir, "start", "--kind", "review", "--no-keeper")
	s.ok("b", s.worktree("pay-4"), "reject", "-m", "unfinished", "--finding", "finish it")
	s.ok("a", s.dir, "start", "pay-1", "--no-keeper")
	second := s.worktree("pay-1.2")
	s.write(second, "one.txt", "done\n")
	s.handOver(second, "pay-6")
	s.outside("outside.txt", "moves the target, so that the merged tree is new\n")
	s.ok("c", s.dir, "integrate")

	s.sendBack()
}

// imports previews and applies an import.
func (s *lossyStory) imports() {
	s.t.Helper()
	s.write(s.dir, "BACKLOG.md", "# Backlog\n\n- [ ] Three\n")
	var plan coord.ImportPlan
	if err := json.Unmarshal([]byte(s.ok("a", s.dir, "import", "--json")), &struct{ Data any }{&plan}); err != nil {
		s.t.Fatal(err)
	}
	s.ok("a", s.dir, "import", "--apply", planToken(plan))
}

// sendBack releases, withdraws, and meets a conflict.
func (s *lossyStory) sendBack() {
	s.t.Helper()
	s.ok("a", s.dir, "start", "pay-2", "--no-keeper")
	s.write(s.worktree("pay-2"), "two.txt", "begun\n")
	s.ok("a", s.worktree("pay-2"), "release", "-m", "later")
	s.ok("a", s.dir, "start", "pay-2", "--no-keeper")
	second := s.worktree("pay-2.2")
	s.ok("a", second, "check")
	s.ok("a", second, "submit", "--all", "-m", "Two")
	s.ok("a", s.dir, "revise", "pay-2", "--withdrawn", "-m", "not yet")
	s.ok("a", s.dir, "start", "pay-2", "--no-keeper")
	third := s.worktree("pay-2.3")
	s.write(third, "two.txt", "done\n")
	s.handOver(third, "pay-10")
	s.outside("two.txt", "another two\n")
	// Once the failure is on record, the same command has nothing left to land.
	if r := s.do("c", s.dir, "integrate"); r.status != 6 && r.status != 8 {
		s.t.Errorf("the conflict: status %d %s%s", r.status, r.out, r.err)
	}
	s.ok("c", s.dir, "revise", "pay-2", "--conflict")
}

// steps are events on the way of a landing. A publication whose answer was
// lost is decided by the remote, and then tried again: what counts is that it
// landed once.
var steps = []coord.EventKind{coord.EventLandingMerged, coord.EventLandingPermitted, coord.EventLandingObserved}

// effects counts what happened, by kind and task.
func (s *lossyStory) effects() []string {
	s.t.Helper()
	count := map[string]int{}
	for _, e := range s.events() {
		if e.Project == "pay" && !slices.Contains(steps, e.Kind) {
			count[string(e.Kind)+" "+string(e.Task)]++
		}
	}
	var all []string
	for what, n := range count {
		all = append(all, fmt.Sprintf("%s ×%d", what, n))
	}
	slices.Sort(all)
	return all
}

// mutating lists the routes whose answers the story must lose.
var mutating = []string{
	"/attempts/…/checkpoints", "/attempts/…/receipts", "/attempts/…/releases", "/attempts/…/reviews", "/attempts/…/submissions",
	"/attempts/…/worktree", "/landings/…/failures", "/landings/…/merges", "/landings/…/observations", "/landings/…/permits",
	"/projects", "/projects/…/claims", "/projects/…/holds", "/projects/…/imports", "/projects/…/lessons", "/projects/…/tasks",
	"/sessions", "/tasks/…/revisions",
}

// The answer to every mutating request of every verb is lost, once and then
// twice. Once, the command's own second sending settles it. Twice, the command
// says that the outcome is unknown, and the same command settles it. Either
// way each command has the effects that it has without a loss.
func TestK9_ProofLostAnswers(t *testing.T) {
	var want []string
	for losses := range 3 {
		t.Run(fmt.Sprintf("%d losses", losses), func(t *testing.T) {
			s := newLossyStory(t, losses)
			s.tell()
			got := s.effects()
			if losses == 0 {
				want = got
			} else if lost := s.proxy.routes(); !subset(mutating, lost) {
				t.Errorf("no answer was lost of some of %v: %v", mutating, lost)
			}
			if !slices.Equal(got, want) {
				t.Errorf("effects differ:\n%s", difference(want, got))
			}
			s.landedOnce()
			s.noServerErrors()
		})
	}
}

func subset(part, whole []string) bool {
	return !slices.ContainsFunc(part, func(p string) bool { return !slices.Contains(whole, p) })
}

func difference(want, got []string) string {
	var b strings.Builder
	for _, w := range want {
		if !slices.Contains(got, w) {
			fmt.Fprintf(&b, "- %s\n", w)
		}
	}
	for _, g := range got {
		if !slices.Contains(want, g) {
			fmt.Fprintf(&b, "+ %s\n", g)
		}
	}
	return b.String()
}

// landedOnce compares the record with the remote: one merge, the landed one.
func (s *lossyStory) landedOnce() {
	s.t.Helper()
	d, err := s.record.Task(context.Background(), "pay-1")
	if err != nil {
		s.t.Fatal(err)
	}
	merges := strings.Fields(s.git(s.root, "--git-dir=pay.git", "log", "--first-parent", "--merges", "--format=%H", "main"))
	if d.Landed == nil || len(merges) != 1 || merges[0] != string(d.Landed.Commit) {
		s.t.Errorf("main has the merges %v, the record %+v", merges, d.Landed)
	}
}

// A session that resumes its own expired attempt, and loses both answers, has
// resumed it once.
func TestK9_ProofLostResume(t *testing.T) {
	s := newLossyStory(t, 0)
	s.ok("a", s.dir, "init", "--lease", shortLease, "--grace", "0s")
	s.commit(s.dir, "Use coord")
	s.ok("a", s.dir, "task", "new", "Come back")
	s.ok("a", s.dir, "start", "--no-keeper")
	s.awaitStatus("pay-1", coord.StatusRecoveryRequired)
	s.proxy.lose(2)
	s.ok("a", s.worktree("pay-1"), "start", "--no-keeper")
	if lost := s.proxy.routes(); !slices.Contains(lost, "/attempts/…/resumptions") {
		t.Errorf("lost: %v", lost)
	}
	d := s.taskDetail("pay-1")
	if n := ofKind(s.events(), coord.EventAttemptResumed); n != 1 || d.Generation != 2 || len(d.Attempts) != 2 {
		t.Errorf("resumed %d times, generation %d, %+v", n, d.Generation, d.Attempts)
	}
}
