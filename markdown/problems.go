package markdown

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"coord"
)

// How many problems a plan lists, and places of each; the rest is counted.
const (
	maxProblems = 2000
	maxSides    = 20
	maxSays     = 200
)

// check collects what the files say that cannot be true or leads nowhere.
func (p *planner) check() {
	for _, r := range p.records {
		if r.double != nil && r.Kind == coord.RecordTask {
			p.twoDates(r.double, r)
		}
	}
	p.disputes()
	p.children()
	p.labels()
	p.branches()
	p.match.problems = append(p.match.problems, newLinking(p).run()...)
	all := p.match.problems
	for i := range all {
		all[i].Sides = all[i].Sides[:min(len(all[i].Sides), maxSides)]
		for n := range all[i].Sides {
			s := &all[i].Sides[n]
			s.Says = clean(s.Says)
			if len(s.Says) > maxSays {
				s.Says = toValid(s.Says[:maxSays]) + "…"
			}
		}
	}
	slices.SortStableFunc(all, func(a, b coord.ImportProblem) int {
		x, y := a.Sides[0], b.Sides[0]
		return cmp.Or(cmp.Compare(x.Path, y.Path), cmp.Compare(x.Line, y.Line), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Text, b.Text))
	})
	if len(all) > maxProblems {
		p.plan.Diagnostics = append(p.plan.Diagnostics, coord.ImportDiagnostic{
			Path: all[maxProblems].Sides[0].Path, Code: "more_problems", Count: len(all) - maxProblems, Message: "more problems than a plan lists; mend some and import again",
		})
		all = all[:maxProblems]
	}
	p.plan.Problems = all
}

// disputes are records whose own signs contradict each other, those of one
// reason in one file together.
func (p *planner) disputes() {
	type group struct{ path, why string }
	var order []group
	sides := map[group][]coord.ImportSide{}
	for _, r := range p.records {
		if r.Disputed == "" || r.argued {
			continue
		}
		g := group{r.path, r.Disputed}
		if sides[g] == nil {
			order = append(order, g)
		}
		sides[g] = append(sides[g], r.side(stand(r)))
	}
	for _, g := range order {
		p.match.problem(coord.ProblemContradiction, g.why, sides[g]...)
	}
}

var openStep = pattern(`^[ \t]*(?:[-+*]|[0-9]{1,9}[.)])[ \t]+\[ \][ \t]`)

// children reports records that are done while parts of them are not.
func (p *planner) children() {
	open := map[*found][]coord.ImportSide{}
	at := map[[2]int]*found{}
	for _, r := range p.records {
		at[[2]int{r.file, r.index}] = r
	}
	for _, r := range p.records {
		up := at[[2]int{r.file, r.Parent}]
		if r.Kind == coord.RecordTask && up != nil && up != r && up.Whole.From <= r.Own.From && r.Own.To <= up.Whole.To && !r.Facets.Status.Closed() {
			open[up] = append(open[up], r.side(stand(r)))
		}
	}
	for _, r := range p.records {
		if r.Kind != coord.RecordTask || r.Facets.Status != coord.SourceDone || p.files[r.file].As == coord.AsArchive {
			continue
		}
		if parts := open[r]; len(parts) > 0 {
			p.match.problem(coord.ProblemChildren, r.name()+" is done, but parts of it are open", append([]coord.ImportSide{r.side(stand(r))}, parts...)...)
		} else if n := openSteps(r.Facets.Body); n > 0 {
			p.match.problem(coord.ProblemChildren, fmt.Sprintf("%s is done, but %d of its steps are open", r.name(), n), r.side(stand(r)))
		}
	}
}

func openSteps(body string) (n int) {
	if !strings.Contains(body, "[ ]") {
		return 0
	}
	fence := false
	for line := range strings.SplitSeq(body, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fence = !fence
		}
		if !fence && openStep().MatchString(line) {
			n++
		}
	}
	return n
}

var sharedLabel = pattern(`^(?:#\d+|[A-Za-z]+(?:-[A-Za-z]+)*-[A-Za-z]*\d+[a-z]?)$`)

// labels reports labels that stand for different work. Numbers such as 1.2 are
// counted anew in every file, and a handoff writes what is left behind a label.
func (p *planner) labels() {
	first := map[string]*found{}
	for _, r := range p.match.records {
		as := p.files[r.file].As
		if r.Kind != coord.RecordTask || r.double != nil || as == coord.AsHandoff || !sharedLabel().MatchString(r.Label) {
			continue
		}
		l := foldLabel(r.Label)
		o := first[l]
		if o == nil {
			first[l] = r
			continue
		}
		if likeness(o.Facets.Title, r.Facets.Title, r.Label) < related {
			p.match.problem(coord.ProblemLabel, r.Label+" is the label of two different things", o.side(o.Facets.Title), r.side(r.Facets.Title))
		}
	}
	for _, a := range p.match.anchors {
		r := first[foldLabel(a.Label)]
		if a.Task == "" || r == nil || r.id() == string(a.Task) || p.match.used[a.Key] || likeness(a.Base.Title, r.Facets.Title, r.Label) >= related {
			continue
		}
		p.match.problem(coord.ProblemLabel, r.Label+" was the label of "+string(a.Task)+", which is something else",
			r.side(r.Facets.Title), coord.ImportSide{Path: a.Path, Line: a.Line, Says: a.Base.Title, Revision: a.Revision})
	}
}

// own is r's own text as the file has it.
func (p *planner) own(r *found) string {
	text := p.files[r.file].Content
	if r.Own.To > r.Own.From && r.Own.To <= len(text) {
		return string(text[r.Own.From:r.Own.To])
	}
	return r.Facets.Title
}

// twoDates reports one thing that two places close on different dates.
func (p *planner) twoDates(a, b *found) {
	if !a.Facets.Status.Closed() || !b.Facets.Status.Closed() {
		return
	}
	x, y := onlyDate(p.own(a)), onlyDate(p.own(b))
	if x != "" && y != "" && x != y {
		p.match.problem(coord.ProblemContradiction, a.name()+" is closed on two dates", a.side(x+": "+a.Facets.Title), b.side(y+": "+b.Facets.Title))
	}
}

func onlyDate(s string) string {
	dates := slices.Compact(datePattern().FindAllString(s, 3))
	if len(dates) != 1 {
		return ""
	}
	return dates[0]
}

// isIndex reports a file that lists the others of its directory.
func isIndex(f coord.SourceFile) bool {
	name := strings.ToLower(path.Base(f.Path))
	return f.As == coord.AsMemory && (name == "memory.md" || name == "index.md")
}

func matches(p func() *regexp.Regexp, s string) bool { return p().MatchString(s) }
