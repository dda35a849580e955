package markdown

import (
	"slices"
	"strings"

	"coord"
)

// lessonKindOf reads the title of a section as the kind of what stands in it; empty
// if it names none.
func lessonKindOf(title string) coord.LessonKind { return vocabulary().kinds[sectionTitle(title)] }

// kind is what the nearest heading that names a kind says, or the line before
// the list.
func (x *extraction) kind() coord.LessonKind {
	if k := lessonKindOf(x.intro); x.intro != "" && k != "" {
		return k
	}
	return x.outline.kind()
}

func (o *outline) kind() coord.LessonKind {
	for _, n := range slices.Backward(o.stack) {
		if k := o.heads[n].kind; k != "" {
			return k
		}
	}
	return ""
}

var (
	ruleText = pattern(`^(?i:rule|binding rule|proposed rule|regel|regla|règle|правило|规则|規則|ルール|규칙)(?:\*\*|__)?[ \t]*[:：]`)
	// again is how people say when to look at a rejected approach again.
	again = pattern(`(?i)\b(?:reopen|revisit|reconsider|(?:look|try)(?: at)?(?: it| this)? again|wieder ansehen|wieder aufnehmen|neu bewerten|erneut prüfen)[,:]? (?:when|if|once|wenn|falls|sobald)[:]? ([^.\n]{3,400})`)
)

// describe gives the lesson r its kind, and what a remark says of it. A text
// that reads as a rule becomes a proposal for one; nothing read from a file is
// ever a rule.
func (r *Record) describe(kind coord.LessonKind, m Brackets) {
	f := &r.Facets
	f.Kind, r.Brackets = kind, m
	f.Tags, f.Scope, f.Reopen = m.Tags, m.Scope, m.Reopen
	if f.Kind == "" && r.Marker == "" {
		switch {
		case f.Reopen != "":
			f.Kind = coord.KindRejected
		case matches(ruleText, strings.TrimLeft(f.Body, "*_ ")):
			f.Kind = coord.KindProposal
		}
	}
	if f.Kind == coord.KindRejected && !m.There {
		if said := again().FindStringSubmatch(f.Body); said != nil {
			const most = 500 // as the service takes
			f.Reopen = clean(said[1][:runeStart(said[1], most)])
		}
	}
}
