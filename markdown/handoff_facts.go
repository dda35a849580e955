package markdown

import (
	"cmp"
	"slices"
	"strings"

	"coord"
)

// fact is what a line of a note may state.
type fact int

const (
	factDay fact = iota
	factUpdated
	factBranch
	factRevision
)

// factNames are what people call them, as normal gives it, in the languages
// that sections are read in. "Base branch" and the like are another branch's.
var factNames = map[string]fact{
	"date": factDay, "day": factDay, "dated": factDay, "datum": factDay, "fecha": factDay, "дата": factDay, "日期": factDay, "日付": factDay, "날짜": factDay,
	"updated": factUpdated, "last updated": factUpdated, "last update": factUpdated, "last modified": factUpdated, "as of": factUpdated, "stand": factUpdated, "aktualisiert": factUpdated,
	"mis à jour": factUpdated, "actualizado": factUpdated, "обновлено": factUpdated, "最后更新": factUpdated, "更新时间": factUpdated, "更新日": factUpdated, "最終更新": factUpdated, "최종 업데이트": factUpdated,
	"branch": factBranch, "current branch": factBranch, "working branch": factBranch, "current working branch": factBranch, "active branch": factBranch, "feature branch": factBranch,
	"git branch": factBranch, "zweig": factBranch, "branche": factBranch, "rama": factBranch, "ветка": factBranch, "分支": factBranch, "当前分支": factBranch, "ブランチ": factBranch, "브랜치": factBranch,
	"head": factRevision, "commit": factRevision, "revision": factRevision, "sha": factRevision, "rev": factRevision, "git head": factRevision, "head commit": factRevision, "head sha": factRevision,
	"commit sha": factRevision, "git commit": factRevision, "git sha": factRevision, "latest commit": factRevision, "last commit": factRevision, "current commit": factRevision, "提交": factRevision,
}

var (
	spanBranch = pattern("(?i)\\bbranch[ \t]+\\*{0,2}`([^`\\s]+)`|`([^`\\s_]*[/-][^`\\s_]*)`\\*{0,2}[ \t]+branch\\b")
	spanHead   = pattern("\\bHEAD[ \t]+(?:is[ \t]+|at[ \t]+|=[ \t]*)?[`(]?([0-9a-f]{7,64})\\b")
	refAt      = pattern("(?:^|[\\s*(])`?([\\pL\\pN][\\pL\\pN._/#+-]*)`?[ \t]*@[ \t]*`?([0-9a-f]{7,64})\\b")
)

// selfSaid is what the lines of a note say: every branch and revision once.
type selfSaid struct {
	titled, updated, day string
	branches, revisions  []string // of lines such as "Branch: x"
	asideBranches        []string // named in a sentence
	asideRevisions       []string
}

// readFacts reads what a note says of itself.
func readFacts(title, text string) *selfSaid {
	s := &selfSaid{titled: dayIn(title)}
	s.sentence(title)
	for _, line := range proseLines(text) {
		s.line(line)
	}
	return s
}

// facts are the date in the title, else the latest "Updated:", else "Date:".
// Where a note names several branches or revisions, it names none.
func (s *selfSaid) facts() coord.HandoffFacts {
	return coord.HandoffFacts{
		Date:     cmp.Or(s.titled, s.updated, s.day),
		Branch:   theOnly(s.branches, s.asideBranches),
		Revision: theOnly(s.revisions, s.asideRevisions),
	}
}

// frontFacts is the same for front matter.
func frontFacts(front map[string]string) coord.HandoffFacts {
	var s selfSaid
	for k, v := range front {
		s.field(strings.Join(strings.FieldsFunc(strings.ToLower(k), func(r rune) bool { return r == '_' || r == '-' }), " "), v)
	}
	return s.facts()
}

// amid completes what a note says by what its surroundings say. Where those
// are of another day, their branch and revision are none of this note's.
func (s *selfSaid) amid(outer coord.HandoffFacts) coord.HandoffFacts {
	own := s.facts()
	if own.Date != "" && outer.Date != "" && own.Date != outer.Date {
		return own
	}
	own.Date = cmp.Or(own.Date, outer.Date)
	if len(s.branches)+len(s.asideBranches) == 0 {
		own.Branch = outer.Branch
	}
	if own.Branch == outer.Branch && len(s.revisions)+len(s.asideRevisions) == 0 {
		own.Revision = outer.Revision
	}
	return own
}

// inherit gives the notes what they do not say themselves: from the nearest
// heading above their own, from the lines before the first one, and from front
// matter. A heading without text of its own is no note, but it passes on what
// it says. What is said above all dates is of the latest.
func (x *extraction) inherit(notes []Record, cuts []head) {
	type level struct {
		depth int
		said  coord.HandoffFacts
	}
	above := []level{{0, frontFacts(x.front)}}
	latest := ""
	for _, h := range cuts {
		latest = max(latest, dayIn(h.own.text))
	}
	at := map[int]*Record{}
	for i := range notes {
		at[notes[i].Line] = &notes[i]
	}
	if len(notes) > 0 && notes[0].Shape == "file" {
		notes[0].Handoff = readFacts("", notes[0].Facets.Body).amid(above[0].said)
		above[0].said = notes[0].Handoff
	}
	for _, h := range cuts {
		for above[len(above)-1].depth >= h.level {
			above = above[:len(above)-1]
		}
		r, body := at[x.blocks[h.index].first+1], ""
		if r != nil {
			body = r.Facets.Body
		}
		outer := above[len(above)-1].said
		if outer.Date == "" && dayIn(h.own.text) != "" {
			outer.Date = latest
		}
		said := readFacts(h.own.text, body).amid(outer)
		if r != nil {
			r.Handoff = said
		}
		above = append(above, level{h.level, said})
	}
}

// proseLines are the lines of a text outside of fenced code, without quote
// signs and numbers; a row of two cells is a field. Fields that share a line
// come apart.
func proseLines(text string) []string {
	var out []string
	fence := ""
	for line := range strings.Lines(text) {
		line = strings.TrimLeft(strings.TrimSpace(line), "> \t")
		switch run := line[:len(line)-len(strings.TrimLeft(line, "`~"))]; {
		case len(run) >= 3 && fence == "":
			fence = run[:3]
			continue
		case fence != "" && strings.HasPrefix(run, fence):
			fence = ""
			continue
		case fence != "", line == "", len(line) > 2000:
			continue
		}
		if loc := numberedLine().FindStringIndex(line); loc != nil {
			line = line[loc[1]:]
		}
		if strings.HasPrefix(line, "|") {
			if cells := strings.Split(strings.Trim(line, "| \t"), "|"); len(cells) == 2 {
				line = plain(cells[0]) + ": " + strings.TrimSpace(cells[1])
			}
			out = append(out, line)
			continue
		}
		for part := range strings.SplitSeq(line, " · ") {
			out = append(out, strings.Split(part, " | ")...)
		}
	}
	return out
}

// line takes in a line: a field such as "**Branch:** x", or a sentence.
func (s *selfSaid) line(line string) {
	if strings.ContainsAny(line, ":：") && len(line) <= 300 {
		if m := fieldLine().FindStringSubmatch(strings.TrimSpace(line)); m != nil && s.field(normal(m[1]), m[2]) {
			return
		}
	}
	s.sentence(line)
}

// field reports a value that the name is for.
func (s *selfSaid) field(name, value string) bool {
	what, ok := factNames[name]
	if !ok {
		return false
	}
	value = strings.TrimSpace(value)
	switch d := dayIn(value); what {
	case factDay:
		s.day = max(s.day, d)
	case factUpdated:
		s.updated = max(s.updated, d)
	case factBranch:
		s.branches = adding(s.branches, branchesIn(value)...)
		s.asideRevisions = adding(s.asideRevisions, objectsIn(value)...)
	case factRevision:
		s.revisions = adding(s.revisions, objectsIn(value)...)
	}
	return true
}

// sentence takes in "branch `x`", "HEAD abc1234" and "x @ abc1234".
func (s *selfSaid) sentence(line string) {
	if strings.Contains(line, "@") {
		for _, m := range refAt().FindAllStringSubmatch(line, 8) {
			if isObjectID(m[2]) {
				s.asideBranches, s.asideRevisions = adding(s.asideBranches, branchIn(m[1])), adding(s.asideRevisions, m[2])
			}
		}
	}
	if strings.Contains(line, "HEAD") {
		for _, m := range spanHead().FindAllStringSubmatch(line, 8) {
			if isObjectID(m[1]) {
				s.asideRevisions = adding(s.asideRevisions, m[1])
			}
		}
	}
	if strings.Contains(line, "ranch") {
		for _, m := range spanBranch().FindAllStringSubmatch(line, 8) {
			s.asideBranches = adding(s.asideBranches, branchIn("`"+m[1]+m[2]+"`"))
		}
	}
}

// adding adds what is not there yet.
func adding(all []string, more ...string) []string {
	for _, s := range more {
		if s != "" && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// theOnly is the one there is, aside if none is in all.
func theOnly(all, aside []string) string {
	if len(all) == 0 {
		all = aside
	}
	if len(all) != 1 {
		return ""
	}
	return all[0]
}
