package coord_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"coord"
)

const (
	alpha coord.SessionID = "alpha-0123456789"
	bravo coord.SessionID = "bravo-012345678901"
)

var noon = time.Date(2030, 1, 2, 12, 0, 0, 0, time.UTC)

// held is alpha's attempt of generation 3, with a lease until noon.
func held() coord.AttemptFacts {
	return coord.AttemptFacts{Task: "pay-1", Generation: 3, Session: alpha, Owner: "Alpha", ExpiresAt: noon}
}

// open is an open code task of generation 3 that nobody holds.
func open() coord.TaskFacts {
	return coord.TaskFacts{ID: "pay-1", Kind: coord.KindCode, Lifecycle: coord.LifecycleOpen, Generation: 3}
}

func with(edits ...func(*coord.TaskFacts)) coord.TaskFacts {
	f := open()
	for _, edit := range edits {
		edit(&f)
	}
	return f
}

func owned(f *coord.TaskFacts) { a := held(); f.Attempt = &a }
func waits(f *coord.TaskFacts) { f.Waiting = []coord.TaskID{"pay-9"} }
func blocks(f *coord.TaskFacts) {
	f.Blockers = []coord.Blocker{{ID: "b2", Kind: "conflict", Text: "a.go", Reopen: "coord revise"}}
}

func saved(f *coord.TaskFacts) {
	f.Saved = &coord.Saved{Generation: 3, Commit: oid(7), Tree: oid(8), Ref: "refs/coord/attempts/pay-1/3", Kind: "checkpoint"}
}
func kind(k coord.Kind) func(*coord.TaskFacts) { return func(f *coord.TaskFacts) { f.Kind = k } }
func lifecycle(l coord.Lifecycle) func(*coord.TaskFacts) {
	return func(f *coord.TaskFacts) { f.Lifecycle = l }
}

func submitted(s coord.SubmissionState) func(*coord.TaskFacts) {
	return func(f *coord.TaskFacts) { f.Submission, f.SubmissionID = s, "pay-1.s1" }
}

// landing is in the state, under a holder whose lease runs until noon.
func landing(l coord.LandingState) func(*coord.TaskFacts) {
	return func(f *coord.TaskFacts) {
		if f.Landing = l; l.Reserves() {
			f.LandingEnds = noon
		}
	}
}

// abandoned is a landing whose holder's lease has ended.
func abandoned(l coord.LandingState) func(*coord.TaskFacts) {
	return func(f *coord.TaskFacts) { f.Landing, f.LandingEnds = l, noon.Add(-time.Hour) }
}

const (
	before = -time.Nanosecond
	at     = time.Duration(0)
)

func TestStanding(t *testing.T) {
	for _, c := range []struct {
		name   string
		ended  coord.Standing
		when   time.Duration
		latest int64
		want   coord.Standing
	}{
		{"1 ns before expiry", "", before, 3, coord.StandingLive},
		{"L6 at expiry exactly", "", at, 3, coord.StandingExpired},
		{"long after", "", time.Hour, 3, coord.StandingExpired},
		{"a later generation", "", -time.Hour, 4, coord.StandingSuperseded},
		{"a later generation, expired too", "", time.Hour, 4, coord.StandingSuperseded},
		{"released", coord.StandingReleased, -time.Hour, 3, coord.StandingReleased},
		{"submitted, then another generation", coord.StandingSubmitted, time.Hour, 5, coord.StandingSubmitted},
	} {
		a := held()
		a.Ended = c.ended
		if got := a.Standing(noon.Add(c.when), c.latest); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestAuthorize(t *testing.T) {
	mine := coord.Fence{Epoch: 1, Generation: 3}
	for _, c := range []struct {
		name            string
		caller          coord.SessionID
		stated, current coord.Fence
		ended           coord.Standing
		when            time.Duration
		want            coord.Code
	}{
		{"live", alpha, mine, mine, "", -time.Hour, ""},
		{"L6 1 ns before expiry", alpha, mine, mine, "", before, ""},
		{"L6 at expiry exactly", alpha, mine, mine, "", at, coord.CodeLeaseExpired},
		{"after expiry", alpha, mine, mine, "", time.Hour, coord.CodeLeaseExpired},
		{"L12 another session with the right fence", bravo, mine, mine, "", -time.Hour, coord.CodeFenced},
		{"L12 no session", "", mine, mine, "", -time.Hour, coord.CodeFenced},
		{"another session after expiry", bravo, mine, mine, "", time.Hour, coord.CodeFenced},
		{"L4 older generation stated", alpha, coord.Fence{Epoch: 1, Generation: 2}, mine, "", -time.Hour, coord.CodeFenced},
		{"L4 later generation stated", alpha, coord.Fence{Epoch: 1, Generation: 4}, mine, "", -time.Hour, coord.CodeFenced},
		{"L4 older epoch stated", alpha, mine, coord.Fence{Epoch: 2, Generation: 3}, "", -time.Hour, coord.CodeEpochChanged},
		{"L4 later epoch stated", alpha, coord.Fence{Epoch: 2, Generation: 3}, mine, "", -time.Hour, coord.CodeEpochChanged},
		{"L4 older epoch of another session, long ended", bravo, mine, coord.Fence{Epoch: 2, Generation: 4}, coord.StandingReleased, time.Hour, coord.CodeEpochChanged},
		{"no fence", alpha, coord.Fence{}, mine, "", -time.Hour, coord.CodeFenced},
		{"superseded", alpha, mine, coord.Fence{Epoch: 1, Generation: 4}, "", -time.Hour, coord.CodeFenced},
		{"superseded and expired", alpha, mine, coord.Fence{Epoch: 1, Generation: 4}, "", time.Hour, coord.CodeFenced},
		{"the new fence does not help the old attempt", alpha, coord.Fence{Epoch: 1, Generation: 4}, coord.Fence{Epoch: 1, Generation: 4}, "", -time.Hour, coord.CodeFenced},
		{"released", alpha, mine, mine, coord.StandingReleased, -time.Hour, coord.CodeFenced},
		{"submitted", alpha, mine, mine, coord.StandingSubmitted, -time.Hour, coord.CodeFenced},
		{"finished", alpha, mine, mine, coord.StandingFinished, -time.Hour, coord.CodeFenced},
	} {
		a := held()
		a.Ended = c.ended
		err := a.Authorize(c.caller, c.stated, c.current, noon.Add(c.when))
		if coord.CodeOf(err) != c.want {
			t.Errorf("%s: %v, want code %q", c.name, err, c.want)
		}
		if err != nil {
			checkRefusal(t, c.name, err)
		}
	}
}

func TestL8_ExpiryIsResumable(t *testing.T) {
	mine := coord.Fence{Epoch: 1, Generation: 3}
	err := held().Authorize(alpha, mine, mine, noon)
	if detail(err, "resumable") != "true" {
		t.Errorf("%v does not say that the session may resume", err)
	}
	if detail(held().Authorize(bravo, mine, mine, noon), "resumable") != "" {
		t.Error("L13: a stranger is told how to resume")
	}
}

func detail(err error, key string) string {
	var e *coord.Error
	if errors.As(err, &e) {
		return e.Details[key]
	}
	return ""
}

// checkRefusal wants what every refusal owes: a sentence and a next step.
func checkRefusal(t *testing.T, name string, err error) {
	t.Helper()
	var e *coord.Error
	if !errors.As(err, &e) || e.Message == "" || len(e.Next) == 0 || e.Next[0] == "" || e.Retry == "" {
		t.Errorf("%s: the refusal lacks a sentence, a next command or retry advice: %+v", name, e)
	}
}

func TestL11_Extend(t *testing.T) {
	for _, c := range []struct {
		name            string
		expires         time.Time
		progress, began time.Duration // before noon
		want            time.Time
		stalled         bool
	}{
		{"extends to now plus the lease", noon.Add(time.Minute), 0, 0, noon.Add(30 * time.Minute), false},
		{"never shortens", noon.Add(time.Hour), 0, 0, noon.Add(time.Hour), false},
		{"equal stays", noon.Add(30 * time.Minute), 0, 0, noon.Add(30 * time.Minute), false},
		{"L10 just before the progress cap", noon.Add(time.Minute), 4*time.Hour - 1, 5 * time.Hour, noon.Add(30 * time.Minute), false},
		{"L10 at the progress cap", noon.Add(time.Minute), 4 * time.Hour, 5 * time.Hour, noon.Add(time.Minute), true},
		{"L10 just before the attempt cap", noon.Add(time.Minute), 0, 24*time.Hour - 1, noon.Add(30 * time.Minute), false},
		{"L10 at the attempt cap", noon.Add(time.Minute), 0, 24 * time.Hour, noon.Add(time.Minute), true},
	} {
		f := coord.AttemptFacts{ExpiresAt: c.expires, ProgressAt: noon.Add(-c.progress), StartedAt: noon.Add(-c.began)}
		got, stalled := coord.DefaultPolicy().Extend(f, noon)
		if !got.Equal(c.want) || stalled != c.stalled {
			t.Errorf("%s: %v, stalled %v; want %v, %v", c.name, got, stalled, c.want, c.stalled)
		}
	}
}

func TestStatus(t *testing.T) {
	expired := func(f *coord.TaskFacts) { owned(f); f.Attempt.ExpiresAt = noon.Add(-time.Hour) }
	for _, c := range []struct {
		name string
		f    coord.TaskFacts
		want coord.Status
	}{
		{"planned", with(lifecycle(coord.LifecyclePlanned)), coord.StatusPlanned},
		{"planned and waiting", with(lifecycle(coord.LifecyclePlanned), waits), coord.StatusPlanned},
		{"done", with(lifecycle(coord.LifecycleDone), submitted(coord.SubmissionLanded)), coord.StatusDone},
		{"done whatever its landing says", with(lifecycle(coord.LifecycleDone), submitted(coord.SubmissionApproved), landing(coord.LandingPublishing)), coord.StatusDone},
		{"canceled", with(lifecycle(coord.LifecycleCanceled), blocks), coord.StatusCanceled},
		{"ready", open(), coord.StatusReady},
		{"ready with saved work", with(saved), coord.StatusReady},
		{"ready after it was returned", with(submitted(coord.SubmissionReturned), saved), coord.StatusReady},
		{"in progress", with(owned), coord.StatusInProgress},
		{"in progress although a dependency came back", with(owned, waits), coord.StatusInProgress},
		{"owner's lease ended", with(expired), coord.StatusRecoveryRequired},
		{"owner's lease ended, blocked too", with(expired, blocks), coord.StatusRecoveryRequired},
		{"waiting for a dependency", with(waits), coord.StatusBlocked},
		{"blocker", with(blocks), coord.StatusBlocked},
		{"in review", with(submitted(coord.SubmissionInReview)), coord.StatusWaitingReview},
		{"in review, although a dependency came back", with(submitted(coord.SubmissionInReview), waits), coord.StatusWaitingReview},
		{"approved", with(submitted(coord.SubmissionApproved)), coord.StatusWaitingIntegration},
		{"target given back", with(submitted(coord.SubmissionApproved), landing(coord.LandingReleased)), coord.StatusWaitingIntegration},
		{"being merged", with(submitted(coord.SubmissionApproved), landing(coord.LandingHeld)), coord.StatusIntegrating},
		{"being verified", with(submitted(coord.SubmissionApproved), landing(coord.LandingMerged)), coord.StatusValidating},
		{"being published", with(submitted(coord.SubmissionApproved), landing(coord.LandingPublishing)), coord.StatusValidating},
		{"holder gone before a merge", with(submitted(coord.SubmissionApproved), abandoned(coord.LandingHeld)), coord.StatusRecoveryRequired},
		{"holder gone while it verified", with(submitted(coord.SubmissionApproved), abandoned(coord.LandingMerged)), coord.StatusRecoveryRequired},
		{"holder gone, and it may have published", with(submitted(coord.SubmissionApproved), abandoned(coord.LandingPublishing)), coord.StatusRecoveryRequired},
		{"done, although the holder is gone", with(lifecycle(coord.LifecycleDone), submitted(coord.SubmissionApproved), abandoned(coord.LandingPublishing)), coord.StatusDone},
		{"target given back long ago", with(submitted(coord.SubmissionApproved), abandoned(coord.LandingReleased)), coord.StatusWaitingIntegration},
		{"integration task, taken over from a dead holder", with(kind(coord.KindIntegration), submitted(coord.SubmissionApproved), owned, landing(coord.LandingPublishing)), coord.StatusValidating},
		{"merge conflict", with(submitted(coord.SubmissionApproved), landing(coord.LandingConflict)), coord.StatusBlocked},
		{"failed check", with(submitted(coord.SubmissionApproved), landing(coord.LandingFailed)), coord.StatusBlocked},
		{"review task, open", with(kind(coord.KindReview), submitted(coord.SubmissionInReview)), coord.StatusReady},
		{"review task, claimed", with(kind(coord.KindReview), submitted(coord.SubmissionInReview), owned), coord.StatusInProgress},
		{"integration task, waiting for the review", with(kind(coord.KindIntegration), submitted(coord.SubmissionInReview), waits), coord.StatusBlocked},
		{"integration task, open", with(kind(coord.KindIntegration), submitted(coord.SubmissionApproved)), coord.StatusReady},
		{"integration task, claimed", with(kind(coord.KindIntegration), submitted(coord.SubmissionApproved), owned), coord.StatusInProgress},
		{"integration task, merging", with(kind(coord.KindIntegration), submitted(coord.SubmissionApproved), owned, landing(coord.LandingHeld)), coord.StatusIntegrating},
		{"integration task, verifying", with(kind(coord.KindIntegration), submitted(coord.SubmissionApproved), owned, landing(coord.LandingMerged)), coord.StatusValidating},
		{"integration task, claimed again after a released landing", with(kind(coord.KindIntegration), submitted(coord.SubmissionApproved), owned, landing(coord.LandingReleased)), coord.StatusInProgress},
		{"integration task, holder gone", with(kind(coord.KindIntegration), submitted(coord.SubmissionApproved), expired, landing(coord.LandingPublishing)), coord.StatusRecoveryRequired},
		{"integration task, conflict", with(kind(coord.KindIntegration), submitted(coord.SubmissionApproved), blocks, landing(coord.LandingConflict)), coord.StatusBlocked},
	} {
		if got := c.f.Status(noon.Add(-time.Minute)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestL6_StatusTurnsAtExpiry: the same record, read 1 ns apart.
func TestL6_StatusTurnsAtExpiry(t *testing.T) {
	f := with(owned)
	if got := f.Status(noon.Add(before)); got != coord.StatusInProgress {
		t.Errorf("1 ns before expiry: %s", got)
	}
	if got := f.Status(noon); got != coord.StatusRecoveryRequired {
		t.Errorf("at expiry: %s", got)
	}
	f = with(submitted(coord.SubmissionApproved), landing(coord.LandingMerged))
	if got := f.Status(noon.Add(before)); got != coord.StatusValidating {
		t.Errorf("1 ns before the holder's expiry: %s", got)
	}
	if got := f.Status(noon); got != coord.StatusRecoveryRequired {
		t.Errorf("at the holder's expiry: %s", got)
	}
}

// claimant is a session that offers and holds nothing.
func claimant(s coord.SessionID) coord.Claimant {
	return coord.Claimant{Session: s, Role: coord.RoleAgent}
}

func TestGrant(t *testing.T) {
	grace := 30 * time.Second
	resume := func(g int64, c coord.OID) *coord.Recovery {
		return &coord.Recovery{Generation: g, Disposition: coord.DispositionResume, Commit: c}
	}
	restart := func(g int64, reason string) *coord.Recovery {
		return &coord.Recovery{Generation: g, Disposition: coord.DispositionRestart, Reason: reason}
	}
	for _, c := range []struct {
		name   string
		f      coord.TaskFacts
		caller coord.SessionID
		r      *coord.Recovery
		when   time.Duration
		want   coord.Code
	}{
		{"open and free", open(), bravo, nil, at, ""},
		{"open and free, with a recovery that nothing needs", open(), bravo, restart(3, ""), at, ""},
		{"returned by a review", with(submitted(coord.SubmissionReturned)), bravo, nil, at, ""},
		{"done", with(lifecycle(coord.LifecycleDone)), bravo, nil, at, coord.CodeStateConflict},
		{"L17 done by recovery", with(lifecycle(coord.LifecycleDone), owned), bravo, restart(3, "x"), time.Hour, coord.CodeStateConflict},
		{"canceled", with(lifecycle(coord.LifecycleCanceled)), bravo, nil, at, coord.CodeStateConflict},
		{"planned", with(lifecycle(coord.LifecyclePlanned)), bravo, nil, at, coord.CodeStateConflict},
		{"in review", with(submitted(coord.SubmissionInReview)), bravo, nil, at, coord.CodeStateConflict},
		{"approved", with(submitted(coord.SubmissionApproved)), bravo, nil, at, coord.CodeStateConflict},
		{"review task of a submission in review", with(kind(coord.KindReview), submitted(coord.SubmissionInReview)), bravo, nil, at, ""},
		{"integration task of an approved submission", with(kind(coord.KindIntegration), submitted(coord.SubmissionApproved)), bravo, nil, at, ""},
		{"V9 blocked", with(blocks), bravo, nil, at, coord.CodeStateConflict},
		{"L17 blocked, by recovery", with(blocks, owned), bravo, restart(3, "x"), time.Hour, coord.CodeStateConflict},
		{"waiting", with(waits), bravo, nil, at, coord.CodeStateConflict},
		{"live holder", with(owned), bravo, nil, before, coord.CodeTaskTaken},
		{"live holder, by recovery", with(owned), bravo, restart(3, "x"), before, coord.CodeTaskTaken},
		{"in the grace", with(owned), bravo, restart(3, "x"), at, coord.CodeTaskTaken},
		{"L9 1 ns before the grace ends", with(owned), bravo, restart(3, "x"), grace - 1, coord.CodeTaskTaken},
		{"L9 when the grace ends", with(owned), bravo, restart(3, "x"), grace, ""},
		{"after the grace, no disposition", with(owned), bravo, nil, grace, coord.CodeRecoveryRequired},
		{"L9 own expired lease", with(owned), alpha, nil, grace, coord.CodeStateConflict},
		{"L9 own expired lease, by recovery", with(owned), alpha, restart(3, "x"), time.Hour, coord.CodeStateConflict},
		{"own released work", with(saved), alpha, resume(3, oid(7)), at, ""},
		{"saved work, no disposition", with(saved), bravo, nil, at, coord.CodeRecoveryRequired},
		{"saved work, resumed", with(saved), bravo, resume(3, oid(7)), at, ""},
		{"saved work, another commit", with(saved), bravo, resume(3, oid(6)), at, coord.CodeRecoveryRequired},
		{"saved work, no commit", with(saved), bravo, resume(3, ""), at, coord.CodeRecoveryRequired},
		{"saved work, declined", with(saved), bravo, restart(3, "wrong approach"), at, ""},
		{"restart without a reason", with(saved), bravo, restart(3, " "), at, coord.CodeBadRequest},
		{"L9 older generation", with(saved), bravo, resume(2, oid(7)), at, coord.CodeFenced},
		{"L9 later generation", with(saved), bravo, restart(4, "x"), at, coord.CodeFenced},
		{"unknown disposition", with(saved), bravo, &coord.Recovery{Generation: 3, Disposition: "delivered"}, at, coord.CodeBadRequest},
		{"dead owner who saved nothing, resumed", with(owned), bravo, resume(3, ""), grace, ""},
		{"dead owner who saved nothing, a commit of the recoverer's own", with(owned), bravo, resume(3, oid(7)), grace, coord.CodeRecoveryRequired},
		{"dead owner with saved work, resumed", with(owned, saved), bravo, resume(3, oid(7)), grace, ""},
	} {
		g, err := c.f.Grant(claimant(c.caller), c.r, coord.DefaultPolicy(), noon.Add(c.when))
		if coord.CodeOf(err) != c.want {
			t.Errorf("%s: %v, want code %q", c.name, err, c.want)
			continue
		}
		if err == nil && g != 4 || err != nil && g != 0 {
			t.Errorf("%s: generation %d", c.name, g)
		}
		if err != nil && c.want != coord.CodeBadRequest {
			checkRefusal(t, c.name, err)
		}
	}
}

func TestGrantRefusalsHelp(t *testing.T) {
	_, err := with(owned).Grant(claimant(bravo), nil, coord.DefaultPolicy(), noon.Add(-time.Minute))
	var e *coord.Error
	if !errors.As(err, &e) || e.Details["holder"] != "Alpha" || e.RetryAfterMS != time.Minute.Milliseconds() {
		t.Errorf("a taken task names its holder and when to look again: %+v", e)
	}
	_, err = with(owned).Grant(claimant(bravo), nil, coord.DefaultPolicy(), noon.Add(10*time.Second))
	if !errors.As(err, &e) || e.RetryAfterMS != 20_000 {
		t.Errorf("in the grace it says when recovery opens: %+v", e)
	}
	_, err = with(owned).Grant(claimant(alpha), nil, coord.DefaultPolicy(), noon.Add(time.Hour))
	if detail(err, "resumable") != "true" {
		t.Errorf("its own session is told to resume: %v", err)
	}
	_, err = with(owned, saved, func(f *coord.TaskFacts) { f.Saved.LocalOnly = true }).Grant(claimant(bravo), nil, coord.DefaultPolicy(), noon.Add(time.Hour))
	for key, want := range map[string]string{"task": "pay-1", "generation": "3", "commit": string(oid(7)), "ref": "refs/coord/attempts/pay-1/3", "local_only": "true"} {
		if got := detail(err, key); got != want {
			t.Errorf("recovery's detail %s is %q, want %q", key, got, want)
		}
	}
	_, err = with(lifecycle(coord.LifecyclePlanned)).Grant(claimant(bravo), nil, coord.DefaultPolicy(), noon)
	if !errors.As(err, &e) || len(e.Next) == 0 || e.Next[0] != "coord task edit --admit pay-1" {
		t.Errorf("a planned task says how it is admitted: %+v", e)
	}
}

// Under manual recovery an operator releases what a dead owner holds, but not
// what may have been pushed: that waits for whoever looks at the remote.
func TestL9_ManualRecoveryLeavesWhatMayHaveBeenPushedToAgents(t *testing.T) {
	manual := coord.Policy{Recovery: coord.RecoverManual}.Complete()
	r := &coord.Recovery{Generation: 3, Disposition: coord.DispositionResume}
	for state, want := range map[coord.LandingState]coord.Code{
		coord.LandingHeld: coord.CodeNotPermitted, coord.LandingMerged: coord.CodeNotPermitted, coord.LandingPublishing: "",
	} {
		f := with(kind(coord.KindIntegration), submitted(coord.SubmissionApproved), owned, landing(state))
		if _, err := f.Grant(claimant(bravo), r, manual, noon.Add(time.Hour)); coord.CodeOf(err) != want {
			t.Errorf("%s: %v, want code %q", state, err, want)
		}
	}
}

func TestGrantWithoutGrace(t *testing.T) {
	p := coord.DefaultPolicy()
	p.RecoveryGrace = 0
	r := &coord.Recovery{Generation: 3, Disposition: coord.DispositionRestart, Reason: "owner gone"}
	if _, err := with(owned).Grant(claimant(bravo), r, p, noon.Add(before)); coord.CodeOf(err) != coord.CodeTaskTaken {
		t.Errorf("1 ns before expiry: %v", err)
	}
	if g, err := with(owned).Grant(claimant(bravo), r, p, noon); g != 4 || err != nil {
		t.Errorf("at expiry: %d, %v", g, err)
	}
}

func TestV5_CheckIndependent(t *testing.T) {
	author := coord.Identity{Session: alpha, Principal: "red", Machine: "forge"}
	for _, c := range []struct {
		name     string
		degree   coord.Independence
		reviewer coord.Identity
		refused  string // how the refusal begins, "" for none
	}{
		{"a stranger", coord.IndependentMachine, coord.Identity{Session: bravo, Principal: "blue", Machine: "mill"}, ""},
		{"the author", coord.IndependentSession, author, "this session worked on pay-1"},
		{"a child of the author", coord.IndependentSession, coord.Identity{Session: bravo, Principal: "red", Lineage: []coord.SessionID{"other", alpha}}, "a session that this one descends from"},
		{"another session of the agent", coord.IndependentSession, coord.Identity{Session: bravo, Principal: "red", Machine: "forge"}, ""},
		{"another session, where agents must differ", coord.IndependentAgent, coord.Identity{Session: bravo, Principal: "red", Machine: "mill"}, "this agent"},
		{"an agent that the author made", coord.IndependentAgent, coord.Identity{Session: bravo, Principal: "blue", CreatedBy: "red"}, "the agent that made this one"},
		{"the same machine, where agents must differ", coord.IndependentAgent, coord.Identity{Session: bravo, Principal: "blue", Machine: "forge"}, ""},
		{"the same machine, where machines must differ", coord.IndependentMachine, coord.Identity{Session: bravo, Principal: "blue", Machine: "forge"}, "this machine"},
	} {
		contributors := []coord.Identity{{Session: "another-0123456789", Principal: "grey", Machine: "loom"}, author}
		err := coord.CheckIndependent(c.degree, "pay-1", c.reviewer, contributors)
		if (err != nil) != (c.refused != "") || err != nil && !strings.HasPrefix(err.Error(), c.refused) {
			t.Errorf("%s: %v, want %q", c.name, err, c.refused)
		}
		if err := coord.CheckIndependent(c.degree, "pay-1", c.reviewer, nil); err != nil {
			t.Errorf("%s of work without contributors: %v", c.name, err)
		}
	}
}

func TestFollowers(t *testing.T) {
	task := coord.Task{ID: "pay-1", Project: "pay", Kind: coord.KindCode, Title: "Refuse old tokens", Priority: coord.PriorityHigh, Repository: "r", Target: "release"}
	p := coord.DefaultPolicy()
	reviews, integration := coord.Followers(task, p)
	if len(reviews) != 1 || integration == nil || reviews[0].Slot != coord.ActorAgent {
		t.Fatalf("with an agent's review there are two followers: %+v, %+v", reviews, integration)
	}
	for k, f := range map[coord.Kind]coord.Task{coord.KindReview: reviews[0], coord.KindIntegration: *integration} {
		if f.Kind != k || f.Priority != coord.PriorityHigh || f.Target != "release" || f.Repository != "r" || f.Project != "pay" || f.Source != "pay-1" || f.Lifecycle != coord.LifecycleOpen {
			t.Errorf("%s task does not follow its code task: %+v", k, f)
		}
	}
	p.Review = coord.ReviewNone
	if reviews, integration := coord.Followers(task, p); reviews != nil || integration == nil {
		t.Errorf("without review there is only an integration task: %v, %v", reviews, integration)
	}
	p.Review, task.Kind = coord.ReviewBoth, coord.KindGeneral
	if reviews, integration := coord.Followers(task, p); len(reviews) != 2 || reviews[1].Slot != coord.ActorHuman || integration != nil {
		t.Errorf("a general task with both reviews: %+v, %v", reviews, integration)
	}
}

func TestCheckRevise(t *testing.T) {
	const review, approved = coord.SubmissionInReview, coord.SubmissionApproved
	for _, c := range []struct {
		name   string
		s      coord.SubmissionState
		last   coord.LandingState
		author bool
		reason coord.ReviseReason
		want   coord.Code
		judged string
	}{
		{"requirements that changed", review, "", false, coord.ReviseRequirements, "", "d0"},
		{"requirements that did not", review, "", false, coord.ReviseRequirements, coord.CodeRequirement, "d1"},
		{"requirements, says the author", review, "", true, coord.ReviseRequirements, coord.CodeNotIndependent, "d0"},
		{"a candidate that is gone", approved, "", false, coord.ReviseMissing, "", "d1"},
		{"conflict that was recorded", approved, coord.LandingConflict, false, coord.ReviseConflict, "", "d1"},
		{"check that failed", approved, coord.LandingFailed, false, coord.ReviseCheckFailed, "", "d1"},
		{"conflict that was not", approved, "", false, coord.ReviseConflict, coord.CodeRequirement, "d1"},
		{"conflict, but a check failed", approved, coord.LandingFailed, true, coord.ReviseConflict, coord.CodeRequirement, "d1"},
		{"failed check, but it was a conflict", approved, coord.LandingConflict, true, coord.ReviseCheckFailed, coord.CodeRequirement, "d1"},
		{"conflict, but the target was only given back", approved, coord.LandingReleased, true, coord.ReviseConflict, coord.CodeRequirement, "d1"},
		{"withdrawn by its author", review, "", true, coord.ReviseWithdrawn, "", "d1"},
		{"approved, withdrawn by its author", approved, coord.LandingReleased, true, coord.ReviseWithdrawn, "", "d1"},
		{"withdrawn by a stranger", review, "", false, coord.ReviseWithdrawn, coord.CodeNotPermitted, "d1"},
		{"held", approved, coord.LandingHeld, true, coord.ReviseWithdrawn, coord.CodeTargetHeld, "d1"},
		{"merged", approved, coord.LandingMerged, true, coord.ReviseWithdrawn, coord.CodeTargetHeld, "d1"},
		{"I6 publishing", approved, coord.LandingPublishing, true, coord.ReviseWithdrawn, coord.CodeTargetHeld, "d1"},
		{"I6 publishing, called a conflict", approved, coord.LandingPublishing, true, coord.ReviseConflict, coord.CodeTargetHeld, "d1"},
		{"no submission", "", "", true, coord.ReviseWithdrawn, coord.CodeStateConflict, "d1"},
		{"returned already", coord.SubmissionReturned, coord.LandingConflict, true, coord.ReviseConflict, coord.CodeStateConflict, "d1"},
		{"landed", coord.SubmissionLanded, coord.LandingLanded, true, coord.ReviseWithdrawn, coord.CodeStateConflict, "d1"},
		{"unknown reason", review, "", true, "mood", coord.CodeBadRequest, "d1"},
		{"no reason", review, "", true, "", coord.CodeBadRequest, "d1"},
	} {
		err := coord.ReviseFacts{Task: "pay-1", Digest: "d1", Judged: c.judged, Submission: c.s, Landing: c.last, Author: c.author}.CheckRevise(c.reason)
		if coord.CodeOf(err) != c.want {
			t.Errorf("%s: %v, want code %q", c.name, err, c.want)
		}
		if err != nil && c.want != coord.CodeBadRequest {
			checkRefusal(t, c.name, err)
		}
	}
}
