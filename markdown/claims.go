package markdown

import (
	"cmp"
	"strings"
	"time"

	"coord"
)

var (
	onBranch  = pattern(`(?i)\b(?:only on|unmerged|never merged|not (?:yet )?(?:been )?(?:merged|landed|integrated|on main|on master)|(?:is |are )?still on)\b`)
	gotMerged = pattern(`(?i)\b(?:merged|landed|integrated)\b`)
	hedged    = pattern(`(?i)\b(?:not|never|be|once|until|before|if|when|waiting|ready to|cannot|can't|needs?)\b`)
	subject   = pattern("[A-Z]+(?:-[A-Z]+)*-[A-Z]{0,3}\\d+[a-z]?\\b|#\\d+\\b|`[^`\\s]+/[^`\\s]+`")
)

// claim is a line that says where some work is.
type claim struct {
	r    *found
	what string // label or branch, as written
	line int    // behind the record's first one
	text string
	at   time.Time // zero when nothing says
}

// branches reports what is called only on a branch beside later evidence that
// it was merged. What a handoff says of branches is history, not permission.
func (p *planner) branches() {
	claims, merges := map[string][]claim{}, map[string][]claim{}
	var order []string
	for _, r := range p.records {
		for n, line := range whereabouts(r) {
			into := merges
			switch {
			case len(line) > 2000:
				continue
			case matches(onBranch, line):
				into = claims
			case !matches(gotMerged, line) || matches(hedged, line):
				continue
			}
			c := claim{r: r, line: n, text: line, at: dated(r, line)}
			for _, named := range subjects(r, line) {
				s := foldLabel(named)
				c.what = named
				if len(into[s]) == 0 && len(claims[s])+len(merges[s]) == 0 {
					order = append(order, s)
				}
				into[s] = append(into[s], c)
			}
		}
		if r.task != nil && r.task.Lifecycle == coord.LifecycleDone && r.Label != "" {
			s := foldLabel(r.Label)
			merges[s] = append(merges[s], claim{r: r, text: string(r.task.ID) + " is done"})
			order = append(order, s)
		}
	}
	seen := map[string]bool{}
	for _, s := range order {
		if !seen[s] {
			seen[s] = true
			p.later(claims[s], merges[s])
		}
	}
}

// whereabouts are the lines of a record, if any of them may say where it is.
func whereabouts(r *found) []string {
	text := r.Facets.Title + "\n" + r.Facets.Body
	folded := strings.ToLower(text)
	for _, word := range []string{"merged", "landed", "integrated", "only on", "not on", "still on"} {
		if strings.Contains(folded, word) {
			return strings.Split(text, "\n")
		}
	}
	return nil
}

func (p *planner) later(claims, merges []claim) {
	for _, c := range claims {
		for _, m := range merges {
			if m.r == c.r && m.line == c.line || !c.at.IsZero() && !m.at.IsZero() && m.at.Before(c.at) {
				continue
			}
			p.match.problem(coord.ProblemContradiction, c.what+" is called unmerged in one place and merged in another", c.side(), m.side())
			break
		}
	}
}

func (c claim) side() coord.ImportSide {
	s := c.r.side(c.text)
	if from, to := c.r.Whole.From, c.r.Whole.To; from < to && to <= len(c.r.src.Content) {
		whole := string(c.r.src.Content[from:to])
		if at := strings.Index(whole, c.text); at > 0 {
			s.Line += strings.Count(whole[:at], "\n")
		}
	}
	if !c.at.IsZero() {
		s.At = c.at
	}
	return s
}

// subjects are the labels and branches that a line names; without any it is
// about its record.
func subjects(r *found, line string) []string {
	var out []string
	for _, s := range subject().FindAllString(line, 8) {
		out = append(out, strings.Trim(s, "`"))
	}
	if len(out) == 0 && r.Label != "" {
		out = []string{r.Label}
	}
	return out
}

// dated is the date in a line, else in its record's title, else of the file.
func dated(r *found, line string) time.Time {
	for _, s := range []string{line, r.Facets.Title} {
		if t, err := time.Parse(time.DateOnly, dayIn(s)); err == nil {
			return t
		}
	}
	return cmp.Or(r.src.At, time.Time{})
}
