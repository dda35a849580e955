package web

import (
	"fmt"
	"html/template"
	"strings"
	"time"

	"coord"
	"coord/markdown"
)

// funcs are what the templates may call. Text from others passes text, line
// or clip, which make invisible and deceiving characters visible; escaping is
// html/template's.
func funcs(a assets) template.FuncMap {
	return template.FuncMap{
		"asset": a.url,
		"at":    stampAt, "iso": iso, "took": took, "lease": lease,
		"text": func(s any) string { return coord.Printable(fmt.Sprint(s)) },
		"line": func(s any) string { return coord.OneLine(fmt.Sprint(s)) },
		"clip": clip, "clipLine": clipLine, "prose": prose,
		"words": words, "short": short, "stageWords": stageWords,
		"steps": steps, "stepWords": stepWords,
		"saysWho":    func(e coord.Event) bool { return strings.HasPrefix(e.Text, e.Actor+" ") },
		"shownPaths": shownPaths,
		"taskURL":    taskURL, "count": count, "less": func(a, b int) int { return a - b },
	}
}

// stamp is a time as a page shows it.
type stamp struct{ ISO, Exact, Text string }

// stampAt takes a time.Time or a *time.Time; nil and zero times are nil.
func stampAt(now time.Time, t any) *stamp {
	var at time.Time
	switch v := t.(type) {
	case time.Time:
		at = v
	case *time.Time:
		if v != nil {
			at = *v
		}
	}
	if at.IsZero() {
		return nil
	}
	at = at.UTC()
	return &stamp{ISO: iso(at), Exact: at.Format("2006-01-02 15:04:05 MST"), Text: relative(at.Sub(now))}
}

func iso(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }

// relative says a distance from now in one unit; coord.js says the same.
func relative(d time.Duration) string {
	past := d <= 0
	s := int64(d.Abs() / time.Second)
	var text string
	switch {
	case s < 5:
		return "just now"
	case s < 60:
		text = fmt.Sprintf("%d s", s)
	case s < 3600:
		text = fmt.Sprintf("%d min", s/60)
	case s < 48*3600:
		text = fmt.Sprintf("%d h", s/3600)
	default:
		text = fmt.Sprintf("%d d", s/86400)
	}
	if past {
		return text + " ago"
	}
	return "in " + text
}

func took(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", ms)
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return strings.TrimSuffix(d.Round(time.Second).String(), "0s")
}

// lease leaves out units that are zero: 30m, not 30m0s.
func lease(d coord.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// clipped is text cut to a bound; More counts the characters left out.
type clipped struct {
	Text string
	More int
}

func clip(limit int, s any) *clipped {
	text := coord.Printable(strings.TrimSpace(fmt.Sprint(s)))
	if text == "" {
		return nil
	}
	r := []rune(text)
	if len(r) <= limit {
		return &clipped{Text: text}
	}
	return &clipped{Text: string(r[:limit]), More: len(r) - limit}
}

// proseText is Markdown from others: HTML, or Text when it is not rendered.
type proseText struct {
	clipped
	HTML template.HTML
}

// prose renders the first part of a Markdown text. What the renderer refuses
// is shown as plain text.
func prose(limit int, s any) *proseText {
	c := clip(limit, s)
	if c == nil {
		return nil
	}
	p := &proseText{clipped: *c}
	if b, err := markdown.RenderHTML([]byte(c.Text)); err == nil {
		p.HTML = template.HTML(b) // RenderHTML writes nothing that runs, loads or styles
	}
	return p
}

func clipLine(limit int, s any) string {
	r := []rune(coord.OneLine(fmt.Sprint(s)))
	if len(r) <= limit {
		return string(r)
	}
	return string(r[:limit-1]) + "…"
}

func words(s any) string {
	return strings.ReplaceAll(coord.OneLine(fmt.Sprint(s)), "_", " ")
}

func short(id any) string {
	s := coord.OneLine(fmt.Sprint(id))
	if coord.OID(s).Valid() {
		return s[:7]
	}
	return s
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// taskURL is the page of a task, or nothing for what is not a task's id.
func taskURL(id coord.TaskID) string {
	p, n, err := id.Split()
	if err != nil {
		return ""
	}
	return fmt.Sprintf("/p/%s/t/%d", p, n)
}
