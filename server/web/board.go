package web

import (
	"net/url"

	"github.com/go-chi/chi/v5"

	"coord"
)

// tasksPerPage bounds the rows of the board; rowsPerStatus those of one
// status while all are shown.
const (
	tasksPerPage  = 50
	rowsPerStatus = 8
)

// boardOrder shows what is stuck first, then what moves, then the rest.
var boardOrder = []coord.Status{
	coord.StatusRecoveryRequired, coord.StatusBlocked,
	coord.StatusInProgress, coord.StatusWaitingReview, coord.StatusWaitingIntegration, coord.StatusIntegrating, coord.StatusValidating,
	coord.StatusReady, coord.StatusPlanned, coord.StatusDone, coord.StatusCanceled, coord.StatusSuperseded,
}

type boardPage struct {
	Frame  frame
	Filter boardFilter
	coord.Project
	Total  int
	Chips  []statusChip
	Kinds  []kindOption
	Groups []boardGroup
	Next   string
}

// boardFilter is what the URL asks for.
type boardFilter struct {
	Status coord.Status
	Kind   coord.Kind
	Text   string
}

// Active reports whether anything is filtered.
func (f boardFilter) Active() bool { return f != boardFilter{} }

type statusChip struct {
	Status  coord.Status
	Count   int
	URL     string
	Current bool
}

type kindOption struct {
	Kind    coord.Kind
	Current bool
}

// boardGroup is the tasks of one status. More leads to all of them when only
// some are shown.
type boardGroup struct {
	Status coord.Status
	Count  int
	Tasks  []coord.Task
	More   string
}

func (s *site) board(v *visit) error {
	key, err := projectOf(v)
	if err != nil {
		return err
	}
	b, err := s.service(v).Board(v.ctx(), key)
	if err != nil {
		return err
	}
	q := v.r.URL.Query()
	p := boardPage{Frame: s.frame(v, "board", b.Project.Name+" board").live(key, b.AsOf, b.Now), Project: b.Project, Filter: filterOf(q)}
	for _, k := range []coord.Kind{coord.KindCode, coord.KindGeneral, coord.KindObjective, coord.KindReview, coord.KindIntegration} {
		p.Kinds = append(p.Kinds, kindOption{k, k == p.Filter.Kind})
	}
	columns := map[coord.Status]coord.BoardColumn{}
	for _, c := range b.Columns {
		columns[c.Status] = c
		p.Total += c.Count
	}
	for _, st := range boardOrder {
		if c := columns[st]; c.Count > 0 || p.Filter.Status == st {
			p.Chips = append(p.Chips, statusChip{st, c.Count, with(q, "status", string(st)), p.Filter.Status == st})
		}
	}
	if p.Filter.Active() {
		err = s.filtered(v, &p)
	} else {
		p.Groups = groupsOf(columns, q)
	}
	if err != nil {
		return err
	}
	return s.render(v, 200, "board", p)
}

// projectOf reads the project from the path; what is no key is no project.
func projectOf(v *visit) (coord.ProjectKey, error) {
	key := coord.ProjectKey(chi.URLParam(v.r, "project"))
	if key.Validate() != nil {
		return "", coord.Errorf(coord.CodeNotFound, "There is no project %q.", string(key))
	}
	return key, nil
}

func filterOf(q url.Values) boardFilter {
	text := []rune(q.Get("q"))
	return boardFilter{coord.Status(q.Get("status")), coord.Kind(q.Get("kind")), string(text[:min(len(text), 120)])}
}

func groupsOf(columns map[coord.Status]coord.BoardColumn, q url.Values) []boardGroup {
	var groups []boardGroup
	for _, st := range boardOrder {
		c := columns[st]
		if len(c.Tasks) == 0 {
			continue
		}
		g := boardGroup{Status: st, Count: c.Count, Tasks: c.Tasks[:min(len(c.Tasks), rowsPerStatus)]}
		if c.Count > len(g.Tasks) {
			g.More = with(q, "status", string(st))
		}
		groups = append(groups, g)
	}
	return groups
}

// filtered fills the page with one page of the tasks that fit the filter.
func (s *site) filtered(v *visit, p *boardPage) error {
	list, err := s.service(v).ListTasks(v.ctx(), coord.TaskQuery{
		Project: p.Project.Key, Status: p.Filter.Status, Kind: p.Filter.Kind, Text: p.Filter.Text,
		Limit: tasksPerPage, Cursor: v.r.URL.Query().Get("cursor"),
	})
	if err != nil {
		return err
	}
	byStatus := map[coord.Status][]coord.Task{}
	for _, t := range list.Items {
		byStatus[t.Status] = append(byStatus[t.Status], t)
	}
	for _, st := range boardOrder {
		if tasks := byStatus[st]; len(tasks) > 0 {
			p.Groups = append(p.Groups, boardGroup{Status: st, Count: len(tasks), Tasks: tasks})
		}
	}
	if list.NextCursor != "" {
		p.Next = with(v.r.URL.Query(), "cursor", list.NextCursor)
	}
	return nil
}
