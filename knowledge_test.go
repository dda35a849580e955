package coord_test

import (
	"strings"
	"testing"
	"time"

	"coord"
)

func TestLearnIsChecked(t *testing.T) {
	long := strings.Repeat("x", 2001)
	for name, c := range map[string]struct {
		edit func(*coord.Learn)
		ok   bool
	}{
		"plain":                   {func(*coord.Learn) {}, true},
		"all of it":               {func(c *coord.Learn) { *c = fullLesson() }, true},
		"blank":                   {func(c *coord.Learn) { c.Text = " \n" }, false},
		"too long":                {func(c *coord.Learn) { c.Text = long }, false},
		"another kind":            {func(c *coord.Learn) { c.Kind = "guess" }, false},
		"rejected, for ever":      {func(c *coord.Learn) { c.Kind = coord.KindRejected }, false},
		"reopened, not rejected":  {func(c *coord.Learn) { c.Reopen = "later" }, false},
		"a long condition":        {func(c *coord.Learn) { c.Kind, c.Reopen = coord.KindRejected, long }, false},
		"many tags":               {func(c *coord.Learn) { c.Tags = strings.Split("a b c d e f g h i j k", " ") }, false},
		"a tag of two words":      {func(c *coord.Learn) { c.Tags = []string{"a b"} }, false},
		"a component in capitals": {func(c *coord.Learn) { c.Scope.Component = "API" }, false},
		"eleven paths":            {func(c *coord.Learn) { c.Scope.Paths = strings.Split(strings.Repeat("a ", 10)+"b", " ") }, false},
		"a path outside":          {func(c *coord.Learn) { c.Scope.Paths = []string{"../x"} }, false},
		"an absolute path":        {func(c *coord.Learn) { c.Scope.Paths = []string{"/etc"} }, false},
		"a backslash":             {func(c *coord.Learn) { c.Scope.Paths = []string{`a\b`} }, false},
		"a bad glob":              {func(c *coord.Learn) { c.Scope.Paths = []string{"a/[b"} }, false},
		"a version of two lines":  {func(c *coord.Learn) { c.Scope.Version = "1\n2" }, false},
		"a task that is none":     {func(c *coord.Learn) { c.Scope.Task = "pay" }, false},
	} {
		l := coord.Learn{Text: "x"}
		c.edit(&l)
		if err := l.Validate(); (err == nil) != c.ok || err != nil && coord.CodeOf(err) != coord.CodeBadRequest {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func fullLesson() coord.Learn {
	return coord.Learn{
		Text: "x", Kind: coord.KindRejected, Reopen: "later", Tags: []string{"b", "a", "b"},
		Scope: coord.LessonScope{Task: "pay-1", Component: "api", Paths: []string{"a/**/*.go", "docs/"}, Version: "2.x", Environment: "windows"},
	}
}

func TestPathsMeet(t *testing.T) {
	for _, c := range []struct {
		glob, path string
		meet       bool
	}{
		{"server/**", "server/store/x.go", true},
		{"server/**", "server", true},
		{"server/**/x.go", "server/x.go", true},
		{"server/**/x.go", "server/a/b/x.go", true},
		{"server/**/x.go", "server/a/b/y.go", false},
		{"server/*.go", "server/x.go", true},
		{"server/*.go", "server/a/x.go", false},
		{"server/*.go", "server/", true},
		{"server/*.go", "server/*.md", true}, // a task's glob stands for its directory
		{"server", "server/a/x.go", true},
		{"server/", "serverless/x.go", false},
		{"server/store", "server", true},
		{"server/store", "server/web", false},
		{"**/*.sql", "server/store/x.sql", true},
		{"**/*.sql", "x.go", false},
		{"*", "x.go", true},
		{"?.go", "x.go", true},
		{"a/[bc]/d", "a/c/d", true},
		{"./a", "a/b", true},
	} {
		if got := coord.PathsMeet(c.glob, c.path); got != c.meet {
			t.Errorf("%s and %s meet: %v", c.glob, c.path, got)
		}
	}
	many := strings.Repeat("**/", 60) + "x"
	if coord.PathsMeet(many, strings.Repeat("a/", 150)+"y") { // in no time, or it would never end
		t.Error("an x is found in a y")
	}
}

func TestApplying(t *testing.T) {
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	w := coord.WorkOf(coord.Task{ID: "pay-2", Parent: "pay-1", Title: "Refuse expired tokens", Criteria: []string{"answers 401"}, Paths: []string{"token/parse.go"}, Labels: []string{"api"}})
	w.Rare = coord.Words("expired 401")
	lesson := func(id coord.LessonID, text string, edits ...func(*coord.Lesson)) coord.Lesson {
		l := coord.Lesson{ID: id, Kind: coord.KindLesson, Text: text, Status: coord.LessonObserved, At: now}
		for _, edit := range edits {
			edit(&l)
		}
		return l
	}
	scope := func(s coord.LessonScope) func(*coord.Lesson) { return func(l *coord.Lesson) { l.Scope = s } }
	said := func(among ...coord.Lesson) string {
		var out []string
		for _, l := range coord.Applying(w, among, now) {
			out = append(out, string(l.ID)+" "+l.Why)
		}
		return strings.Join(out, ", ")
	}
	got := said(
		lesson("L1", "expired is at the second"),
		lesson("L2", "nothing", scope(coord.LessonScope{Paths: []string{"token/**"}})),
		lesson("L3", "nothing", scope(coord.LessonScope{Component: "api"})),
		lesson("L6", "nothing", scope(coord.LessonScope{Task: "pay-1"})),
		lesson("L12", "expiring answers 401", func(l *coord.Lesson) { l.Status = coord.LessonDisputed }),
	)
	if want := "L6 for pay-1, L2 for token/**, L3 for api, L12 about expiring, L1 about expired"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for what, l := range map[string]coord.Lesson{
		"about other paths":     lesson("L4", "expired elsewhere", scope(coord.LessonScope{Paths: []string{"web/**"}})),
		"for another task":      lesson("L5", "expired", scope(coord.LessonScope{Task: "pay-9"})),
		"with common words":     lesson("L7", "tokens are common"),
		"superseded":            lesson("L8", "expired", func(l *coord.Lesson) { l.Status = coord.LessonSuperseded }),
		"expired":               lesson("L9", "expired", func(l *coord.Lesson) { l.ExpiresAt = &now }),
		"proposed as a rule":    lesson("L10", "expired", func(l *coord.Lesson) { l.Kind = coord.KindProposal }),
		"of no use to three":    lesson("L11", "expired", func(l *coord.Lesson) { l.NotUseful = 3 }),
		"about something else":  lesson("L13", "rounding"),
		"for other paths, tags": lesson("L14", "x", scope(coord.LessonScope{Paths: []string{"web/**"}}), func(l *coord.Lesson) { l.Tags = []string{"api"} }),
	} {
		if got := said(l); got != "" {
			t.Errorf("what is %s is shown: %s", what, got)
		}
	}
}

func TestSearchTerms(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "the of a": "", "Tokens": "token tokens*", "tokens clock": "token clock clock*", "to": "", "ab": "ab", `"x" OR (y*)`: "",
		"clock the": "clock", "naïve é": "naïv é", "1 2 3": "1 2 3", "NEAR(a, b)": "near", "p:web": "web web*",
		"one two three four five six seven eight nine ten": "one two thre four five six seven eight",
	} {
		var got []string
		for _, x := range coord.SearchTerms(text) {
			got = append(got, x.Stem)
			if x.Prefix != "" {
				got = append(got, x.Prefix+"*")
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestLessonEdits(t *testing.T) {
	text, kind := "other", coord.KindRejected
	l := coord.Lesson{ID: "L1", Kind: coord.KindLesson, Text: "x", Status: coord.LessonVerified, Judged: &coord.LessonJudgement{By: "a"}, Revision: 2}
	if _, err := (coord.EditLesson{Revision: 1, Text: &text}).Edited(l); coord.CodeOf(err) != coord.CodeStateConflict {
		t.Errorf("an old revision: %v", err)
	}
	got, err := coord.EditLesson{Revision: 2, Text: &text}.Edited(l)
	if err != nil || got.Status != coord.LessonObserved || got.Judged != nil || l.Judged == nil {
		t.Errorf("another text: %+v, %v", got, err)
	}
	tags := []string{"a"}
	if got, err := (coord.EditLesson{Revision: 2, Tags: &tags}).Edited(l); err != nil || got.Status != coord.LessonVerified {
		t.Errorf("other tags: %+v, %v", got, err)
	}
	if _, err := (coord.EditLesson{Revision: 2, Kind: &kind}).Edited(l); coord.CodeOf(err) != coord.CodeBadRequest {
		t.Errorf("rejected without a condition: %v", err)
	}
	if err := (coord.EditLesson{Revision: 2}).Validate(); coord.CodeOf(err) != coord.CodeBadRequest {
		t.Errorf("nothing: %v", err)
	}
	yes := true
	if got, err := (coord.RateLesson{}).Rated(coord.Lesson{Useful: 1}, &yes); err != nil || got.Useful != 0 || got.NotUseful != 1 {
		t.Errorf("another mind: %+v, %v", got, err)
	}
}
