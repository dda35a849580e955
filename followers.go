package coord

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Followers are the tasks that a submission makes: a review task for each
// approval that the policy asks for and, for a code task, the integration task
// that waits for them. Number and digest are the store's to give.
func Followers(t Task, p Policy) (reviews []Task, integration *Task) {
	for _, slot := range p.Review.Slots() {
		reviews = append(reviews, ReviewTask(t, slot))
	}
	if t.Kind == KindCode {
		f := follower(t, KindIntegration, "Land ")
		integration = &f
	}
	return reviews, integration
}

// ReviewTask is the task of giving one approval of a submission of t.
func ReviewTask(t Task, slot Actor) Task {
	f := follower(t, KindReview, "Review ")
	f.Outcome, f.Criteria, f.Slot = t.Outcome, t.Criteria, slot // what the reviewer judges by
	return f
}

func follower(t Task, kind Kind, verb string) Task {
	return Task{
		Project: t.Project, Kind: kind, Title: verb + string(t.ID) + ": " + t.Title, Priority: t.Priority, Lifecycle: LifecycleOpen,
		Repository: t.Repository, Target: t.Target, Source: string(t.ID), Parent: "",
	}
}

// SlotFacts is one approval that a submission has or waits for.
type SlotFacts struct {
	Review   TaskID
	Slot     Actor
	Approved Actor // who approved it, "" while nobody did
}

// Reslot is what a change of the review mode does to a submission: the slots
// that are missing now, and the open review tasks that are asked for no more.
// An approval that was given fills whatever slot it may, a person's before
// another, and an open review may stay for either of the two that are not a
// person's.
func Reslot(have []SlotFacts, mode ReviewMode) (missing []Actor, surplus []TaskID) {
	used := map[TaskID]bool{}
	take := func(fits func(SlotFacts) bool) bool {
		for _, h := range have {
			if !used[h.Review] && fits(h) {
				used[h.Review] = true
				return true
			}
		}
		return false
	}
	want := mode.Slots()
	slices.SortStableFunc(want, func(a, b Actor) int { return cmp.Compare(strictness(b), strictness(a)) })
	for _, w := range want {
		switch {
		case take(func(h SlotFacts) bool { return h.Approved != "" && (h.Approved == ActorHuman) == (w == ActorHuman) }):
		case take(func(h SlotFacts) bool { return h.Approved == ActorHuman }): // it fills any
		case take(func(h SlotFacts) bool { return h.Approved == "" && h.Slot == w }):
		case take(func(h SlotFacts) bool { return h.Approved == "" && w != ActorHuman && h.Slot != ActorHuman }):
		default:
			missing = append(missing, w)
		}
	}
	for _, h := range have {
		if !used[h.Review] && h.Approved == "" {
			surplus = append(surplus, h.Review)
		}
	}
	return missing, surplus
}

// strictness orders slots by how few may fill them.
func strictness(a Actor) int {
	if a == ActorHuman {
		return 1
	}
	return 0
}

// CheckSlot refuses an agent for a review that a person has to give.
func (t Task) CheckSlot(r Role) error {
	if t.Kind != KindReview || t.Slot != ActorHuman || r == RoleOperator {
		return nil
	}
	return Errorf(CodeNotPermitted, "%s is a person's review; nothing was changed", t.ID).WithActor("operator").WithNext("coord next")
}

// ReviseFacts is what sending a submission back is judged by.
type ReviseFacts struct {
	Task       TaskID
	Digest     string // of the task now
	Submission SubmissionState
	Judged     string       // digest that the submission is judged by
	Landing    LandingState // of its latest landing
	Author     bool         // the caller contributed
	Before     []time.Time  // when earlier submissions of the task were sent back by Revise
}

// CheckRevise decides whether a submission may be sent back.
func (f ReviseFacts) CheckRevise(reason ReviseReason) error {
	show := "coord task show " + string(f.Task)
	switch {
	case f.Submission != SubmissionInReview && f.Submission != SubmissionApproved:
		return Errorf(CodeStateConflict, "%s has no submission that waits for review or landing; nothing was changed", f.Task).WithNext(show)
	case f.Landing.Reserves():
		return Errorf(CodeTargetHeld, "%s is being landed right now; nothing was changed", f.Task).WithNext(show)
	case reason == ReviseConflict && f.Landing != LandingConflict, reason == ReviseCheckFailed && f.Landing != LandingFailed:
		return Errorf(CodeRequirement, "no landing of %s recorded a %s; nothing was changed", f.Task, reason).WithNext("coord integrate " + string(f.Task))
	case reason == ReviseRequirements && f.Author:
		return Errorf(CodeNotIndependent, "this session worked on %s, so another must say that its requirements changed; nothing was changed", f.Task).WithNext("coord next", "coord revise --withdrawn "+string(f.Task))
	case reason == ReviseRequirements && f.Judged == f.Digest:
		return Errorf(CodeRequirement, "%s was not edited since its submission; nothing was changed", f.Task).WithNext("coord task edit "+string(f.Task), show)
	case reason == ReviseWithdrawn && !f.Author:
		return Errorf(CodeNotPermitted, "only a session that worked on %s may withdraw it; nothing was changed", f.Task).WithNext(show)
	}
	switch reason {
	case ReviseConflict, ReviseCheckFailed, ReviseMissing, ReviseRequirements, ReviseWithdrawn:
		return nil
	}
	return Errorf(CodeBadRequest, "reason %q is not conflict, check_failed, candidate_missing, requirements_changed or withdrawn", string(reason))
}

// Exceeds reports whether sending the work back at now is once more than the
// limit allows in a day.
func (f ReviseFacts) Exceeds(limit int, now time.Time) bool {
	recent := 0
	for _, at := range f.Before {
		if now.Sub(at) < 24*time.Hour {
			recent++
		}
	}
	return recent >= limit
}

// EscalateFindings is the question that parks a task whose reviews keep
// finding the same.
func EscalateFindings(t Task, class string, limit int) Ask {
	return escalate(t, fmt.Sprintf("Reviews of %s (%s) asked for changes of the class %q more than %d times. How should it go on?", t.ID, t.Title, class, limit))
}

// EscalateRevisions is the question that parks a task whose submissions keep
// being sent back.
func EscalateRevisions(t Task, limit int) Ask {
	return escalate(t, fmt.Sprintf("Submissions of %s (%s) were sent back more than %d times in a day. How should it go on?", t.ID, t.Title, limit))
}

func escalate(t Task, question string) Ask {
	return Ask{
		Project: t.Project, Question: question, Options: []string{"go on as it is", "edit the task first", "split it", "cancel it"},
		RequiredActor: ActorEither, Tasks: []TaskID{t.ID}, Reopen: "answered by somebody who did not work on it",
	}
}
