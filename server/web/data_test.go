package web

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"coord"
)

// oid is an object id that depends on what is named.
func oid(format string, args ...any) coord.OID {
	sum := sha256.Sum256(fmt.Appendf(nil, format, args...))
	return coord.OID(hex.EncodeToString(sum[:20]))
}

const repo = coord.RepositoryID("git.example.com/shop/pay")

// fill records a project in the middle of its work and two quieter ones.
func (f *fake) fill() {
	ago := func(d time.Duration) time.Time { return f.now.Add(-d) }
	past := func(d time.Duration) *time.Time { t := ago(d); return &t }
	pay := coord.Project{Key: "pay", Name: "Payments", Repositories: []coord.Repository{{ID: repo, Remote: "ssh://git@git.example.com/shop/pay", Target: "main"}}, Policy: coord.DefaultPolicy()}
	task := func(n int64, st coord.Status, title string, edit func(*coord.Task)) coord.Task {
		t := coord.Task{
			ID: coord.NewTaskID("pay", n), Project: "pay", Kind: coord.KindCode, Title: title, Priority: coord.PriorityNormal, Status: st, Lifecycle: coord.LifecycleOpen,
			Repository: repo, Target: "main", CreatedAt: ago(time.Duration(60-n) * time.Hour), CreatedBy: "u1", Revision: 1, Source: "BACKLOG.md",
			Digest: coord.Digest(coord.KindCode, title, "", nil),
		}
		if edit != nil {
			edit(&t)
		}
		return t
	}
	owner := func(n, gen int64, name string, since, left, progress time.Duration) *coord.Owner {
		st := coord.StandingLive
		if left <= 0 {
			st = coord.StandingExpired
		}
		return &coord.Owner{Attempt: coord.NewAttemptID(coord.NewTaskID("pay", n), gen), Name: name, Generation: gen, Standing: st, Since: ago(since), ExpiresAt: f.now.Add(left), LastProgress: ago(progress)}
	}
	expired := task(1, coord.StatusRecoveryRequired, "Reject tokens past their expiry", func(t *coord.Task) {
		t.Priority, t.Owner, t.Generation = coord.PriorityUrgent, owner(1, 2, "alpha@mill", 3*time.Hour, -12*time.Minute, 55*time.Minute), 2
		t.Saved = &coord.Saved{Generation: 2, Commit: oid("c1.2"), Tree: oid("t1.2"), Ref: "refs/coord/wip/pay-1/2", Note: "Parser rejects them.", Next: "Write the test with the fake clock.", Kind: "checkpoint"}
		t.Outcome = "An expired token is refused **everywhere**, by `token.Parse`:\n\n- API\n- web hooks\n\nThe clock is handed down, so tests decide the time."
		t.Criteria = []string{"expired token answers 401", "a token at exactly its expiry counts as expired", "test covers both"}
	})
	blocked := task(2, coord.StatusBlocked, "Round to the currency’s minor unit", func(t *coord.Task) {
		t.Blockers = []coord.Blocker{{Kind: "conflict", Text: "money/round.go and money/round_test.go conflict with main at 4be10aa", Reopen: "coord revise pay-2 --reason conflict", At: ago(40 * time.Minute)}}
		t.Submission = "pay-2.s1"
	})
	waits := task(3, coord.StatusBlocked, "Show the fee before paying", func(t *coord.Task) {
		t.DependsOn = []coord.TaskID{"pay-2", "pay-12"}
		t.WaitsFor = []coord.TaskID{"pay-2"}
	})
	active := task(4, coord.StatusInProgress, "Idempotent refunds: one key, one refund, also after a lost answer", func(t *coord.Task) {
		t.Priority, t.Owner, t.Generation = coord.PriorityHigh, owner(4, 1, "delta@forge", 26*time.Minute, 22*time.Minute, 4*time.Minute), 1
	})
	active2 := task(5, coord.StatusInProgress, "Retry the webhook with backoff", func(t *coord.Task) {
		t.Owner, t.Generation = owner(5, 1, "echo@mill", 2*time.Minute, 28*time.Minute, 2*time.Minute), 1
	})
	review := task(6, coord.StatusWaitingReview, "Log the provider’s request id", func(t *coord.Task) { t.Submission = "pay-6.s2" })
	reviewTask := task(7, coord.StatusReady, "Review pay-6: Log the provider’s request id", func(t *coord.Task) {
		t.Kind = coord.KindReview
		t.Submission = "pay-6.s2"
		t.ReadySince = past(18 * time.Minute)
	})
	toLand := task(8, coord.StatusWaitingIntegration, "Currency table as data", func(t *coord.Task) { t.Submission = "pay-8.s1" })
	validating := task(9, coord.StatusValidating, "Parse amounts without floats", func(t *coord.Task) { t.Submission = "pay-9.s1" })
	ready := task(10, coord.StatusReady, "Document the error codes", func(t *coord.Task) { t.ReadySince = past(5 * time.Hour); t.Priority = coord.PriorityLow })
	planned := task(11, coord.StatusPlanned, "Second provider", nil)
	landed := func(t *coord.Task) {
		t.Lifecycle, t.ClosedAt = coord.LifecycleDone, past(9*time.Hour)
		t.Landed = &coord.LandedFact{Landing: coord.NewLandingID(t.ID, 1), Commit: oid("land %s", t.ID), Tree: oid("landtree %s", t.ID), Target: "main", At: ago(9 * time.Hour)}
	}
	done, done2 := task(12, coord.StatusDone, "Read the configuration once", landed), task(13, coord.StatusDone, "Start the ledger", landed)
	board := coord.Board{Project: pay, Now: f.now}
	summary := coord.ProjectSummary{Project: "pay", Name: "Payments", Counts: map[coord.Status]int{}, LandedThisWeek: 2, OldestReady: past(5 * time.Hour), OldestReview: past(18 * time.Minute), OldestLanding: past(31 * time.Minute)}
	for _, t := range []coord.Task{expired, blocked, waits, active, active2, review, toLand, validating, reviewTask, ready, planned, done, done2} {
		f.tasks[t.ID] = coord.TaskDetail{Task: t}
		summary.Counts[t.Status]++
		if n := len(board.Columns); n > 0 && board.Columns[n-1].Status == t.Status {
			board.Columns[n-1].Tasks = append(board.Columns[n-1].Tasks, t)
			board.Columns[n-1].Count++
			continue
		}
		board.Columns = append(board.Columns, coord.BoardColumn{Status: t.Status, Count: 1, Tasks: []coord.Task{t}})
	}
	f.boards["pay"] = board
	f.boards["web"] = coord.Board{Project: coord.Project{Key: "web", Name: "Storefront", Repositories: pay.Repositories, Policy: coord.DefaultPolicy()}, Now: f.now}
	f.over = coord.Overview{Now: f.now, Projects: []coord.ProjectSummary{
		summary,
		{Project: "web", Name: "Storefront", Counts: map[coord.Status]int{coord.StatusReady: 4, coord.StatusInProgress: 1, coord.StatusDone: 31}, LandedThisWeek: 7, OldestReady: past(49 * time.Hour)},
		{Project: "docs", Name: "Handbook", Counts: map[coord.Status]int{}},
	}}
	f.fillLanding(pay)
	f.fillKnowledge()
	f.fillRecord()
	for i, e := range []struct {
		task coord.TaskID
		kind coord.EventKind
		text string
	}{
		{"pay-12", coord.EventLandingLanded, "landed on main as a81c0de, tree verified"},
		{"pay-1", coord.EventAttemptClaimed, "claimed by alpha@mill, attempt 1"},
		{"pay-1", coord.EventCheckpointRecorded, "checkpoint 1.1 pushed: parser sketched"},
		{"pay-2", coord.EventSubmissionCreated, "submitted as pay-2.s1"},
		{"pay-2", coord.EventSubmissionReviewed, "approved by echo@mill"},
		{"pay-2", coord.EventLandingFailed, "conflict in money/round.go and money/round_test.go"},
		{"pay-4", coord.EventAttemptClaimed, "claimed by delta@forge, attempt 1"},
		{"pay-9", coord.EventLandingMerged, "merged onto 4be10aa, verifying tree 77ab3e1"},
		{"pay-4", coord.EventReceiptRecorded, "check test failed on tree 9f2c41d with exit status 1"},
	} {
		f.log = append(f.log, coord.Event{Seq: coord.Seq(i + 1), At: ago(time.Duration(90-10*i) * time.Minute), Kind: e.kind, Project: "pay", Task: e.task, Actor: "alpha@mill", Text: e.text})
	}
	f.over.AsOf = coord.Seq(len(f.log))
	for k, b := range f.boards {
		b.AsOf = f.over.AsOf
		f.boards[k] = b
	}
}

func (f *fake) fillLanding(pay coord.Project) {
	ago := func(d time.Duration) time.Time { return f.now.Add(-d) }
	observed := ago(9 * time.Hour)
	row := func(n int64, st coord.Stage, title, by string, d time.Duration) coord.WorkRow {
		return coord.WorkRow{Task: coord.NewTaskID("pay", n), Title: title, Target: "main", Stage: st, Commit: oid("c%d", n), Tree: oid("t%d", n), Ref: fmt.Sprintf("refs/coord/candidate/pay-%d/1", n), By: by, At: ago(d)}
	}
	local := row(5, coord.StageWorkstation, "Retry the webhook with backoff", "echo@mill", 2*time.Minute)
	local.LocalOnly = true
	only := row(4, coord.StageWorkstation, "Idempotent refunds: one key, one refund, also after a lost answer", "delta@forge", 26*time.Minute)
	only.Commit, only.Tree, only.Ref = "", "", ""
	far := row(8, coord.StageApproved, "Currency table as data", "alpha@mill", 31*time.Minute)
	far.Distance, far.Drift = &coord.Distance{Tip: oid("tip"), Ahead: 2, Behind: 1}, 3
	f.landing["pay"] = coord.LandingBoard{
		Project: pay, Now: f.now, AsOf: 9,
		Targets: []coord.TargetRow{
			{
				Repository: repo, Target: "main", Tip: oid("tip"), ObservedAt: &observed, Queue: []coord.TaskID{"pay-9", "pay-8"}, Outside: []coord.OID{oid("outside 1"), oid("outside 2")},
				Hold: &coord.Landing{ID: "pay-9.l1", Task: "pay-9", Target: "main", State: coord.LandingMerged, Holder: "echo@mill", Tries: 2, Base: oid("tip"), Result: oid("m9"), Tree: oid("mt9"), HeldAt: ago(6 * time.Minute), ChangedAt: ago(70 * time.Second)},
			},
			{Repository: repo, Target: "release/2", Unreconciled: true},
			{Repository: repo, Target: "release/1", Tip: oid("old tip"), ObservedAt: &observed, Diverged: &coord.Divergence{Seen: oid("rewound"), By: "alpha@mill", At: ago(time.Hour)}},
		},
		Work: []coord.WorkRow{
			local, only,
			row(1, coord.StageCheckpoint, "Reject tokens past their expiry", "alpha@mill", 55*time.Minute),
			row(6, coord.StageCandidate, "Log the provider’s request id", "delta@forge", 18*time.Minute),
			far,
			row(9, coord.StageVerified, "Parse amounts without floats", "echo@mill", 70*time.Second),
			row(12, coord.StageLanded, "Read the configuration once", "echo@mill", 9*time.Hour),
			row(13, coord.StageLanded, "Start the ledger", "delta@forge", 9*time.Hour),
		},
	}
}

// fillRecord gives pay-1 a long history: two attempts, a returned submission,
// a failed landing and a check on trees that are and are not the submission's.
func (f *fake) fillRecord() {
	ago := func(d time.Duration) time.Time { return f.now.Add(-d) }
	past := func(d time.Duration) *time.Time { t := ago(d); return &t }
	d := f.tasks["pay-1"]
	def := coord.Check{Name: "test", Shell: "go test ./..."}.Require()
	lint := coord.Check{Name: "lint", Shell: "go vet ./..."}.Require()
	wt := func(gen int) *coord.Worktree {
		return &coord.Worktree{Machine: "mill", Path: fmt.Sprintf("/srv/pay.worktrees/pay-1-%d", gen), Branch: "coord/pay-1", Base: oid("tip")}
	}
	d.Attempts = []coord.Attempt{
		{ID: "pay-1.a1", Task: "pay-1", Generation: 1, Owner: "delta@forge", Standing: coord.StandingSubmitted, StartedAt: ago(9 * time.Hour), EndedAt: past(7 * time.Hour), EndReason: "submitted as pay-1.s1", Worktree: wt(1)},
		{ID: "pay-1.a2", Task: "pay-1", Generation: 2, Owner: "alpha@mill", Standing: coord.StandingExpired, StartedAt: ago(3 * time.Hour), Lease: coord.Lease{ExpiresAt: ago(12 * time.Minute)}, Worktree: wt(2), StartedFrom: oid("c1.1")},
	}
	d.Checkpoints = []coord.Checkpoint{
		{Task: "pay-1", Attempt: "pay-1.a1", Generation: 1, Number: 1, Note: "Parser sketched.", Next: "Reject.", Commit: oid("c1.1"), Tree: oid("t1.1"), Ref: "refs/coord/wip/pay-1/1", Pushed: true, At: ago(8 * time.Hour)},
		{Task: "pay-1", Attempt: "pay-1.a2", Generation: 2, Number: 1, Note: "Parser rejects them.", Next: "Write the test with the fake clock.", Commit: oid("c1.2"), Tree: oid("t1.2"), Ref: "refs/coord/wip/pay-1/2", Pushed: true, At: ago(55 * time.Minute)},
		{Task: "pay-1", Attempt: "pay-1.a2", Generation: 2, Number: 2, Note: "Test half written.", Commit: oid("c1.3"), Tree: oid("t1.3"), Ref: "refs/coord/wip/pay-1/2", At: ago(40 * time.Minute)},
	}
	d.Receipts = []coord.Receipt{
		{ID: "r1", Task: "pay-1", Attempt: "pay-1.a1", Check: "test", Definition: def.Digest, Tree: oid("t1.0"), Result: coord.ResultFailed, ExitStatus: 1, Machine: "forge", Toolchain: "linux/amd64 go1.26", DurationMS: 12400, At: ago(8 * time.Hour), Spent: true, Flaky: true},
		{ID: "r2", Task: "pay-1", Attempt: "pay-1.a1", Check: "test", Definition: def.Digest, Tree: oid("t1.s1"), Commit: oid("s1"), Result: coord.ResultPassed, Machine: "forge", Toolchain: "linux/amd64 go1.26", DurationMS: 13100, At: ago(7 * time.Hour), Flaky: true, Decision: "D1"},
		{ID: "r3", Task: "pay-1", Attempt: "pay-1.a2", Check: "lint", Definition: lint.Digest, Tree: oid("t1.2"), Result: coord.ResultPassed, Changed: []string{"gen.go"}, Machine: "mill", Toolchain: "windows/amd64 go1.26", DurationMS: 800, At: ago(50 * time.Minute)},
	}
	d.Submissions = []coord.Submission{{
		ID: "pay-1.s1", Task: "pay-1", Attempt: "pay-1.a1", Author: "delta@forge", State: coord.SubmissionReturned, Commit: oid("s1"), Tree: oid("t1.s1"), Base: oid("tip"), Ref: "refs/coord/candidate/pay-1/1",
		Target: "main", Summary: "Expired tokens are refused.\nThe parser takes the clock.", Required: []coord.RequiredCheck{def, lint}, Reviews: []coord.TaskID{"pay-14"}, Integration: "pay-15", At: ago(7 * time.Hour),
	}}
	d.Reviews = []coord.Review{{
		ID: "v1", Submission: "pay-1.s1", Commit: oid("s1"), Verdict: coord.VerdictChangesRequested, Reviewer: "echo@mill", Note: "The second criterion does not hold: the boundary is treated as valid.", At: ago(6 * time.Hour),
		Findings: []coord.Finding{{Severity: coord.SeverityRequired, Text: "now.After(expiry) must be !now.Before(expiry)"}, {Severity: coord.SeverityAdvisory, Text: "the test could use the shared clock"}},
	}}
	d.Landings = []coord.Landing{{ID: "pay-1.l1", Submission: "pay-1.s1", Task: "pay-1", Target: "main", State: coord.LandingConflict, Holder: "echo@mill", Tries: 1, Base: oid("tip"), Conflicts: []string{"token/parse.go"}, Reason: "does not merge onto 4be10aa", HeldAt: ago(6 * time.Hour), ChangedAt: ago(6 * time.Hour)}}
	for i := range 24 {
		d.Events = append(d.Events, coord.Event{Seq: coord.Seq(i + 1), At: ago(time.Duration(540-20*i) * time.Minute), Kind: coord.EventCheckpointRecorded, Project: "pay", Task: "pay-1", Actor: "alpha@mill", Text: fmt.Sprintf("step %d of the story", i+1)})
	}
	d.AsOf = 9
	f.tasks["pay-1"] = d
}
