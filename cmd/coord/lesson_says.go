package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"coord"
)

// lessonSays are the flags of what a lesson says besides its text.
type lessonSays struct {
	kind, reopen, component, version, environment, forTask, expires string

	tags, paths []string
}

func (o *lessonSays) flags(f *pflag.FlagSet) {
	f.StringVar(&o.kind, "kind", "", "`KIND`: lesson, fact, rejected (an approach) or proposal (for a rule)")
	f.StringVar(&o.reopen, "reopen-when", "", "when to look at a rejected approach again, as `CONDITION`")
	f.StringArrayVar(&o.tags, "tag", nil, "`TAG` to find it by; may be repeated")
	f.StringArrayVar(&o.paths, "path", nil, "`GLOB` of the files that it is about, ** for any directories; may be repeated")
	f.StringVar(&o.component, "component", "", "`LABEL` of the tasks that it is about")
	f.StringVar(&o.version, "version", "", "`VERSION` that it is about")
	f.StringVar(&o.environment, "environment", "", "`WHERE` it shows, such as windows or ci")
	f.StringVar(&o.forTask, "for", "", "only for `TASK` and its children")
	f.StringVar(&o.expires, "expires", "", "`WHEN` it is over: a date, or a time from now such as 30d")
}

func (o *lessonSays) scope() coord.LessonScope {
	s := coord.LessonScope{Task: coord.TaskID(o.forTask), Component: o.component, Version: o.version, Environment: o.environment}
	if paths := named(o.paths); len(paths) > 0 {
		s.Paths = paths
	}
	return s
}

// until reads a date, a number of days or hours from now, or never, which is
// the year 1. What is counted from now ends with its day or minute, so that the
// same command again is the same request.
func until(s string, now time.Time) (*time.Time, error) {
	switch s {
	case "":
		return nil, nil
	case "never":
		return &time.Time{}, nil
	case "now":
		at := now.UTC().Truncate(time.Minute)
		return &at, nil
	}
	if at, err := time.ParseInLocation(time.DateOnly, s, time.UTC); err == nil {
		return &at, nil
	}
	if at, err := time.Parse(time.RFC3339, s); err == nil {
		return &at, nil
	}
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n > 0 && n <= 36500 {
			at := now.UTC().Truncate(24*time.Hour).AddDate(0, 0, n+1)
			return &at, nil
		}
	}
	if d, err := time.ParseDuration(s); err == nil && d > 0 {
		at := now.UTC().Add(d).Truncate(time.Minute).Add(time.Minute)
		return &at, nil
	}
	return nil, coord.Errorf(coord.CodeBadRequest, "--expires takes a date such as 2027-01-31, a time from now such as 30d or 12h, or never, not %q; nothing was changed", s)
}

// lessonLine is a lesson in a line: what it says, how far it is trusted, where
// it was learnt, and where it applies.
func lessonLine(l coord.Lesson, text string) string {
	return fmt.Sprintf("%s  %s (%s)", l.ID, lessonText(l, text), strings.Join(lessonFacts(l), "; "))
}

// lessonText is the text with what is decisive of its kind.
func lessonText(l coord.Lesson, text string) string {
	switch {
	case l.Kind == coord.KindRejected && l.Reopen != "":
		return "rejected: " + text + "; again when " + clip(l.Reopen, 120)
	case l.Kind == coord.KindRejected:
		return "rejected: " + text
	case l.Kind == coord.KindProposal && l.Rule != nil:
		return fmt.Sprintf("proposal: %s; the rule %s since revision %d", text, l.Rule.Name, l.Rule.Revision)
	case l.Kind == coord.KindProposal:
		return "proposal: " + text
	case l.Kind == coord.KindFact:
		return "fact: " + text
	}
	return text
}

func lessonFacts(l coord.Lesson) []string {
	standing := string(l.Status)
	if l.SupersededBy != "" {
		standing += " by " + string(l.SupersededBy)
	}
	if l.Expired {
		standing += ", expired"
	}
	facts := []string{standing + ofTask(l.Task)}
	if s := scopeText(l.Scope); s != "" {
		facts = append(facts, clip(s, 120))
	}
	if len(l.Tags) > 0 {
		facts = append(facts, "#"+strings.Join(l.Tags, " #"))
	}
	if f := feedbackText(l); f != "" {
		facts = append(facts, f)
	}
	return facts
}

func feedbackText(l coord.Lesson) string {
	switch {
	case l.Useful > 0 && l.NotUseful > 0:
		return fmt.Sprintf("useful %d of %d times", l.Useful, l.Useful+l.NotUseful)
	case l.Useful > 0:
		return fmt.Sprintf("useful %s", often(l.Useful))
	case l.NotUseful > 0:
		return fmt.Sprintf("not useful %s", often(l.NotUseful))
	}
	return ""
}

func often(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// scopeText is where a lesson applies; empty for everywhere.
func scopeText(s coord.LessonScope) string {
	var parts []string
	if s.Task != "" {
		parts = append(parts, string(s.Task))
	}
	parts = append(parts, s.Paths...)
	for _, x := range []struct{ before, what string }{{"", s.Component}, {"version ", s.Version}, {"on ", s.Environment}} {
		if x.what != "" {
			parts = append(parts, x.before+coord.OneLine(x.what))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "for " + strings.Join(parts, ", ")
}
