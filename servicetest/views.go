package servicetest

import (
	"fmt"
	"slices"
	"time"

	"coord"
)

// count is how many tasks the board has in a status.
func (s *stage) count(b coord.Board, st coord.Status) int {
	i := slices.IndexFunc(b.Columns, func(c coord.BoardColumn) bool { return c.Status == st })
	if i < 0 {
		return 0
	}
	if n := len(b.Columns[i].Tasks); n > b.Columns[i].Count {
		s.Errorf("column %s counts %d and shows %d", st, b.Columns[i].Count, n)
	}
	for _, t := range b.Columns[i].Tasks {
		is(s, "column of "+string(t.ID), t.Status, st)
	}
	return b.Columns[i].Count
}

// row is the task's line in branch versus integrated.
func (s *stage) row(id coord.TaskID) coord.WorkRow {
	s.Helper()
	b := must(s.h.AsOperator().LandingBoard(s.ctx, s.project))
	i := slices.IndexFunc(b.Work, func(r coord.WorkRow) bool { return r.Task == id })
	if i < 0 {
		s.Errorf("%s is not on the landing board", id)
		return coord.WorkRow{}
	}
	return b.Work[i]
}

func (s *stage) targetRow(name string) coord.TargetRow {
	s.Helper()
	b := must(s.h.AsOperator().LandingBoard(s.ctx, s.project))
	i := slices.IndexFunc(b.Targets, func(r coord.TargetRow) bool { return r.Target == name })
	if i < 0 {
		s.Errorf("target %s is not on the landing board", name)
		return coord.TargetRow{}
	}
	return b.Targets[i]
}

func (s *stage) nextIs(a *actor, want coord.Activity, id coord.TaskID) {
	s.Helper()
	n := must(a.Next(s.ctx, s.project))
	if n.Activity != want || id != "" && (n.Task == nil || n.Task.ID != id) {
		s.Errorf("next is %s %+v, want %s %s", n.Activity, n.Task, want, id)
	}
	if want != coord.ActivityNone && n.Command == "" {
		s.Errorf("%s without a command", n.Activity)
	}
}

// passesOver is what next says is not for the actor, as it reads.
func (a *actor) passesOver() []string {
	var said []string
	for _, k := range must(a.Next(a.s.ctx, a.s.project)).Skipped {
		said = append(said, fmt.Sprintf("%d %s", k.Count, k.Reason))
	}
	return said
}

var viewScenes = []scene{
	{"the landing board says how far a candidate was and what landed since", func(s *stage) {
		w := s.as("alpha").start(s.as("alpha").newTask("far").ID)
		c := w.candidate()
		c.Distance = &coord.Distance{Tip: newOID(), Ahead: 3, Behind: 2}
		must(w.record(passing(c.Tree)))
		sub := must(w.a.Submit(s.ctx, c)).Submission
		s.approve(sub)
		d := s.row(sub.Task).Distance
		if d == nil || d.Tip != c.Distance.Tip || d.Ahead != 3 || d.Behind != 2 || d.At.IsZero() {
			s.Errorf("it was %+v", d)
		}
		is(s, "drift", s.row(sub.Task).Drift, 0)
		s.h.Advance(time.Second)
		s.land(s.approved("between").Task)
		is(s, "drift after a landing", s.row(sub.Task).Drift, 1)
		s.h.Advance(time.Second)
		s.as("bravo").publishing(sub.Task) // verified on the tip of now
		is(s, "drift since it was verified", s.row(sub.Task).Drift, 0)
	}},
	{"a task says where its work is", func(s *stage) {
		landed := s.land(s.approved("Refuse old tokens").Task)
		var stages []coord.Stage
		for _, p := range s.task(landed.Task.ID).Places {
			stages = append(stages, p.Stage)
		}
		is(s, "places", stages, []coord.Stage{coord.StageCandidate, coord.StageApproved, coord.StageVerified, coord.StageLanded})
	}},
	{"a negative distance is none", func(s *stage) {
		w := s.as("alpha").start(s.as("alpha").newTask("far").ID)
		c := w.candidate()
		c.Distance = &coord.Distance{Tip: newOID(), Ahead: -1}
		must(w.record(passing(c.Tree)))
		_, err := w.a.Submit(s.ctx, c)
		s.refused(err, coord.CodeBadRequest)
	}},
	{"next: implement, then continue", func(s *stage) {
		alpha := s.as("alpha")
		s.nextIs(alpha, coord.ActivityNone, "")
		id := alpha.newTask("x").ID
		s.nextIs(alpha, coord.ActivityImplement, id)
		alpha.start(id)
		s.nextIs(alpha, coord.ActivityContinue, id)
		s.nextIs(s.as("bravo"), coord.ActivityNone, "")
	}},
	{"next: recover before all others' work, and not within the grace", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		w := alpha.start(alpha.newTask("x").ID)
		must(w.checkpoint())
		ready := alpha.newTask("y", priority(coord.PriorityUrgent)).ID
		s.nextIs(bravo, coord.ActivityImplement, ready)
		s.h.Advance(lease + grace - 1)
		s.nextIs(bravo, coord.ActivityImplement, ready)
		s.h.Advance(1)
		s.nextIs(bravo, coord.ActivityRecover, w.Task.ID)
		s.nextIs(alpha, coord.ActivityContinue, w.Task.ID)
	}},
	{"next: review for others, integrate when approved", func(s *stage) {
		author, sub := s.submitted()
		bravo := s.as("bravo")
		s.nextIs(bravo, coord.ActivityReview, "")
		s.nextIs(author, coord.ActivityNone, "")
		s.approve(sub)
		s.nextIs(bravo, coord.ActivityIntegrate, "")
		s.nextIs(author, coord.ActivityIntegrate, "")
		s.land(sub.Task)
		s.nextIs(bravo, coord.ActivityNone, "")
	}},
	{"next: what is passed over is said in words", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		x := alpha.start(alpha.newTask("x").ID)
		alpha.newTask("waits", after(x.Task.ID))
		alpha.newTask("planned", planned)
		is(s, "one of each", bravo.passesOver(), []string{"1 task held by others", "1 task blocked", "1 task planned, not admitted"})
		y := alpha.start(alpha.newTask("y").ID)
		alpha.newTask("waits too", after(x.Task.ID))
		alpha.newTask("planned too", planned)
		is(s, "two of each", bravo.passesOver(), []string{"2 tasks held by others", "2 tasks blocked", "2 tasks planned, not admitted"})
		x.submit()
		rest := []string{"2 tasks blocked", "2 tasks planned, not admitted"}
		is(s, "one submitted", alpha.passesOver(), slices.Concat(rest, // what it holds itself is what to go on with
			[]string{"1 task submitted and waiting for others", "1 review of this session's own work", "1 integration blocked"}))
		y.submit()
		is(s, "two submitted", alpha.passesOver(), slices.Concat(rest,
			[]string{"2 tasks submitted and waiting for others", "2 reviews of this session's own work", "2 integrations blocked"}))
	}},
	{"next claims nothing", func(s *stage) {
		alpha := s.as("alpha")
		id := alpha.newTask("x").ID
		s.unchanged(id, func() { must(alpha.Next(s.ctx, s.project)) })
	}},
	{"the board counts each task in one column", func(s *stage) {
		alpha := s.as("alpha")
		ready := alpha.newTask("ready").ID
		alpha.newTask("planned", planned)
		alpha.newTask("waits", after(ready))
		alpha.start(alpha.newTask("working").ID)
		done := s.approved("done")
		s.land(done.Task)
		s.submitted()
		b := must(alpha.Board(s.ctx, s.project))
		is(s, "project", b.Project.Key, s.project)
		for st, want := range map[coord.Status]int{
			coord.StatusPlanned: 1, coord.StatusInProgress: 1, coord.StatusWaitingReview: 1,
			coord.StatusReady:   2, // and the review task
			coord.StatusBlocked: 2, // and the integration task behind the review
			coord.StatusDone:    3, // with its review and its integration
		} {
			is(s, "tasks "+string(st), s.count(b, st), want)
		}
		if !b.Now.Equal(s.h.Now()) || b.AsOf == 0 {
			s.Errorf("now %s as of %d", b.Now, b.AsOf)
		}
	}},
	{"the board turns with the clock alone", func(s *stage) {
		alpha := s.as("alpha")
		alpha.start(alpha.newTask("x").ID)
		s.h.Advance(lease)
		b := must(alpha.Board(s.ctx, s.project))
		is(s, "in progress", s.count(b, coord.StatusInProgress), 0)
		is(s, "recovery", s.count(b, coord.StatusRecoveryRequired), 1)
	}},
	{"branch versus integrated: every stage of one task", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		is(s, "claimed", s.row(w.Task.ID).Stage, coord.StageWorkstation)
		cp := must(w.checkpoint())
		row := s.row(w.Task.ID)
		is(s, "saved", row.Stage, coord.StageCheckpoint)
		is(s, "saved commit", row.Commit, cp.Commit)
		is(s, "saved by", row.By, "alpha")
		is(s, "saved at", row.At.Equal(cp.At), true)
		sub := w.submit()
		row = s.row(w.Task.ID)
		is(s, "submitted", row.Stage, coord.StageCandidate)
		is(s, "candidate", []coord.OID{row.Commit, row.Tree}, []coord.OID{sub.Commit, sub.Tree})
		s.approve(sub)
		is(s, "approved", s.row(w.Task.ID).Stage, coord.StageApproved)
		is(s, "queue", s.targetRow("main").Queue, []coord.TaskID{w.Task.ID})
		h, p := s.as("bravo").publishing(w.Task.ID)
		is(s, "verified", s.row(w.Task.ID).Stage, coord.StageVerified)
		if hold := s.targetRow("main").Hold; hold == nil || hold.ID != h.Landing.ID {
			s.Errorf("hold %+v", hold)
		}
		must(h.see(p))
		row = s.row(w.Task.ID)
		is(s, "landed", row.Stage, coord.StageLanded)
		is(s, "landed commit", row.Commit, p.Result)
		is(s, "landed by", row.By, "bravo")
		tr := s.targetRow("main")
		if tr.Hold != nil || tr.Tip != p.Result || tr.ObservedAt == nil || len(tr.Queue) != 0 {
			s.Errorf("target %+v", tr)
		}
	}},
	{"a checkpoint that is only here is a workstation's", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		must(alpha.RecordCheckpoint(s.ctx, coord.RecordCheckpoint{Key: newKey(), Attempt: w.id(), Fence: w.Attempt.Fence, Note: "offline", Commit: newOID(), Tree: newOID(), Ref: "refs/coord/x"}))
		row := s.row(w.Task.ID)
		is(s, "stage", row.Stage, coord.StageWorkstation)
		is(s, "local only", row.LocalOnly, true)
	}},
	{"the overview counts by derived status", func(s *stage) {
		alpha := s.as("alpha")
		alpha.start(alpha.newTask("x").ID)
		s.h.Advance(lease)
		oldest := s.h.Now()
		alpha.newTask("y")
		s.h.Advance(time.Minute)
		alpha.newTask("z")
		s.land(s.approved("landed").Task)
		o := must(s.h.AsOperator().Overview(s.ctx))
		i := slices.IndexFunc(o.Projects, func(p coord.ProjectSummary) bool { return p.Project == s.project })
		if i < 0 {
			s.Fatal("the project is missing")
		}
		p := o.Projects[i]
		is(s, "ready", p.Counts[coord.StatusReady], 2)
		is(s, "recovery", p.Counts[coord.StatusRecoveryRequired], 1)
		is(s, "landed this week", p.LandedThisWeek, 1)
		if p.OldestReady == nil || !p.OldestReady.Equal(oldest) {
			s.Errorf("oldest ready %v, want %v", p.OldestReady, oldest)
		}
	}},
	{"an export holds tasks and lessons, no followers", func(s *stage) {
		sub := s.approved("x")
		alpha := s.as("alpha")
		alpha.learn("know this")
		w := alpha.start(alpha.newTask("in flight").ID)
		cp := must(w.checkpoint())
		e := must(alpha.ExportData(s.ctx, s.project))
		var got []coord.TaskID
		for _, t := range e.Tasks {
			got = append(got, t.ID)
		}
		slices.Sort(got)
		want := []coord.TaskID{sub.Task, w.Task.ID}
		slices.Sort(want)
		is(s, "tasks", got, want)
		is(s, "lessons", len(e.Lessons), 1)
		if len(e.Attempts) != 1 || e.Attempts[0].Task != w.Task.ID || e.Attempts[0].Commit != cp.Commit || e.Attempts[0].Owner != "alpha" || e.Attempts[0].Next != cp.Next {
			s.Errorf("attempts %+v", e.Attempts)
		}
		is(s, "again", must(alpha.ExportData(s.ctx, s.project)), e)
	}},
}
