package markdown

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"coord"
)

// normal reduces text to what identity rests on: lower-case letters and
// digits, single spaces, no dates.
func normal(s string) string {
	s = datePattern().ReplaceAllString(s, " ")
	var b strings.Builder
	b.Grow(len(s))
	space := false
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			space = true
			continue
		}
		if space && b.Len() > 0 {
			b.WriteByte(' ')
		}
		space = false
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

var datePattern = pattern(`\b\d{4}-\d{2}-\d{2}\b`)

// statusWords are read only in status positions: a heading, the edge of a
// title. In running prose they mean nothing.
var statusWords = table(
	phrases{coord.SourceOpen, "open, todo, to do, pending, not started, planned, ready, next, backlog, new, in progress, wip, ongoing, started, " +
		"running, in review, waiting for review, waiting for integration, integrating, validating, needs recovery, not done, not run, " +
		"待办, 待開始, 待实施, 未着手, 미착수, 进行中, 対応中, 진행, 未完成"},
	phrases{coord.SourceBlocked, "blocked, blocked by, blocked on, waiting, waiting for, waiting on, gated, 阻塞"},
	phrases{coord.SourceParked, "parked, deferred, on hold, later, someday, icebox, postponed, paused, 延后, 보류"},
	phrases{coord.SourceDone, "done, complete, completed, fixed, shipped, merged, landed, resolved, closed, implemented, delivered, finished, " +
		"已完成, 完了, 완료, готово, erledigt, hecho, terminé"},
	phrases{coord.SourceRejected, "rejected, wontfix, wont fix, won t fix, won t do, declined, dropped, cancelled, canceled, abandoned, obsolete, invalid, " +
		"not a bug, out of scope, duplicate, duplicate of, 取消, 却下"},
	phrases{coord.SourceSuperseded, "superseded, superseded by, replaced by, moved to, consumed, archived, historical"},
	phrases{coord.SourceUnknown, "partial, partially, partly, partially done, mostly done, mostly closed, mostly complete"},
)

var statusSigns = table(
	phrases{coord.SourceOpen, "⬜, ☐, 🔲, 🚧, 🔄"},
	phrases{coord.SourceBlocked, "⛔, 🛑"},
	phrases{coord.SourceParked, "⏸, 💤"},
	phrases{coord.SourceDone, "✅, ☑, ✔"},
	phrases{coord.SourceRejected, "❌, 🚫"},
)

// sectionWords are titles that say something about everything below them.
var sectionWords = table(
	phrases{coord.SourceOpen, "next steps, next step, next up, next work, next actions, whats next, what s next, up next, tasks, open items, open tasks, " +
		"open issues, todos, to dos, remaining, remaining work, follow ups, followups, now, action items, work items"},
	phrases{coord.SourceBlocked, "blocked items, blocked tasks"},
	phrases{coord.SourceParked, "ideas, maybe, future, future work, nice to have, parking lot"},
	phrases{coord.SourceDone, "done items, completed items, completed tasks, completed work, recently completed, recently done, archive, history, changelog, log"},
	phrases{coord.SourceRejected, "rejected approaches, rejected ideas, non goals, not doing, not planned, will not do"},
)

var criteriaWords = []string{
	"accept", "acceptance", "acceptance criteria", "criteria", "definition of done", "done when", "verification", "checklist", "legend",
}

// phrases is a status with its comma separated phrases.
type phrases struct {
	status coord.RecordStatus
	list   string
}

// table turns rows into phrase → status, when it is first needed.
func table(rows ...phrases) func() map[string]coord.RecordStatus {
	return sync.OnceValue(func() map[string]coord.RecordStatus {
		out := map[string]coord.RecordStatus{}
		for _, row := range rows {
			for phrase := range strings.SplitSeq(row.list, ", ") {
				out[phrase] = row.status
			}
		}
		return out
	})
}

var priorityWords = map[string]coord.Priority{
	"p0": coord.PriorityUrgent, "urgent": coord.PriorityUrgent, "critical": coord.PriorityUrgent,
	"p1": coord.PriorityHigh, "high": coord.PriorityHigh,
	"p2": coord.PriorityNormal, "normal": coord.PriorityNormal, "medium": coord.PriorityNormal,
	"p3": coord.PriorityLow, "p4": coord.PriorityLow, "low": coord.PriorityLow,
}

// priorityOf reads a text that is nothing but a priority.
func priorityOf(s string) coord.Priority {
	if len(s) > 40 {
		return ""
	}
	s = strings.TrimSuffix(strings.TrimPrefix(normal(s), "priority "), " priority")
	return priorityWords[s]
}

// sectionTitle cuts what follows a section's name: a date, a count, a remark.
func sectionTitle(title string) string {
	for _, sep := range []string{" — ", " – ", " - ", ": ", " ("} {
		if i := strings.Index(title, sep); i > 0 {
			title = title[:i]
		}
	}
	return normal(title)
}

// sectionStatus reads a heading as the name of a section; empty if it is none.
func sectionStatus(title string) coord.RecordStatus {
	name := sectionTitle(title)
	if s, ok := statusWords()[name]; ok {
		return s
	}
	return sectionWords()[name]
}

func isCriteria(title string) bool {
	return slices.Contains(criteriaWords, sectionTitle(strings.TrimRight(title, ": ")))
}

// leadingStatus reads the words that s begins with, up to four of them, if they
// stand for themselves: followed by nothing, by punctuation, by a figure or by
// a word that introduces where and when.
func leadingStatus(s string) (status coord.RecordStatus, rest string) {
	s = strings.TrimLeft(s, " *_~")
	for sign, st := range statusSigns() {
		if after, ok := strings.CutPrefix(s, sign); ok {
			after = strings.TrimLeft(after, "\ufe0f *_~")
			if inner, rest := leadingWords(after); inner != "" {
				return inner, rest
			}
			return st, after
		}
	}
	return leadingWords(s)
}

func leadingWords(s string) (status coord.RecordStatus, rest string) {
	ends := wordEnds(s[:min(len(s), 80)], 4)
	for i := len(ends) - 1; i >= 0; i-- {
		if st, ok := statusWords()[normal(s[:ends[i]])]; ok && standsAlone(s[ends[i]:]) {
			return st, s[ends[i]:]
		}
	}
	return "", s
}

func wordEnds(s string, limit int) []int {
	var ends []int
	inWord := false
	for i, r := range s {
		letter := unicode.IsLetter(r) || unicode.IsDigit(r) || r == '\''
		if inWord && !letter {
			if ends = append(ends, i); len(ends) == limit {
				return ends
			}
		}
		if !letter && r != ' ' && r != '-' && r != '’' {
			return ends
		}
		inWord = letter
	}
	if inWord {
		ends = append(ends, len(s))
	}
	return ends
}

var introducers = []string{"by", "in", "on", "see", "via", "as", "at", "since", "pending", "with", "until", "commit", "pr"}

func standsAlone(rest string) bool {
	rest = strings.TrimLeft(rest, " *_~\ufe0f")
	if rest == "" {
		return true
	}
	r := []rune(rest[:min(len(rest), 4)])[0]
	if !unicode.IsLetter(r) {
		return r != '-'
	}
	first, _, _ := strings.Cut(normal(rest[:min(len(rest), 40)]), " ")
	return slices.Contains(introducers, first) || isCommit(first)
}

func isCommit(s string) bool {
	return len(s) >= 7 && len(s) <= 64 && strings.Trim(s, "0123456789abcdef") == ""
}
