package web

import (
	"net/url"
	"time"

	"coord"
)

// How much of a project's knowledge one page has.
const (
	lessonsFound = 100
	lessonsShown = 20
	specialShown = 5 // rejected approaches, and proposals
	rulesShown   = 10
	notesShown   = 10
	earlierShown = 3 // texts that a rule or a lesson had
	pathsShown   = 3
)

type knowledgePage struct {
	Frame     frame
	Filter    knowledgeFilter
	Kinds     []choice
	Statuses  []choice
	One       *coord.LessonDetail
	Lessons   lessonList
	Rejected  lessonList
	Proposals lessonList
	Rules     []ruleCard
	MoreRules int
	Notes     coord.Page[coord.HandoffNote] // of handoffs; none while a filter is on
}

// knowledgeFilter is what the URL asks for.
type knowledgeFilter struct {
	Text   string
	Kind   coord.LessonKind
	Status string // a status, or all for what is over too
	Shared bool
}

// Active reports whether anything is filtered.
func (f knowledgeFilter) Active() bool { return f != knowledgeFilter{} }

// choice is an option of a form.
type choice struct {
	Value   string
	Current bool
}

// lessonList is lessons as a page shows them. All leads to the whole list when
// it was cut; Full says that a search would find more.
type lessonList struct {
	Lessons []coord.Lesson
	Own     coord.ProjectKey
	Pager   pager
	All     string
	Full    bool
}

// ruleCard is a rule with the texts that it had before.
type ruleCard struct {
	coord.Rule
	Earlier []coord.Rule
	More    int
}

func (s *site) knowledge(v *visit) error {
	key, err := projectOf(v)
	if err != nil {
		return err
	}
	svc := s.service(v)
	project, err := svc.Project(v.ctx(), key)
	if err != nil {
		return err
	}
	first, err := svc.ListTasks(v.ctx(), coord.TaskQuery{Project: key, Limit: 1}) // says as of when the page is
	if err != nil {
		return err
	}
	p := knowledgePage{Frame: s.frame(v, "knowledge", project.Name+" knowledge").live(key, first.AsOf, s.Now()), Filter: knowledgeFilterOf(v.r.URL.Query())}
	p.choices()
	if id := coord.LessonID(v.r.URL.Query().Get("lesson")); id != "" {
		if !id.Valid() {
			return coord.Errorf(coord.CodeNotFound, "There is no lesson %q in %s.", string(id), key)
		}
		d, err := svc.Lesson(v.ctx(), key, id)
		if err != nil {
			return err
		}
		p.One = &d
	}
	if err := p.search(v, svc, key); err != nil {
		return err
	}
	revisions, err := svc.RuleRevisions(v.ctx(), key)
	if err != nil {
		return err
	}
	p.Rules, p.MoreRules = ruleCards(revisions)
	if !p.Filter.Active() {
		if p.Notes, err = svc.Handoffs(v.ctx(), coord.HandoffQuery{Project: key, Limit: notesShown}); err != nil {
			return err
		}
	}
	return s.render(v, 200, "knowledge", p)
}

func knowledgeFilterOf(q url.Values) knowledgeFilter {
	text := []rune(q.Get("q"))
	f := knowledgeFilter{Text: string(text[:min(len(text), 120)]), Kind: coord.LessonKind(q.Get("kind")), Status: q.Get("status"), Shared: q.Get("shared") != ""}
	if (coord.LessonQuery{Kind: f.Kind}).Validate() != nil {
		f.Kind = ""
	}
	if f.Status != "all" && (coord.LessonQuery{Status: coord.LessonStatus(f.Status)}).Validate() != nil {
		f.Status = ""
	}
	return f
}

func (p *knowledgePage) choices() {
	for _, k := range coord.LessonKinds {
		p.Kinds = append(p.Kinds, choice{string(k), k == p.Filter.Kind})
	}
	for _, st := range coord.LessonStatuses {
		p.Statuses = append(p.Statuses, choice{string(st), string(st) == p.Filter.Status})
	}
}

// listed is a list with the page's clock.
type listed struct {
	List lessonList
	Now  time.Time
}

// Listed is what the template of a list needs.
func (p knowledgePage) Listed(l lessonList) listed { return listed{l, p.Frame.Now} }

// lessonCard is one lesson with the latest of its record, newest first.
type lessonCard struct {
	One       coord.LessonDetail
	Revisions []coord.LessonRevision
	Feedback  []coord.LessonFeedback
	Now       time.Time
}

// LessonCard is the lesson that the URL names, if it names one.
func (p knowledgePage) LessonCard() *lessonCard {
	if p.One == nil {
		return nil
	}
	c := lessonCard{One: *p.One, Revisions: newestFirst(p.One.Revisions), Feedback: p.One.Feedback, Now: p.Frame.Now}
	c.Revisions = c.Revisions[:min(len(c.Revisions), earlierShown+1)]
	c.Feedback = c.Feedback[:min(len(c.Feedback), specialShown)]
	return &c
}

// shownPaths are the first globs of a scope.
func shownPaths(all []string) []string { return all[:min(len(all), pathsShown)] }

// search fills the lists: one of all that fits, or without a filter one for
// each kind of use.
func (p *knowledgePage) search(v *visit, svc coord.Service, key coord.ProjectKey) error {
	q := coord.LessonQuery{Project: key, Text: p.Filter.Text, Kind: p.Filter.Kind, Shared: p.Filter.Shared, All: p.Filter.Status == "all", Limit: lessonsFound}
	if !q.All {
		q.Status = coord.LessonStatus(p.Filter.Status)
	}
	found, err := svc.Lessons(v.ctx(), q)
	if err != nil {
		return err
	}
	full := len(found) == lessonsFound
	if !p.Filter.Active() {
		found = ofUse(found)
		if p.Rejected, err = p.special(v, svc, coord.KindRejected); err == nil {
			p.Proposals, err = p.special(v, svc, coord.KindProposal)
		}
	}
	shown, pager := paginate(found, v.r.URL.Query(), lessonsShown)
	p.Lessons = lessonList{Lessons: shown, Own: key, Pager: pager, Full: full}
	return err
}

// special are the latest of one kind.
func (p *knowledgePage) special(v *visit, svc coord.Service, kind coord.LessonKind) (lessonList, error) {
	found, err := svc.Lessons(v.ctx(), coord.LessonQuery{Project: p.Frame.Project, Kind: kind, Limit: specialShown + 1})
	l := lessonList{Lessons: found[:min(len(found), specialShown)], Own: p.Frame.Project}
	if len(found) > specialShown {
		l.All = "?kind=" + string(kind)
	}
	return l, err
}

// ofUse are the lessons and facts: the other kinds have lists of their own.
func ofUse(all []coord.Lesson) []coord.Lesson {
	var out []coord.Lesson
	for _, l := range all {
		if l.Kind == coord.KindLesson || l.Kind == coord.KindFact {
			out = append(out, l)
		}
	}
	return out
}

// ruleCards groups revisions, which come by name and the latest first.
func ruleCards(revisions []coord.Rule) (cards []ruleCard, more int) {
	for _, r := range revisions {
		if n := len(cards); n > 0 && cards[n-1].Name == r.Name {
			if c := &cards[n-1]; len(c.Earlier) < earlierShown {
				c.Earlier = append(c.Earlier, r)
			} else {
				c.More++
			}
			continue
		}
		cards = append(cards, ruleCard{Rule: r})
	}
	shown := cards[:min(len(cards), rulesShown)]
	return shown, len(cards) - len(shown)
}
