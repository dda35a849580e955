package coord

import (
	"cmp"
	"slices"
	"time"
)

// InForce reports whether a lesson may be shown unasked at now.
func (l Lesson) InForce(now time.Time) bool {
	return l.Status != LessonSuperseded && !l.ExpiredAt(now)
}

// ExpiredAt reports whether the lesson's time is over: at its expiry exactly
// it is.
func (l Lesson) ExpiredAt(now time.Time) bool { return l.ExpiresAt != nil && !now.Before(*l.ExpiresAt) }

// trust is what status and feedback say for a lesson, between -3 and 3.
func (l Lesson) trust() float64 {
	n := float64(l.Useful + l.NotUseful)
	helped := 1.5 * (float64(l.Useful) - 1.5*float64(l.NotUseful)) / (n + 2)
	switch l.Status {
	case LessonVerified:
		return helped + 1
	case LessonDisputed:
		return helped - 1
	case LessonSuperseded:
		return helped - 1.5
	}
	return helped
}

// unhelpful reports whether those who were shown a lesson said that it is of
// no use to them: then it is found, and not shown unasked.
func (l Lesson) unhelpful() bool { return l.NotUseful >= l.Useful+3 }

// shownInBrief is how many lessons come with a claim.
const shownInBrief = 5

// Applying are the few lessons that apply to the work, best first, each with
// why. What is superseded, expired, proposed as a rule or was of no use is
// left out, and so is what shares no more with the work than common words.
func Applying(w Work, among []Lesson, now time.Time) []Lesson {
	type ranked struct {
		Lesson
		score float64
	}
	var all []ranked
	for _, l := range among {
		if !l.InForce(now) || l.Kind == KindProposal || l.unhelpful() {
			continue
		}
		fit, why := w.fit(l)
		about, words := w.about(l)
		if fit < 0 || why == "" && words == "" {
			continue
		}
		l.Why = cmp.Or(why, words)
		all = append(all, ranked{l, fit + min(about, 3) + l.trust()})
	}
	slices.SortStableFunc(all, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.score, a.score), b.At.Compare(a.At))
	})
	var out []Lesson
	for _, r := range all[:min(len(all), shownInBrief)] {
		out = append(out, r.Lesson)
	}
	return out
}

// Found puts what a search found in order: the project's own lessons first,
// then those that fit the work, say more of what was asked for in fewer words,
// and are trusted. Long texts get an excerpt. Without words the order stays.
func (q LessonQuery) Found(w Work, found []Lesson, limit int) []Lesson {
	terms := SearchTerms(q.Text)
	score := map[*Lesson]float64{}
	order := make([]*Lesson, len(found))
	for i := range found {
		l := &found[i]
		fit, why := 0.0, ""
		if q.For != "" {
			fit, why = w.fit(*l)
		}
		order[i], l.Why = l, why
		score[l] = fit + terms.density(l.Text) + l.trust()
	}
	slices.SortStableFunc(order, func(a, b *Lesson) int {
		return cmp.Or(q.stranger(a)-q.stranger(b), cmp.Compare(score[b]*float64(len(terms)), score[a]*float64(len(terms))))
	})
	out := []Lesson{}
	for _, l := range order[:min(len(order), limit)] {
		l.Excerpt = terms.excerpt(l.Text)
		out = append(out, *l)
	}
	return out
}

func (q LessonQuery) stranger(l *Lesson) int {
	if l.Project == q.Project {
		return 0
	}
	return 1
}

// Takes reports whether a lesson is what the query asks for, apart from its
// words: an index may have found a little more.
func (q LessonQuery) Takes(l Lesson) bool {
	return (q.Kind == "" || l.Kind == q.Kind) && (q.Status == "" || l.Status == q.Status) && (q.Tag == "" || slices.Contains(l.Tags, q.Tag)) &&
		(q.Component == "" || l.Scope.Component == q.Component) && (q.Shared || l.Project == q.Project) &&
		(q.Path == "" || slices.ContainsFunc(l.Scope.Paths, func(g string) bool { return PathsMeet(g, q.Path) }))
}
