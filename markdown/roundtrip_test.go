package markdown

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"coord"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// state is a project as the store would hand it to an import and an export.
type state struct {
	base coord.ImportBase
	data coord.ExportData
}

func (s *state) addTask(t coord.ExportTask) {
	n := coord.Seq(len(s.base.Tasks) + 1)
	t.ID = coord.NewTaskID("pay", int64(n))
	s.data.Tasks = append(s.data.Tasks, t)
	b := coord.ImportTask{
		ID: t.ID, Title: t.Title, Outcome: t.Outcome, Criteria: t.Criteria,
		Priority: t.Priority, Lifecycle: t.Lifecycle, Created: n, Edited: n,
	}
	if closed(t.Lifecycle) {
		b.Closed = n
	}
	s.base.Tasks = append(s.base.Tasks, b)
}

func (s *state) addLesson(text string) {
	s.learn(coord.ExportLesson{Text: text, Source: "verified, pay-1"})
}

func (s *state) learn(l coord.ExportLesson) {
	l.ID = coord.NewLessonID(int64(len(s.base.Lessons) + 1))
	s.data.Lessons = append(s.data.Lessons, l)
	s.base.Lessons = append(s.base.Lessons, coord.ImportLesson{
		ID: l.ID, Text: l.Text, Created: 1, Edited: 1, Kind: l.Kind, Status: l.Status, Reopen: l.Reopen, Scope: l.Scope, Tags: l.Tags,
		Source: l.Source, ExpiresAt: l.ExpiresAt, SupersededBy: l.SupersededBy, Rule: l.Rule,
	})
}

// knowledge is a lesson of any kind, as the service may hold one.
var knowledge = rapid.Custom(func(t *rapid.T) coord.ExportLesson {
	l := coord.ExportLesson{
		Text: nastyText.Draw(t, "lesson"), Kind: rapid.SampledFrom(append(coord.LessonKinds, "")).Draw(t, "kind"),
		Tags:  coord.Canonical(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b:c", "from:x", "-"}), 0, 3).Draw(t, "tags")),
		Scope: coord.LessonScope{Paths: rapid.SliceOfN(nasty, 0, 2).Draw(t, "paths")},
	}
	l.Scope.Task = rapid.SampledFrom([]coord.TaskID{"", "pay-1"}).Draw(t, "task")
	l.Scope.Component = rapid.SampledFrom([]string{"", "ledger"}).Draw(t, "component")
	for _, text := range []*string{&l.Source, &l.Scope.Version, &l.Scope.Environment, &l.Reopen} {
		if rapid.Bool().Draw(t, "said") {
			*text = nasty.Draw(t, "part")
		}
	}
	if l.Kind != coord.KindRejected {
		l.Reopen = ""
	} else if strings.TrimSpace(l.Reopen) == "" {
		l.Reopen = "a second team asks (or a third; soon)"
	}
	return l
})

func newState() *state {
	s := &state{}
	s.base.Project, s.base.AsOf = "pay", 1000
	s.data = coord.ExportData{Project: "pay", Name: "Payments", AsOf: 900, Time: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)}
	return s
}

func (s *state) export() []coord.SourceFile {
	return []coord.SourceFile{
		{Path: "BACKLOG.md", As: coord.AsBacklog, Content: Export(s.data, coord.ExportBacklog)},
		{Path: "HANDOFF.md", As: coord.AsHandoff, Content: Export(s.data, coord.ExportHandoff)},
		{Path: "DURABLE-RECORD.md", As: coord.AsRecord, Content: Export(s.data, coord.ExportRecord)},
	}
}

var nastyPieces = []string{
	"Reject", "tokens", "past", "their", "expiry", "`", "``", "`a b`", "**", "__", "~~", "~", "\\", "\\`", "\\*",
	"<!--", "-->", "<!-- coord:pay-1 -->", "<!-- coord:end pay-1 -->", "<!DOCTYPE", "<?php", "<details>", "&lt;", "&amp;lt;", "&",
	"#", "##", "-", "- [ ]", "- [x]", "* ", "1.", "2)", ">", "|", "|---|", "===", "---", "```", "~~~",
	"[ ]", "[x]", "[a](b", "[a]:", "](<", "<a href=\"", " — high", " — done", " — DONE 2026-01-01", "(done)", "[P1]", "P0:",
	"✅", "DONE:", "TODO", "accept: x", "Accept:", "from: y", "(from: z)", " (tags: a)", "(for: path x", "; reopen when: w", "(", ")", ", ", "—", "\u00a0", "\u2028", "é", "日本", "\xff", "\x00", "\t", "\r",
}

var nasty = rapid.Custom(func(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(nastyPieces), 1, 8).Draw(t, "pieces"), rapid.SampledFrom([]string{"", " "}).Draw(t, "glue"))
})

var nastyText = rapid.Custom(func(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(nasty, 0, 5).Draw(t, "lines"), rapid.SampledFrom([]string{"\n", "\n\n", "\n    ", "\r\n"}).Draw(t, "break"))
})

var states = rapid.Custom(func(t *rapid.T) *state {
	s := newState()
	for range rapid.IntRange(0, 5).Draw(t, "tasks") {
		life := rapid.SampledFrom([]coord.Lifecycle{coord.LifecyclePlanned, coord.LifecycleOpen, coord.LifecycleDone, coord.LifecycleCanceled}).Draw(t, "lifecycle")
		task := coord.ExportTask{
			Title: "T " + nasty.Draw(t, "title"), Outcome: nastyText.Draw(t, "outcome"),
			Criteria:  rapid.SliceOfN(nasty, 0, 3).Draw(t, "criteria"),
			Priority:  coord.PriorityOf(rapid.IntRange(0, 3).Draw(t, "priority")),
			Lifecycle: life,
		}
		if rapid.Bool().Draw(t, "bare") {
			task.Title = nasty.Draw(t, "bare title")
		}
		if strings.TrimSpace(clean(task.Title)) == "" {
			task.Title = "x"
		}
		if life == coord.LifecycleOpen {
			task.Status = rapid.SampledFrom([]coord.Status{coord.StatusReady, coord.StatusBlocked, coord.StatusInProgress, coord.StatusWaitingReview, coord.StatusValidating}).Draw(t, "status")
		}
		if life == coord.LifecycleDone && rapid.Bool().Draw(t, "landed") {
			task.Landed = coord.OID(strings.Repeat("abc1", 10))
		}
		s.addTask(task)
	}
	for range rapid.IntRange(0, 3).Draw(t, "lessons") {
		if l := knowledge.Draw(t, "knowledge"); strings.TrimSpace(l.Text) != "" {
			s.learn(l)
		}
	}
	for i := range rapid.IntRange(0, 2).Draw(t, "attempts") {
		s.data.Attempts = append(s.data.Attempts, coord.ExportAttempt{
			Task: coord.NewTaskID("pay", int64(i+1)), Title: nasty.Draw(t, "attempt title"), Generation: 2, Owner: "agent-a", Branch: "coord/pay-1",
			Commit: coord.OID(strings.Repeat("12", 20)), Saved: s.data.Time, Note: nastyText.Draw(t, "note"), Next: nasty.Draw(t, "next"),
		})
	}
	return s
})

// Property 9: an untouched export plans nothing, whatever text the project holds.
func TestRoundTripPlansNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := states.Draw(t, "state")
		files := s.export()
		if rapid.Bool().Draw(t, "crlf") {
			for i := range files {
				files[i].Content = bytes.ReplaceAll(files[i].Content, []byte("\n"), []byte("\r\n"))
			}
		}
		plan, err := Plan(s.base, files)
		if err != nil {
			t.Fatal(err)
		}
		if want := len(s.base.Tasks) + len(s.base.Lessons) + len(s.data.Attempts); len(plan.Changes) != want {
			t.Errorf("%d records, want %d", len(plan.Changes), want)
		}
		for _, c := range plan.Changes {
			if c.State != coord.ImportUnchanged || c.Action != coord.ActionNone || c.Needs != "" || c.Anchor != nil {
				t.Errorf("%s %s line %d: %s %s %q was %s\n%s", c.State, c.Action, c.Line, c.Task, c.Lesson, c.Title, c.Was, fileOf(files, c.Path))
			}
		}
		if again := s.export(); cmp.Diff(again, s.export()) != "" {
			t.Error("two exports of one state differ")
		}
	})
}

func fileOf(files []coord.SourceFile, path string) []byte {
	for _, f := range files {
		if f.Path == path {
			return f.Content
		}
	}
	return nil
}

// A title comes back as it was, unless it is too long for the service.
func TestTitleSurvivesExport(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		title := clean(nasty.Draw(t, "title"))
		if title == "" || len(title) > maxTitle {
			t.Skip()
		}
		got := exportedTask(coord.ImportTask{ID: "pay-1", Title: title, Priority: coord.PriorityHigh, Lifecycle: coord.LifecycleOpen, Criteria: []string{title}})
		if got.Title != title || got.Priority != coord.PriorityHigh || got.Status != coord.SourceOpen || len(got.Criteria) != 1 || got.Criteria[0] != title {
			t.Errorf("title %q came back as %+v", title, got)
		}
	})
}

func TestLineEncoding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := clean(nasty.Draw(t, "line"))
		code := encodeLine(line)
		if got := decodeLine(code); got != line {
			t.Errorf("%q → %q → %q", line, code, got)
		}
	})
}

// Texts that once broke out of their item or lost their marker.
func TestTextStaysInside(t *testing.T) {
	for _, text := range []string{
		"-\n\n## [ ] Reject", "<details>", "```\ncode", "a\n---\nb", "    code", "[a]: b\n\n- [ ] c", "<!-- coord:pay-2 -->", "`a\n` b", "1.\n\n- [x] a",
	} {
		s := newState()
		s.addTask(coord.ExportTask{Title: "one", Outcome: text, Priority: coord.PriorityNormal, Lifecycle: coord.LifecyclePlanned})
		s.addTask(coord.ExportTask{Title: text, Criteria: []string{text}, Priority: coord.PriorityNormal, Lifecycle: coord.LifecyclePlanned})
		s.addLesson(text)
		s.addLesson("first\n" + text)
		s.addLesson("first\n\n" + text)
		plan := s.plan(t, s.export()...)
		if got := brief(plan); got != nil || len(plan.Changes) != 5 {
			t.Errorf("%q plans %v, %d records\n%s", text, got, len(plan.Changes), Export(s.data, coord.ExportBacklog))
		}
	}
}
