package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"coord"
)

// columns aligns tab-separated cells.
func columns(w io.Writer, write func(w io.Writer)) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.StripEscape)
	write(t)
	_ = t.Flush() // w is a buffer
}

// clip is one line of text from others in at most limit bytes.
func clip(s string, limit int) string {
	s = coord.OneLine(s)
	if len(s) <= limit {
		return s
	}
	const dots = "…"
	cut := limit - len(dots)
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:max(cut, 0)] + dots
}

// clipWords is one line of text from others in at most so many words, and
// wordBytes for each.
func clipWords(s string, words int) string {
	s = coord.OneLine(s)
	if all := strings.Fields(s); len(all) > words {
		s = strings.Join(all[:words], " ") + "…"
	}
	return clip(s, words*wordBytes)
}

// enter is the command that goes to a directory, in whichever shell of the
// system.
func enter(dir string) string { return "cd " + shellWord(filepath.ToSlash(dir)) }

// span is a duration as people say it: one unit, rounded down.
func span(d time.Duration) string {
	switch {
	case d < time.Second:
		return "now"
	case d < time.Minute:
		return fmt.Sprintf("%d s", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", d/time.Hour)
	}
	return fmt.Sprintf("%d days", d/(24*time.Hour))
}

// plural counts: "1 task", "2 tasks".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
