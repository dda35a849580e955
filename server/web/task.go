package web

import (
	"strconv"
	"time"

	"github.com/go-chi/chi/v5"

	"coord"
)

// rowsOf is how many rows a section has while the whole task is shown, and on
// one of its own pages.
func rowsOf(section string) (shown, alone int) {
	switch section {
	case "history":
		return 20, 25
	case "reviews":
		return 3, 5
	}
	return 5, 20
}

type taskPage struct {
	Frame    frame
	Task     coord.Task
	Only     string // section that is shown alone
	Sections []section
}

// section is one table of a task's record, newest first; exactly one of the
// lists is filled. All leads to the whole list when it was cut.
type section struct {
	Name, Title string
	Now         time.Time
	About       coord.TaskID
	All         string
	Pager       pager
	Submissions []judged
	Reviews     []coord.Review
	Landings    []coord.Landing
	Receipts    []covering
	Checkpoints []coord.Checkpoint
	Attempts    []coord.Attempt
	Events      []coord.Event
}

// judged is a submission with the standing of the checks it requires.
type judged struct {
	coord.Submission
	Evidence []evidence
}

type evidence struct {
	Name    string
	Covered bool
}

// covering is a receipt with what else has exactly its tree.
type covering struct {
	coord.Receipt
	Covers []string
}

func (s *site) task(v *visit) error {
	key, err := projectOf(v)
	if err != nil {
		return err
	}
	n, err := strconv.ParseInt(chi.URLParam(v.r, "n"), 10, 64)
	id := coord.NewTaskID(key, n)
	if _, _, bad := id.Split(); err != nil || bad != nil {
		return coord.Errorf(coord.CodeNotFound, "There is no task %q in %s.", chi.URLParam(v.r, "n"), key)
	}
	d, err := s.service(v).Task(v.ctx(), id)
	if err != nil {
		return err
	}
	p := taskPage{
		Frame: s.frame(v, "task", string(id)+" "+d.Title).live(key, d.AsOf, s.Now()),
		Task:  d.Task, Only: v.r.URL.Query().Get("section"),
	}
	p.Sections = sectionsOf(v, d, &p)
	return s.render(v, 200, "task", p)
}

// sectionsOf cuts the record into tables: a few rows of each, or one alone
// in pages.
func sectionsOf(v *visit, d coord.TaskDetail, p *taskPage) []section {
	c := cutter{v: v, page: p}
	add(&c, "submissions", "Submissions", judge(d), func(s *section, rows []judged) { s.Submissions = rows })
	add(&c, "reviews", "Reviews", d.Reviews, func(s *section, rows []coord.Review) { s.Reviews = rows })
	add(&c, "landings", "Landings", d.Landings, func(s *section, rows []coord.Landing) { s.Landings = rows })
	add(&c, "receipts", "Receipts", cover(d), func(s *section, rows []covering) { s.Receipts = rows })
	add(&c, "checkpoints", "Checkpoints", d.Checkpoints, func(s *section, rows []coord.Checkpoint) { s.Checkpoints = rows })
	add(&c, "attempts", "Attempts", d.Attempts, func(s *section, rows []coord.Attempt) { s.Attempts = rows })
	add(&c, "history", "History", d.Events, func(s *section, rows []coord.Event) { s.Events = rows })
	return c.sections
}

type cutter struct {
	v        *visit
	page     *taskPage
	sections []section
}

func add[T any](c *cutter, name, title string, oldestFirst []T, put func(*section, []T)) {
	if len(oldestFirst) == 0 || c.page.Only != "" && c.page.Only != name {
		return
	}
	q := c.v.r.URL.Query()
	shown, size := rowsOf(name)
	if c.page.Only == "" {
		size = shown
		q.Del("page")
	}
	s := section{Name: name, Title: title, Now: c.page.Frame.Now, About: c.page.Task.ID}
	rows, pager := paginate(newestFirst(oldestFirst), q, size)
	s.Pager = pager
	if c.page.Only == "" {
		s.Pager.Next = ""
		if len(oldestFirst) > size {
			s.All = "?section=" + name
		}
	}
	put(&s, rows)
	c.sections = append(c.sections, s)
}

// judge says of each submission which required checks its own tree passed.
func judge(d coord.TaskDetail) []judged {
	var out []judged
	for _, sub := range d.Submissions {
		j := judged{Submission: sub}
		for _, c := range sub.Required {
			missing := coord.MissingChecks([]coord.RequiredCheck{c}, d.Receipts, sub.Tree)
			j.Evidence = append(j.Evidence, evidence{c.Name, len(missing) == 0})
		}
		out = append(out, j)
	}
	return out
}

// cover names what has exactly the tree of each receipt.
func cover(d coord.TaskDetail) []covering {
	trees := map[coord.OID][]string{}
	for _, l := range d.Landings {
		what := "the merge of " + string(l.ID)
		if l.State == coord.LandingLanded {
			what = "landed " + string(l.ID)
		}
		trees[l.Tree] = append(trees[l.Tree], what)
	}
	for _, sub := range d.Submissions {
		trees[sub.Tree] = append(trees[sub.Tree], "submission "+string(sub.ID))
	}
	for _, c := range d.Checkpoints {
		trees[c.Tree] = append(trees[c.Tree], "checkpoint "+strconv.FormatInt(c.Generation, 10)+"."+strconv.FormatInt(c.Number, 10))
	}
	var out []covering
	for _, r := range d.Receipts {
		names := trees[r.Tree]
		out = append(out, covering{r, names[:min(len(names), 4)]})
	}
	return out
}
