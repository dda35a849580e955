package coord

import (
	"path"
	"slices"
	"strings"
)

// CheckGlob checks a glob of a lesson's scope: names between slashes, below
// the repository's root, with * and ? within a name and ** for any number of
// directories.
func CheckGlob(glob string) error {
	if err := checkLine("path", glob, 1, 200); err != nil {
		return err
	}
	names := strings.Split(strings.TrimSuffix(glob, "/"), "/")
	if strings.HasPrefix(glob, "/") || strings.Contains(glob, `\`) || slices.Contains(names, "..") {
		return Errorf(CodeBadRequest, "path %q is not a path below the repository's root, with / between names", glob)
	}
	for _, n := range names {
		if _, err := path.Match(n, ""); err != nil {
			return Errorf(CodeBadRequest, "path %q is no glob: a [ has no ]", glob)
		}
	}
	return nil
}

// PathsMeet reports whether a glob and a path of a task speak of the same
// files: the glob takes the path, the path is below a directory that the glob
// names, or the path is a directory with what the glob names below it.
func PathsMeet(glob, taskPath string) bool {
	g, p := pathNames(glob), pathNames(taskPath)
	if i := slices.IndexFunc(p, isPattern); i >= 0 {
		p = p[:i] // a task may state a glob too: its directory is meant
	}
	fixed := Fixed(glob)
	return globTakes(g, p) || isBeginning(fixed, p) && len(fixed) == len(g) || isBeginning(p, fixed)
}

// Fixed are the names of a glob before the first that is a pattern.
func Fixed(glob string) []string {
	names := pathNames(glob)
	if i := slices.IndexFunc(names, isPattern); i >= 0 {
		return names[:i]
	}
	return names
}

func pathNames(p string) []string {
	return slices.DeleteFunc(strings.Split(p, "/"), func(n string) bool { return n == "" || n == "." })
}

func isPattern(name string) bool { return strings.ContainsAny(name, "*?[") }

func isBeginning(of, all []string) bool {
	return len(of) <= len(all) && slices.Equal(of, all[:len(of)])
}

// globTakes matches name by name. It remembers, for each beginning of the
// path, whether the glob so far takes it, so that many ** cost no more than
// one.
func globTakes(glob, names []string) bool {
	takes := make([]bool, len(names)+1)
	takes[0] = true
	for _, g := range glob {
		next := make([]bool, len(names)+1)
		for i := range takes {
			switch {
			case g == "**":
				next[i] = takes[i] || i > 0 && next[i-1]
			case i > 0 && takes[i-1]:
				next[i], _ = path.Match(g, names[i-1]) // checked when it was stored
			}
		}
		takes = next
	}
	return takes[len(names)]
}

// Work is what lessons are chosen for.
type Work struct {
	Task   TaskID
	Parent TaskID
	Paths  []string
	Labels []string
	Words  []string // stems of title and criteria
	Rare   []string // those of Words that say something in this project
}

// WorkOf is a task as lessons are chosen for it.
func WorkOf(t Task) Work {
	return Work{
		Task: t.ID, Parent: t.Parent, Paths: t.Paths, Labels: append(slices.Clone(t.Labels), t.Capabilities...),
		Words: Words(t.Title + "\n" + strings.Join(t.Criteria, "\n")),
	}
}

// fit is how well a lesson's scope fits the work, and the reason. It is
// negative when the scope says that the lesson is about something else.
func (w Work) fit(l Lesson) (score float64, why string) {
	s := l.Scope
	if s.Task != "" {
		if s.Task != w.Task && s.Task != w.Parent {
			return -1, ""
		}
		return 4, "for " + string(s.Task)
	}
	for _, g := range s.Paths {
		if slices.ContainsFunc(w.Paths, func(p string) bool { return PathsMeet(g, p) }) {
			return 3, "for " + g
		}
	}
	if len(s.Paths) > 0 && len(w.Paths) > 0 {
		return -1, ""
	}
	for _, name := range []string{s.Component, strings.ToLower(s.Environment)} {
		if name != "" && slices.Contains(w.Labels, name) {
			return 2.5, "for " + name
		}
	}
	for _, t := range l.Tags {
		if slices.Contains(w.Labels, t) {
			return 1.5, "for " + t
		}
	}
	return 0, ""
}

// about is how much of the lesson's text is about the work. A word that many
// lessons have counts little.
func (w Work) about(l Lesson) (score float64, why string) {
	words := spelled(l.Text)
	for _, wanted := range w.Words {
		i := slices.IndexFunc(words, func(word string) bool { return hasStem(word, wanted) })
		switch {
		case i < 0:
		case slices.Contains(w.Rare, wanted):
			score++
			if why == "" {
				why = "about " + words[i]
			}
		default:
			score += 0.2
		}
	}
	return score, why
}

// hasStem is stem(word) == stemmed, and quick where it is not so.
func hasStem(word, stemmed string) bool {
	return strings.HasPrefix(word, stemmed) && stem(word) == stemmed
}
