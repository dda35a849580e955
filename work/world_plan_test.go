package work_test

import (
	"slices"

	"coord"
)

// block parks the task by a question, and unblock answers it.
func (w *world) block(id coord.TaskID) {
	w.t.Helper()
	_, err := w.reader().Ask(w.t.Context(), coord.Ask{Key: newKey(), Project: "pay", Question: "Which?", Options: []string{"a", "b"}, Tasks: []coord.TaskID{id}})
	must(w.t, err)
}

func (w *world) unblock(id coord.TaskID) {
	w.t.Helper()
	all, err := w.reader().ListDecisions(w.t.Context(), coord.DecisionQuery{Project: "pay"})
	must(w.t, err)
	for _, d := range all {
		if slices.Contains(d.Tasks, id) {
			_, err := w.reader().Decide(w.t.Context(), coord.Decide{Key: newKey(), Project: "pay", Decision: d.ID, Option: "a"})
			must(w.t, err)
		}
	}
}

// edit changes what the task asks for.
func (w *world) edit(id coord.TaskID) coord.Task {
	w.t.Helper()
	title := "something else"
	t, err := w.reader().EditTask(w.t.Context(), coord.EditTask{Key: newKey(), Task: id, Revision: w.detail(id).Revision, Title: &title, Reason: "changed"})
	must(w.t, err)
	return t
}
