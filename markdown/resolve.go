package markdown

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"coord"
)

// linking says where the links of an import's files lead: to the files
// themselves, to files that were imported before, and to the repository's
// files if their paths came with the request.
type linking struct {
	p        *planner
	set      map[string]int // path → file of this import
	known    map[string]bool
	dirs     map[string]bool
	memories map[string]bool     // directories with memory files of this import
	names    map[string][]string // folded base name without its ending → paths
	whole    bool                // known is all that the repository has
	slugs    map[int]map[string]bool
	out      []coord.ImportProblem
	by       map[string]int // problem by what it is about

	records map[[2]int]*found // by file and place in its document
}

func newLinking(p *planner) *linking {
	l := &linking{
		p: p, set: map[string]int{}, known: map[string]bool{}, dirs: map[string]bool{}, memories: map[string]bool{}, names: map[string][]string{},
		slugs: map[int]map[string]bool{}, by: map[string]int{}, whole: len(p.base.Paths) > 0, records: map[[2]int]*found{},
	}
	for _, r := range p.records {
		l.records[[2]int{r.file, r.index}] = r
	}
	for i, f := range p.files {
		l.set[f.Path] = i
		l.know(f.Path)
		if f.As == coord.AsMemory && !isIndex(f) {
			l.memories[path.Dir(f.Path)] = true
		}
	}
	for _, f := range p.base.Files {
		if !l.whole {
			l.know(f.Path)
		}
	}
	for _, f := range p.base.Paths {
		l.know(f)
	}
	for i, doc := range p.docs {
		if doc != nil && doc.front["name"] != "" {
			l.name(doc.front["name"], p.files[i].Path)
		}
	}
	return l
}

func (l *linking) know(file string) {
	if l.known[file] {
		return
	}
	l.known[file] = true
	l.name(strings.TrimSuffix(path.Base(file), path.Ext(file)), file)
	for d := path.Dir(file); d != "." && d != "/" && !l.dirs[d]; d = path.Dir(d) {
		l.dirs[d] = true
	}
}

func (l *linking) name(name, file string) {
	name = strings.ToLower(strings.TrimSpace(name))
	if !slices.Contains(l.names[name], file) {
		l.names[name] = append(l.names[name], file)
	}
}

func (l *linking) run() []coord.ImportProblem {
	for i, doc := range l.p.docs {
		if doc == nil {
			continue
		}
		for _, link := range doc.Links {
			l.follow(i, link)
		}
		if isIndex(l.p.files[i]) {
			l.index(i, doc)
		}
	}
	return l.out
}

func (l *linking) follow(i int, k Link) {
	switch k.Kind {
	case LinkPath:
		l.path(i, k)
	case LinkAnchor:
		if part := strings.TrimPrefix(k.Raw, "#"); !l.has(i, part) {
			l.report(coord.ProblemLink, i, k, "there is no heading "+quote(part)+" in the file")
		}
	case LinkWiki:
		l.wiki(i, k)
	case LinkMention:
		if where, _ := l.find(i, k.Raw); where == missing {
			l.count(i, k, "mentioned_path", "paths that are mentioned and not there")
		}
	case LinkLabel:
		l.label(i, k)
	}
}

func (l *linking) count(i int, k Link, code, message string) {
	l.p.match.note(&found{path: l.p.files[i].Path, Record: Record{Line: k.Line}}, code, message)
}

// report adds a place to the problem that it is about.
func (l *linking) report(kind coord.ProblemKind, i int, k Link, why string) {
	f := &l.p.files[i]
	side := coord.ImportSide{Path: f.Path, Line: k.Line, Says: k.Raw, Revision: f.Revision, At: f.At}
	about := key(string(kind), f.Path, k.Raw)
	if n, ok := l.by[about]; ok {
		l.out[n].Sides = append(l.out[n].Sides, side)
		return
	}
	l.by[about] = len(l.out)
	l.out = append(l.out, coord.ImportProblem{Kind: kind, Text: brieflyOf(k.Raw) + ": " + why, Sides: []coord.ImportSide{side}})
}

// where a path leads.
type where int

const (
	unchecked where = iota
	resolved
	fromRoot
	missing
	outside
)

// find resolves a path beside file i: first from the file's directory, then
// from the root of the repository.
func (l *linking) find(i int, raw string) (where, string) {
	target := raw
	if n := strings.IndexAny(target, "#?"); n >= 0 {
		target = target[:n]
	}
	if plain, err := url.PathUnescape(strings.Trim(target, "<>")); err == nil {
		target = plain
	}
	beside := path.Join(path.Dir(l.p.files[i].Path), target)
	root := strings.TrimPrefix(path.Clean("/"+target), "/")
	switch {
	case strings.HasPrefix(target, "/"):
		beside = root
	case beside == ".." || strings.HasPrefix(beside, "../"):
		if l.exists(root) && !strings.HasPrefix(path.Clean(target), "..") {
			return fromRoot, root
		}
		return outside, beside
	}
	switch {
	case l.exists(beside):
		return resolved, beside
	case l.exists(root) && !strings.HasPrefix(path.Clean(target), ".."):
		return fromRoot, root
	case l.whole || l.memory(beside):
		return missing, beside
	}
	return unchecked, beside
}

func (l *linking) exists(file string) bool {
	return l.known[file] || l.dirs[file] || file == "." || file == ""
}

// memory reports that a path lies beside a memory file of this import: such a
// directory is imported whole.
func (l *linking) memory(file string) bool {
	return l.memories[path.Dir(file)] && strings.HasSuffix(file, ".md")
}

func (l *linking) path(i int, k Link) {
	kind := coord.ProblemLink
	if isIndex(l.p.files[i]) {
		kind = coord.ProblemIndex
	}
	where, file := l.find(i, k.Raw)
	switch where {
	case missing:
		l.report(kind, i, k, "there is no such file")
		return
	case outside:
		l.count(i, k, "link_outside", "links out of the repository are not followed")
		return
	case unchecked:
		l.count(i, k, "link_not_checked", "links to files that are not imported were not checked")
		return
	case fromRoot:
		l.count(i, k, "link_from_root", "links that lead somewhere only from the top of the repository")
	}
	_, part, _ := strings.Cut(k.Raw, "#")
	if to, ok := l.set[file]; ok && part != "" && !l.has(to, part) {
		l.report(kind, i, k, "there is no heading "+quote(part)+" in "+file)
	}
}

func (l *linking) wiki(i int, k Link) {
	name, _, _ := strings.Cut(strings.Trim(k.Raw, "[]"), "|")
	name, _, _ = strings.Cut(name, "#")
	name = strings.ToLower(strings.TrimSuffix(strings.TrimSpace(name), ".md"))
	hits := l.names[path.Base(name)]
	if strings.Contains(name, "/") {
		hits = slices.DeleteFunc(slices.Clone(hits), func(f string) bool {
			return !strings.HasSuffix("/"+strings.ToLower(strings.TrimSuffix(f, path.Ext(f))), "/"+name)
		})
	}
	beside := slices.DeleteFunc(slices.Clone(hits), func(f string) bool { return path.Dir(f) != path.Dir(l.p.files[i].Path) })
	switch {
	case name == "" || len(hits) == 1 || len(beside) == 1:
	case len(hits) > 1:
		l.report(coord.ProblemAmbiguous, i, k, "several files have that name: "+strings.Join(hits[:min(len(hits), 5)], ", "))
	case l.whole || l.p.files[i].As == coord.AsMemory:
		l.report(coord.ProblemLink, i, k, "no file has that name")
	default:
		l.count(i, k, "link_not_checked", "links to files that are not imported were not checked")
	}
}

// label follows B-12 to the record that has that label. One that nothing has is
// a problem only if others of its kind are known: UTF-8 is no label here.
func (l *linking) label(i int, k Link) {
	f := &l.p.files[i]
	from := &found{src: f, path: f.Path}
	if r := l.records[[2]int{i, k.Record}]; r != nil {
		from = r
	}
	want := foldLabel(k.Raw)
	if foldLabel(from.Label) == want || slices.ContainsFunc(from.Facets.After, func(s string) bool { return foldLabel(s) == want }) {
		return
	}
	w := l.p.wait
	hits := w.nearest(from, want)
	switch {
	case len(hits) > 1:
		l.report(coord.ProblemAmbiguous, i, k, "several records have that label")
	case len(hits) == 1 || len(w.anchors[want]) > 0 || w.nodes[coord.TaskID(strings.TrimSpace(k.Raw))] != nil:
	case w.series(want):
		l.report(coord.ProblemLink, i, k, "no record has that label")
	}
}

// series reports that some record has a label with the same beginning.
func (w *waiting) series(label string) bool {
	if w.prefixes == nil {
		w.prefixes = map[string]bool{}
		for s := range w.labels {
			w.prefixes[strings.TrimRight(s.label, "0123456789")] = true
		}
		for l := range w.anchors {
			w.prefixes[strings.TrimRight(l, "0123456789")] = true
		}
	}
	p := strings.TrimRight(label, "0123456789")
	return len(p) > 1 && w.prefixes[p]
}
