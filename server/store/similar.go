package store

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"coord"
)

// The search for similar tasks costs the same however many tasks there are: it
// counts no word further than commonWord, asks for the rarest of the title, and
// looks at the latest tasks that have one of them.
const (
	titleWords    = 8
	rarestWords   = 3
	commonWord    = 200
	lookedAt      = 50
	recentlyEnded = 30 * 24 * time.Hour
)

// indexWords makes a task that was made by hand findable by its words and its
// labels.
func (t *tx) indexWords(task coord.Task, id coord.TaskID, seq int64) error {
	return t.change("INSERT INTO task_words (rowid, words, task) VALUES (?, ?, ?)", seq, tokens(task), string(id))
}

// reindexWords brings what an edited task is found by up to date.
func (t *tx) reindexWords(before, after coord.Task) error {
	if tokens(before) == tokens(after) {
		return nil
	}
	var seq int64
	if _, err := t.get([]any{&seq}, "SELECT created_seq FROM tasks WHERE id = ?", string(after.ID)); err != nil {
		return err
	}
	if _, err := t.exec("DELETE FROM task_words WHERE rowid = ?", seq); err != nil {
		return err
	}
	return t.indexWords(after, after.ID, seq)
}

// tokens are words and labels as the index has them: each with its project, so
// that one project's words are as rare as they are in it.
func tokens(t coord.Task) string {
	var all []string
	for _, w := range coord.Words(t.Title + "\n" + t.Outcome) {
		all = append(all, wordToken(t.Project, w))
	}
	for _, l := range t.Labels {
		all = append(all, labelToken(t.Project, l))
	}
	return strings.Join(all, " ")
}

func wordToken(p coord.ProjectKey, word string) string { return string(p) + "." + word }

// labelToken is no word's token: no word has a dot.
func labelToken(p coord.ProjectKey, label string) string { return string(p) + ".." + label }

// sought is the search for one token.
func sought(token string) string { return `"` + strings.ReplaceAll(token, `"`, "") + `"` }

// howCommon counts the tasks that have the token, as far as commonWord.
func (v *view) howCommon(token string) (n int, err error) {
	_, err = v.get([]any{&n}, "SELECT count(*) FROM (SELECT 1 FROM task_words WHERE task_words MATCH ? LIMIT ?)", sought(token), commonWord)
	return n, err
}

// similarTasks are the latest that have a word, and that are open or were
// closed after a time. Parameters: search, how many, a task that is left out,
// that time.
const similarTasks = `SELECT t.id, t.title, t.outcome FROM tasks t WHERE t.id IN (SELECT task FROM task_words WHERE task_words MATCH ? ORDER BY rowid DESC LIMIT ?)
	AND t.id <> ? AND (t.closed_at IS NULL OR t.closed_at > ?)`

// similar are the tasks that come closest to the task by their words, among
// those that are open or were closed recently.
func (v *view) similar(task coord.Task) ([]coord.TaskRecall, error) {
	query, err := v.rarest(task)
	if err != nil || query == "" {
		return nil, err
	}
	texts, err := list(v, scanTexts, similarTasks, query, lookedAt, string(task.ID), nanos(v.now.Add(-recentlyEnded)))
	if err != nil {
		return nil, err
	}
	out := coord.Closest(task.Title, texts)
	for i := range out {
		found, err := v.task(out[i].ID)
		if err != nil {
			return nil, err
		}
		out[i].Status = found.Status
	}
	return out, nil
}

// scanTexts reads as much of a task as it is compared by.
func scanTexts(r scanner) (t coord.Task, err error) {
	err = r.Scan(&t.ID, &t.Title, &t.Outcome)
	return t, err
}

// rarest is the search for the rarest words of a title. Common words find
// nothing in particular, so they stand in only where there is no other.
func (v *view) rarest(task coord.Task) (string, error) {
	type word struct {
		token string
		count int
	}
	var words []word
	for _, w := range coord.Words(task.Title) {
		token := wordToken(task.Project, w)
		n, err := v.howCommon(token)
		if err != nil {
			return "", err
		}
		x := word{sought(token), n}
		if words = append(words, x); len(words) == titleWords {
			break
		}
	}
	slices.SortStableFunc(words, func(a, b word) int { return cmp.Compare(a.count, b.count) })
	var match []string
	for _, w := range words[:min(len(words), rarestWords)] {
		if len(match) == 0 || w.count < commonWord {
			match = append(match, w.token)
		}
	}
	return strings.Join(match, " OR "), nil
}
