package web

import (
	"slices"
	"time"

	"coord"
)

// projectsPerPage and latestEvents keep the overview small.
const (
	projectsPerPage = 24
	latestEvents    = 12
)

type overviewPage struct {
	Frame    frame
	Projects []projectCard
	Pager    pager
	Latest   eventList
}

// projectCard is one project at a glance.
type projectCard struct {
	coord.ProjectSummary
	Flow    []flowStep
	Bar     []barPart
	Trouble []flowStep
	Waits   []wait
}

// flowStep is a count on the way from ready to landed.
type flowStep struct {
	Label  string
	Status coord.Status
	Count  int
	URL    string // the tasks that are counted, when one filter shows them
}

// barPart is a stretch of the bar that is 100 wide.
type barPart struct {
	Tone     string
	X, Width float64
}

type wait struct {
	Label string
	Since *stamp
}

// eventList is what the events template shows.
type eventList struct {
	Now    time.Time
	About  coord.TaskID // named by the page already
	Events []coord.Event
}

func (s *site) overview(v *visit) error {
	svc := s.service(v)
	o, err := svc.Overview(v.ctx())
	if err != nil {
		return err
	}
	events, err := svc.Events(v.ctx(), "", max(0, o.AsOf-latestEvents), latestEvents)
	if err != nil {
		return err
	}
	p := overviewPage{Frame: s.frame(v, "overview", "Projects").live("", o.AsOf, o.Now), Latest: eventList{Now: o.Now, Events: newestFirst(events)}}
	summaries, pager := paginate(o.Projects, v.r.URL.Query(), projectsPerPage)
	p.Pager = pager
	for _, sum := range summaries {
		p.Projects = append(p.Projects, cardOf(sum, o.Now))
	}
	return s.render(v, 200, "overview", p)
}

func cardOf(sum coord.ProjectSummary, now time.Time) projectCard {
	board := "/p/" + string(sum.Project)
	n := sum.Counts
	c := projectCard{ProjectSummary: sum, Flow: []flowStep{
		{"ready", coord.StatusReady, n[coord.StatusReady], board + "?status=ready"},
		{"active", coord.StatusInProgress, n[coord.StatusInProgress], board + "?status=in_progress"},
		{"in review", coord.StatusWaitingReview, n[coord.StatusWaitingReview], board + "?status=waiting_review"},
		{"to land", coord.StatusWaitingIntegration, n[coord.StatusWaitingIntegration] + n[coord.StatusIntegrating] + n[coord.StatusValidating], board + "/landing"},
		{"landed this week", coord.StatusDone, sum.LandedThisWeek, board + "/landing?stage=landed"},
	}}
	for _, st := range []coord.Status{coord.StatusRecoveryRequired, coord.StatusBlocked} {
		if n[st] > 0 {
			c.Trouble = append(c.Trouble, flowStep{Status: st, Count: n[st], URL: board + "?status=" + string(st)})
		}
	}
	c.Bar = barOf(c.Flow, c.Trouble)
	c.Waits = []wait{
		{"oldest ready", stampAt(now, sum.OldestReady)},
		{"oldest in review", stampAt(now, sum.OldestReview)},
		{"oldest to land", stampAt(now, sum.OldestLanding)},
	}
	return c
}

// barOf shares the bar out by count, trouble last.
func barOf(flow, trouble []flowStep) []barPart {
	total := 0
	all := append(append([]flowStep{}, flow...), trouble...)
	for _, f := range all {
		total += f.Count
	}
	var bar []barPart
	x := 0.0
	for _, f := range all {
		if f.Count == 0 {
			continue
		}
		w := 100 * float64(f.Count) / float64(total)
		bar = append(bar, barPart{Tone: string(f.Status), X: x, Width: max(0.4, w-0.6)})
		x += w
	}
	return bar
}

func newestFirst[T any](oldestFirst []T) []T {
	out := slices.Clone(oldestFirst)
	slices.Reverse(out)
	return out
}
