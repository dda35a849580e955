package web

import (
	"net/url"

	"coord"
)

const (
	workPerPage = 50
	queueShown  = 10
)

// stageOrder runs from one workstation to the target branch.
var stageOrder = []coord.Stage{
	coord.StageWorkstation, coord.StageCheckpoint, coord.StageCandidate,
	coord.StageApproved, coord.StageVerified, coord.StageLanded,
}

type landingPage struct {
	Frame   frame
	Targets []targetCard
	Stage   coord.Stage // "" shows all
	Total   int
	Chips   []stageChip
	Work    []coord.WorkRow
	Pager   pager
}

// targetCard is one target branch with the head of its queue.
type targetCard struct {
	coord.TargetRow
	Shown []queued
}

type queued struct {
	Task  coord.TaskID
	Title string
}

type stageChip struct {
	Stage   coord.Stage
	Count   int
	URL     string
	Current bool
}

// landing is branch versus integrated.
func (s *site) landing(v *visit) error {
	key, err := projectOf(v)
	if err != nil {
		return err
	}
	b, err := s.service(v).LandingBoard(v.ctx(), key)
	if err != nil {
		return err
	}
	q := v.r.URL.Query()
	p := landingPage{
		Frame: s.frame(v, "landing", b.Project.Name+": branch versus integrated").live(key, b.AsOf, b.Now),
		Stage: coord.Stage(q.Get("stage")), Total: len(b.Work), Targets: targetsOf(b),
	}
	p.Chips = chipsOf(b.Work, p.Stage, q)
	p.Work, p.Pager = paginate(atStage(b.Work, p.Stage), q, workPerPage)
	return s.render(v, 200, "landing", p)
}

func targetsOf(b coord.LandingBoard) []targetCard {
	titles := map[coord.TaskID]string{}
	for _, w := range b.Work {
		titles[w.Task] = w.Title
	}
	var cards []targetCard
	for _, t := range b.Targets {
		c := targetCard{TargetRow: t}
		for _, id := range t.Queue[:min(len(t.Queue), queueShown)] {
			c.Shown = append(c.Shown, queued{id, titles[id]})
		}
		cards = append(cards, c)
	}
	return cards
}

func chipsOf(work []coord.WorkRow, current coord.Stage, q url.Values) []stageChip {
	var chips []stageChip
	for _, st := range stageOrder {
		if n := len(atStage(work, st)); n > 0 || st == current {
			chips = append(chips, stageChip{st, n, with(q, "stage", string(st)), st == current})
		}
	}
	return chips
}

func atStage(work []coord.WorkRow, st coord.Stage) []coord.WorkRow {
	if st == "" {
		return work
	}
	var rows []coord.WorkRow
	for _, w := range work {
		if w.Stage == st {
			rows = append(rows, w)
		}
	}
	return rows
}

var stageText = map[coord.Stage]string{
	coord.StageWorkstation: "workstation only",
	coord.StageCheckpoint:  "checkpoint pushed",
	coord.StageCandidate:   "candidate pushed",
	coord.StageApproved:    "approved",
	coord.StageVerified:    "verified on merged tree",
	coord.StageLanded:      "landed",
}

func stageWords(s coord.Stage) string {
	if text, ok := stageText[s]; ok {
		return text
	}
	return words(s)
}

// step is one step of a hold on a target.
type step struct {
	Name      string
	Done, Now bool
}

// steps says how far a hold is. Between permit and observation the push may
// or may not have happened, so publish and read back are one step.
func steps(st coord.LandingState) []step {
	at := map[coord.LandingState]int{coord.LandingHeld: 1, coord.LandingMerged: 2, coord.LandingPublishing: 3}[st]
	var out []step
	for i, name := range []string{"hold", "merge", "verify", "publish and read back"} {
		out = append(out, step{Name: name, Done: i < at, Now: i == at})
	}
	return out
}

func stepWords(st coord.LandingState) string {
	switch st {
	case coord.LandingHeld:
		return "Merging the candidate onto the fetched tip."
	case coord.LandingMerged:
		return "Verifying the merged tree."
	case coord.LandingPublishing:
		return "The push is permitted: only the remote says whether it happened."
	}
	return words(st) + "."
}
