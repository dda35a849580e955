package store

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"coord"
)

// addFindings stores the findings under the next numbers of their task.
func (t *tx) addFindings(r *coord.Review, review int64, task coord.TaskID) error {
	var last int64
	if _, err := t.get([]any{&last}, "SELECT coalesce(max(number), 0) FROM findings WHERE task = ?", string(task)); err != nil {
		return err
	}
	r.Findings = slices.Clone(r.Findings)
	for i := range r.Findings {
		f := &r.Findings[i]
		last++
		f.ID, f.Class = coord.NewFindingID(task, last), cmp.Or(f.Class, coord.DefaultClass)
		err := t.change("INSERT INTO findings (task, number, review, class, severity, text, remedy) VALUES (?, ?, ?, ?, ?, ?, ?)",
			string(task), last, review, f.Class, string(f.Severity), f.Text, f.Remedy)
		if err != nil {
			return err
		}
	}
	return nil
}

// resolve notes that the review found earlier findings dealt with. One that
// was resolved before keeps the review that said so first.
func (t *tx) resolve(task coord.TaskID, ids []coord.FindingID, review int64) error {
	for _, id := range ids {
		n, err := t.finding(task, id)
		if err != nil {
			return err
		}
		if _, err := t.exec("UPDATE findings SET resolution = ? WHERE task = ? AND number = ? AND resolution IS NULL", review, string(task), n); err != nil {
			return err
		}
	}
	return nil
}

// finding is the number of a finding that the task has.
func (v *view) finding(task coord.TaskID, id coord.FindingID) (int64, error) {
	of, number, _ := strings.Cut(string(id), ".f")
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || of != string(task) || coord.NewFindingID(task, n) != id {
		return 0, noFinding(task, id)
	}
	found, err := v.get([]any{new(int64)}, "SELECT 1 FROM findings WHERE task = ? AND number = ?", string(task), n)
	if err == nil && !found {
		err = noFinding(task, id)
	}
	return n, err
}

func noFinding(task coord.TaskID, id coord.FindingID) error {
	return coord.Errorf(coord.CodeNotFound, "%s has no finding %q; nothing was changed", task, coord.OneLine(string(id))).WithNext("coord task show " + string(task))
}

// recurring asks how a task should go on whose reviews keep finding the same.
// It runs after the work went back, and parks it.
func (t *tx) recurring(task coord.Task, r coord.Review, limit int) error {
	earlier, err := t.earlierFindings(task.ID, r.ID)
	if err != nil {
		return err
	}
	class := coord.Recurring(earlier, r.Wants(), limit)
	if class == "" {
		return nil
	}
	_, err = t.ask(coord.EscalateFindings(task, class, limit), true)
	return err
}

// earlierFindings are what the task's other reviews wanted, of whatever attempt,
// one slice for each review: see coord.Review.Wants.
func (v *view) earlierFindings(task coord.TaskID, but coord.ReviewID) ([][]coord.Finding, error) {
	type row struct {
		review coord.ReviewID
		class  string
	}
	rows, err := list(v, func(r scanner) (x row, err error) {
		var id int64
		err = r.Scan(&id, &x.class)
		x.review = reviewID(id)
		return x, err
	}, `SELECT r.id, coalesce(f.class, ?) FROM submissions s JOIN reviews r ON r.submission = s.id
			LEFT JOIN findings f ON f.task = s.task AND f.review = r.id AND f.severity = 'required'
		WHERE s.task = ? AND r.verdict = 'changes_requested' ORDER BY r.id, f.number`, coord.DefaultClass, string(task))
	by := map[coord.ReviewID]int{}
	var out [][]coord.Finding
	for _, x := range rows {
		if x.review == but {
			continue
		}
		i, known := by[x.review]
		if !known {
			i = len(out)
			by[x.review], out = i, append(out, nil)
		}
		out[i] = append(out[i], coord.Finding{Class: x.class, Severity: coord.SeverityRequired})
	}
	return out, err
}

func reviewID(n int64) coord.ReviewID { return coord.ReviewID(fmt.Sprintf("v%d", n)) }

// reviewNumber is the inverse of reviewID.
func reviewNumber(id coord.ReviewID) (int64, error) {
	n, err := strconv.ParseInt(strings.TrimPrefix(string(id), "v"), 10, 64)
	if err != nil || reviewID(n) != id {
		return 0, coord.Errorf(coord.CodeNotFound, "there is no review %q; nothing was changed", coord.OneLine(string(id)))
	}
	return n, nil
}
