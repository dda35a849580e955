package servicetest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"coord"
)

// record is what a side shows of its projects, as far as a walk compares it.
type record struct {
	tasks     map[coord.TaskID]shown
	decisions map[string]string // by project and id
}

// shown is one task in a record. Times are Unix nanoseconds, and sets are
// joined, so that two of it are compared at once.
type shown struct {
	id                   coord.TaskID
	project              coord.ProjectKey
	kind                 coord.Kind
	status               coord.Status
	lifecycle            coord.Lifecycle
	target, digest       string
	generation, revision int64
	submission           coord.SubmissionID
	slot                 coord.Actor
	owner                ownerShown
	saved                savedShown
	landed               coord.LandedFact
	blockers             string // "kind decision task", sorted
	after, waits         string
}

type ownerShown struct {
	attempt    coord.AttemptID
	name       string
	generation int64
	standing   coord.Standing
	until      int64
}

type savedShown struct {
	generation int64
	commit     coord.OID
	kind       coord.SavedKind
}

func show(t coord.Task) shown {
	s := shown{
		id: t.ID, project: t.Project, kind: t.Kind, status: t.Status, lifecycle: t.Lifecycle, target: t.Target, digest: t.Digest, generation: t.Generation, revision: t.Revision,
		submission: t.Submission, slot: t.Slot, after: fmt.Sprint(t.DependsOn), waits: fmt.Sprint(t.WaitsFor),
	}
	if o := t.Owner; o != nil {
		s.owner = ownerShown{o.Attempt, o.Name, o.Generation, o.Standing, o.ExpiresAt.UnixNano()}
	}
	if x := t.Saved; x != nil {
		s.saved = savedShown{x.Generation, x.Commit, x.Kind}
	}
	if l := t.Landed; l != nil {
		s.landed = coord.LandedFact{Landing: l.Landing, Commit: l.Commit, Tree: l.Tree}
	}
	var blockers []string
	for _, b := range t.Blockers {
		blockers = append(blockers, fmt.Sprint(b.Kind, " ", b.Decision, " ", b.Task))
	}
	slices.Sort(blockers)
	s.blockers = strings.Join(blockers, ", ")
	return s
}

// look reads the whole record of every side, and wants them to be the same.
func (w *walk) look(rt *rapid.T) record {
	rt.Helper()
	return w.lookOf(rt, slices.Sorted(maps.Keys(w.policies)), true)
}

// lookAfter reads what a command may have changed; the rest is as it was.
func (w *walk) lookAfter(rt *rapid.T, d *deed) record {
	rt.Helper()
	p, decisions := projectOf(d)
	if p == "" {
		return w.look(rt)
	}
	r := w.lookOf(rt, []coord.ProjectKey{p}, decisions)
	for id, t := range w.now.tasks {
		if t.project != p {
			r.tasks[id] = t
		}
	}
	for id, text := range w.now.decisions {
		if !decisions || !strings.HasPrefix(id, string(p)+" ") {
			r.decisions[id] = text
		}
	}
	return r
}

// projectOf is the project that a command is about, and whether it may have to
// do with decisions; none for one that is about all.
func projectOf(d *deed) (p coord.ProjectKey, decisions bool) {
	attempt, landing, _ := authority(d.command)
	switch c := d.command.(type) {
	case coord.CreateTask:
		return c.Project, false
	case coord.Claim:
		return c.Project, false
	case coord.Hold:
		return c.Project, false
	case coord.EditTask:
		return c.Task.Project(), false
	case coord.CancelTask:
		return c.Task.Project(), false
	case coord.Unblock:
		return c.Task.Project(), false
	case coord.Revise:
		return c.Task.Project(), true
	case coord.Ask:
		return c.Project, true
	case coord.Decide:
		return c.Project, true
	}
	return cmp.Or(attempt.Task(), landing.Task()).Project(), false
}

// lookOf reads some projects, with their decisions or without.
func (w *walk) lookOf(rt *rapid.T, projects []coord.ProjectKey, decisions bool) record {
	rt.Helper()
	var first record
	for i, side := range w.sides {
		r := w.recordOf(rt, side, projects, decisions)
		if i == 0 {
			first = r
			continue
		}
		if diff := first.diff(r); diff != "" {
			rt.Fatalf("%s and %s show different records:\n%s", w.sides[0].Name(), side.Name(), diff)
		}
	}
	return first
}

func (w *walk) recordOf(rt *rapid.T, side Side, projects []coord.ProjectKey, decisions bool) record {
	rt.Helper()
	r, svc := record{tasks: map[coord.TaskID]shown{}, decisions: map[string]string{}}, side.As(w.seats[0].id)
	for _, key := range projects {
		page, err := svc.ListTasks(w.ctx, coord.TaskQuery{Project: key, Limit: 200})
		if err != nil || page.NextCursor != "" {
			rt.Fatalf("%s lists %d tasks, %v", side.Name(), len(page.Items), err)
		}
		for _, t := range page.Items {
			r.tasks[t.ID] = show(t)
		}
		if !decisions {
			continue
		}
		asked, err := svc.ListDecisions(w.ctx, coord.DecisionQuery{Project: key, Limit: 200})
		if err != nil {
			rt.Fatalf("%s: %v", side.Name(), err)
		}
		for _, d := range asked {
			x, _ := tellDecision(d, nil)
			r.decisions[string(key)+" "+string(d.ID)] = fmt.Sprint(x.state, " ", x.answer, " ", d.RequiredActor, " ", d.Escalation, " ", slices.Sorted(slices.Values(d.Tasks)))
		}
	}
	return r
}

// diff says what is different, "" when nothing is.
func (r record) diff(o record) string {
	var out []string
	for _, id := range slices.Sorted(maps.Keys(maps.Collect(both(r.tasks, o.tasks)))) {
		if a, b := r.tasks[id], o.tasks[id]; a != b {
			out = append(out, fmt.Sprintf("%+v\n%+v", a, b))
		}
	}
	for id := range both(r.decisions, o.decisions) {
		if a, b := r.decisions[id], o.decisions[id]; a != b {
			out = append(out, fmt.Sprintf("%s: %s\n%s", id, a, b))
		}
	}
	return strings.Join(out, "\n")
}

// both yields what is in either map.
func both[K comparable, V any](a, b map[K]V) func(yield func(K, V) bool) {
	return func(yield func(K, V) bool) {
		for k, v := range a {
			if !yield(k, v) {
				return
			}
		}
		for k, v := range b {
			if _, there := a[k]; !there && !yield(k, v) {
				return
			}
		}
	}
}

// history is all that became of one task, a line for each attempt,
// submission, review and landing.
func historyOf(d coord.TaskDetail) (out []string) {
	for _, a := range d.Attempts {
		out = append(out, fmt.Sprint(a.ID, " ", a.Fence, " ", a.Owner, " ", a.Standing, " ", a.Lease.ExpiresAt.UnixNano(), " from ", a.StartedFrom))
	}
	for _, x := range d.Submissions {
		out = append(out, fmt.Sprint(x.ID, " ", x.State, " ", x.Attempt, " ", x.Author, " ", x.Commit, " ", x.Judged, " ", x.Reviews, " ", x.Integration))
	}
	for _, r := range d.Reviews {
		out = append(out, fmt.Sprint(r.Submission, " ", r.Task, " ", r.Verdict, " ", r.Actor, " ", r.Reviewer, " ", r.Commit, " ", r.Digest))
	}
	for _, l := range d.Landings {
		out = append(out, fmt.Sprint(l.ID, " ", l.Submission, " ", l.State, " ", l.Holder, " ", l.Fence, " ", l.Tries, " ", l.Base, l.Result, l.Tree, " ", l.Verified, l.AlreadyIn))
	}
	return out
}

// lookAt compares the whole history of one task, which it returns.
func (w *walk) lookAt(rt *rapid.T, id coord.TaskID) coord.TaskDetail {
	rt.Helper()
	var first coord.TaskDetail
	for i, side := range w.sides {
		d, err := side.As(w.seats[0].id).Task(w.ctx, id)
		if err != nil {
			rt.Fatalf("%s: %v", side.Name(), err)
		}
		if !d.Kind.Submits() { // what a follower is about is its task's to show
			d.Submissions, d.Reviews, d.Landings = nil, nil, nil
		}
		if i == 0 {
			first = d
			continue
		}
		if a, b := historyOf(first), historyOf(d); !slices.Equal(a, b) {
			rt.Fatalf("%s and %s show different histories of %s:\n%s\n\n%s", w.sides[0].Name(), side.Name(), id, strings.Join(a, "\n"), strings.Join(b, "\n"))
		}
	}
	return first
}

// lookWhole compares every history.
func (w *walk) lookWhole(rt *rapid.T) {
	for id := range w.now.tasks {
		w.lookAt(rt, id)
	}
}
