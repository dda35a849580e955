package coord

import (
	"fmt"
	"strings"
)

// revertNamespace begins the source key of a task that reverts a landing, so
// that one landing has one such task.
const revertNamespace = "revert:"

// Reverts is the landing that the task takes back, if that is what it is for.
// Its candidate is computed when it is started.
func (t Task) Reverts() (LandingID, bool) {
	l, ok := strings.CutPrefix(t.SourceKey, revertNamespace)
	return LandingID(l), ok
}

// RevertSource is the source key of the task that reverts the landing.
func RevertSource(l LandingID) string { return revertNamespace + string(l) }

// Revert is the task that takes back what a task landed. It is refused for
// one that did not land, and for a landing that made no commit of its own.
func (t TaskDetail) Revert(reason string) (CreateTask, error) {
	var l Landing
	for _, x := range t.Landings {
		if t.Landed != nil && x.ID == t.Landed.Landing {
			l = x
		}
	}
	switch {
	case l.ID == "":
		return CreateTask{}, Errorf(CodeStateConflict, "%s is %s and has not landed, so there is nothing to take back; nothing was changed", t.ID, t.Status).WithNext("coord task show " + string(t.ID))
	case l.AlreadyIn || l.Base == "":
		return CreateTask{}, Errorf(CodeStateConflict, "%s made no commit of its own, so which commits it would take back is for a person to say; nothing was changed", l.ID).
			WithNext("coord task new TITLE, then git revert in its worktree")
	}
	return CreateTask{
		Project: t.Project, Title: shorten("Revert "+string(t.ID)+": "+OneLine(t.Title), 200), Outcome: reason,
		Criteria: []string{fmt.Sprintf("%s no longer has what %s landed as %s", l.Target, t.ID, l.Result.Short())},
		Priority: t.Priority, Target: l.Target, SourceKey: RevertSource(l.ID),
	}, nil
}

// CheckNotReverted refuses to submit a commit again that landed and was taken
// back: the target has it in its history, so merging it would bring nothing.
// reverted is the task that took the landing back.
func (c Submit) CheckNotReverted(landing LandingID, reverted TaskID) error {
	if landing == "" {
		return nil
	}
	return Errorf(CodeStateConflict, "%s landed already, as %s, and %s took it back: merging the same commit again would bring nothing; nothing was submitted", c.Commit.Short(), landing, reverted).
		WithNext("git revert the commit that "+string(reverted)+" landed, in the worktree", `coord submit --all -m "what changed"`)
}
