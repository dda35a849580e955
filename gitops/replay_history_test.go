package gitops

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// past makes a history as several people would: on a few branches that are
// merged into each other, with all that Git can keep in a tree. One seed gives
// one history.
type past struct {
	r       *rand.Rand
	stream  bytes.Buffer // for git fast-import
	commits []pastCommit // by mark, from 1
	heads   []int        // marks
	merges  []pastMerge
}

type pastCommit struct {
	files   map[string]pastFile
	parents []int
}

type pastFile struct{ mode, text string }

type pastMerge struct {
	onto, other int
	bases       int
}

const (
	pastPlain   = "100644"
	pastExec    = "100755"
	pastLink    = "120000"
	pastGitlink = "160000"
)

// attributes never lose the first line, so that no work tree is dirty as it is
// checked out.
const attributes = "*.crlf text eol=crlf\n"

func newPast(seed uint64, merges int) *past {
	p := &past{r: rand.New(rand.NewPCG(seed, 1)), commits: make([]pastCommit, 1)}
	p.heads = slices.Repeat([]int{p.commit(p.beginning())}, 3)
	for len(p.merges) < merges {
		for range 1 + p.r.IntN(2) {
			b := p.r.IntN(len(p.heads))
			p.heads[b] = p.commit(p.edited(p.heads[b]), p.heads[b])
		}
		a, b := p.r.IntN(len(p.heads)), p.r.IntN(len(p.heads))
		p.merge(a, b)
	}
	return p
}

// beginning is a tree with some of everything.
func (p *past) beginning() map[string]pastFile {
	files := map[string]pastFile{
		".gitattributes": {pastPlain, attributes + "*.log merge=union\n"},
		"link":           {pastLink, "dir0/file0.go"},
		"vendored":       {pastGitlink, p.oid()},
	}
	for d := range 5 {
		for f := range 5 {
			files[fmt.Sprintf("dir%d/file%d.go", d, f)] = pastFile{pastPlain, p.text(20+p.r.IntN(20), "\n")}
		}
		files[fmt.Sprintf("dir%d/notes.crlf", d)] = pastFile{pastPlain, p.text(15, "\n")}
		files[fmt.Sprintf("dir%d/old.dos", d)] = pastFile{pastPlain, p.text(15, "\r\n")}
		files[fmt.Sprintf("dir%d/kept.drv", d)] = pastFile{pastPlain, p.text(10, "\n")}
		files[fmt.Sprintf("dir%d/all.log", d)] = pastFile{pastPlain, p.text(5, "\n")}
		files[fmt.Sprintf("dir%d/image.bin", d)] = pastFile{pastPlain, "\x00" + p.word() + "\x00"}
		files[fmt.Sprintf("dir%d/run.sh", d)] = pastFile{pastExec, p.text(8, "\n")}
	}
	return files
}

func (p *past) word() string { return fmt.Sprintf("%08x", p.r.Uint32()) }
func (p *past) oid() string  { return strings.Repeat(p.word(), 5) }

func (p *past) text(lines int, end string) string {
	var b strings.Builder
	for range lines {
		b.WriteString("the line " + p.word() + " of it" + end)
	}
	return b.String()
}

// pick is any file that fits.
func (p *past) pick(files map[string]pastFile, fits func(string, pastFile) bool) (string, bool) {
	var names []string
	for _, n := range slices.Sorted(maps.Keys(files)) {
		if !strings.HasSuffix(n, ".gitattributes") && fits(n, files[n]) {
			names = append(names, n)
		}
	}
	if len(names) == 0 {
		return "", false
	}
	return names[p.r.IntN(len(names))], true
}

func regular(_ string, f pastFile) bool { return f.mode == pastPlain || f.mode == pastExec }

func inDirectory(n string, _ pastFile) bool { return strings.Contains(n, "/") }

// deeds are the changes of one commit, and how often each is made.
var deeds = []struct {
	often int
	do    func(p *past, files map[string]pastFile)
}{
	{10, (*past).line},
	{3, (*past).create},
	{2, (*past).remove},
	{4, (*past).rename},
	{1, (*past).renameDirectory},
	{2, (*past).chmod},
	{2, (*past).binary},
	{2, (*past).relink},
	{1, (*past).becomeLink},
	{2, (*past).pin},
	{1, (*past).drivers},
	{1, (*past).endings},
}

func (p *past) edited(from int) map[string]pastFile {
	files := maps.Clone(p.commits[from].files)
	for range 1 + p.r.IntN(2) {
		n := 0
		for _, d := range deeds {
			n += d.often
		}
		n = p.r.IntN(n)
		for _, d := range deeds {
			if n -= d.often; n < 0 {
				d.do(p, files)
				break
			}
		}
	}
	return files
}

// line changes, adds or removes a line of a text, keeping how its lines end.
func (p *past) line(files map[string]pastFile) {
	n, ok := p.pick(files, func(n string, f pastFile) bool {
		return regular(n, f) && !strings.Contains(f.text, "\x00") && f.text != ""
	})
	if !ok {
		return
	}
	f := files[n]
	end := "\n"
	if strings.Contains(f.text, "\r\n") {
		end = "\r\n"
	}
	lines := strings.SplitAfter(strings.TrimSuffix(f.text, end), end)
	made := "another line " + p.word() + end
	switch at := p.r.IntN(len(lines)); p.r.IntN(4) {
	case 0:
		lines = slices.Insert(lines, at, made)
	case 1:
		lines = slices.Delete(lines, at, at+1)
	default:
		lines[at] = made
	}
	f.text = strings.Join(lines, "")
	if f.text != "" && !strings.HasSuffix(f.text, end) {
		f.text += end
	}
	files[n] = f
}

func (p *past) create(files map[string]pastFile) {
	files[fmt.Sprintf("dir%d/new%d.go", p.r.IntN(6), p.r.IntN(30))] = pastFile{pastPlain, p.text(10+p.r.IntN(10), "\n")}
}

func (p *past) remove(files map[string]pastFile) {
	if n, ok := p.pick(files, inDirectory); ok {
		delete(files, n)
	}
}

// rename moves a file, sometimes changed a little.
func (p *past) rename(files map[string]pastFile) {
	n, ok := p.pick(files, inDirectory)
	if !ok {
		return
	}
	to := fmt.Sprintf("dir%d/moved%d%s", p.r.IntN(6), p.r.IntN(600), n[strings.LastIndexByte(n, '.'):])
	files[to] = files[n]
	delete(files, n)
	if f := files[to]; p.r.IntN(2) == 0 && f.mode == pastPlain && strings.Count(f.text, "\n") > 8 {
		f.text += f.text[:strings.IndexByte(f.text, '\n')+1]
		files[to] = f
	}
}

func (p *past) renameDirectory(files map[string]pastFile) {
	n, ok := p.pick(files, inDirectory)
	if !ok {
		return
	}
	from, _, _ := strings.Cut(n, "/")
	to := fmt.Sprintf("place%d", p.r.IntN(8))
	for _, n := range slices.Sorted(maps.Keys(files)) {
		if rest, in := strings.CutPrefix(n, from+"/"); in {
			files[to+"/"+rest] = files[n]
			if to != from {
				delete(files, n)
			}
		}
	}
}

func (p *past) chmod(files map[string]pastFile) {
	if n, ok := p.pick(files, regular); ok {
		f := files[n]
		f.mode = map[string]string{pastPlain: pastExec, pastExec: pastPlain}[f.mode]
		files[n] = f
	}
}

func (p *past) binary(files map[string]pastFile) {
	if n, ok := p.pick(files, func(n string, f pastFile) bool { return regular(n, f) && strings.Contains(f.text, "\x00") }); ok {
		files[n] = pastFile{files[n].mode, "\x00" + p.word() + "\x00\xff"}
	}
}

func (p *past) relink(files map[string]pastFile) {
	files[fmt.Sprintf("link%d", p.r.IntN(40))] = pastFile{pastLink, fmt.Sprintf("dir%d/file%d.go", p.r.IntN(3), p.r.IntN(3))}
}

// becomeLink changes what kind of thing a path is.
func (p *past) becomeLink(files map[string]pastFile) {
	if n, ok := p.pick(files, func(n string, f pastFile) bool { return regular(n, f) && inDirectory(n, f) }); ok {
		files[n] = pastFile{pastLink, "file0.go"}
	}
}

func (p *past) pin(files map[string]pastFile) {
	files[[]string{"vendored", fmt.Sprintf("vendored%d", p.r.IntN(40))}[p.r.IntN(2)]] = pastFile{pastGitlink, p.oid()}
}

// drivers chooses other merge drivers.
func (p *past) drivers(files map[string]pastFile) {
	text := attributes
	for _, l := range []string{"*.log merge=union\n", "*.drv merge=kept\n", "*.go -merge\n", "dir1/*.go merge=binary\n"} {
		if p.r.IntN(3) == 0 {
			text += l
		}
	}
	at := ".gitattributes"
	if d := p.r.IntN(8); d < 5 {
		at = fmt.Sprintf("dir%d/.gitattributes", d)
	}
	files[at] = pastFile{pastPlain, text}
}

// endings rewrites all lines of a file that Git leaves alone.
func (p *past) endings(files map[string]pastFile) {
	if n, ok := p.pick(files, func(n string, f pastFile) bool { return regular(n, f) && strings.HasSuffix(n, ".dos") }); ok {
		f := files[n]
		if text := strings.ReplaceAll(f.text, "\r\n", "\n"); text != f.text {
			f.text = text
		} else {
			f.text = strings.ReplaceAll(f.text, "\n", "\r\n")
		}
		files[n] = f
	}
}

// merge merges branches as their people did: what only one side changed, and
// otherwise one's own. Now and then both take the other's at once, from where
// both were: their next merge has two bases.
func (p *past) merge(a, b int) {
	x, y := p.heads[a], p.heads[b]
	if p.reaches(y, x) || p.reaches(x, y) {
		return
	}
	p.merges = append(p.merges, pastMerge{onto: x, other: y, bases: len(p.bases(x, y))})
	p.heads[a] = p.commit(p.settled(x, y), x, y)
	if p.r.IntN(5) == 0 {
		p.merges = append(p.merges, pastMerge{onto: y, other: x, bases: len(p.bases(x, y))})
		p.heads[b] = p.commit(p.settled(y, x), y, x)
	}
}

func (p *past) settled(x, y int) map[string]pastFile {
	base, theirs := p.commits[p.bases(x, y)[0]].files, p.commits[y].files
	files := maps.Clone(p.commits[x].files)
	for n, f := range theirs {
		if files[n] == base[n] {
			files[n] = f
		}
	}
	for n := range base {
		if _, there := theirs[n]; !there && files[n] == base[n] {
			delete(files, n)
		}
	}
	return noTwins(files)
}

// noTwins drops files that stand where a directory does.
func noTwins(files map[string]pastFile) map[string]pastFile {
	for n := range files {
		for up := n; strings.Contains(up, "/"); {
			up = up[:strings.LastIndexByte(up, '/')]
			delete(files, up)
		}
	}
	return files
}

func (p *past) history(of int) map[int]bool {
	seen := map[int]bool{}
	for todo := []int{of}; len(todo) > 0; {
		c := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !seen[c] {
			seen[c] = true
			todo = append(todo, p.commits[c].parents...)
		}
	}
	return seen
}

func (p *past) reaches(old, from int) bool { return p.history(from)[old] }

// bases are the best common ancestors, newest first.
func (p *past) bases(x, y int) (best []int) {
	in := p.history(y)
	var common []int
	for c := range p.history(x) {
		if in[c] {
			common = append(common, c)
		}
	}
	slices.Sort(common)
	slices.Reverse(common)
	covered := map[int]bool{}
	for _, c := range common { // parents have smaller marks
		if !covered[c] {
			best = append(best, c)
			maps.Copy(covered, p.history(c))
		}
	}
	return best
}

// commit writes a commit as git-fast-import(1) reads it.
func (p *past) commit(files map[string]pastFile, parents ...int) int {
	mark := len(p.commits)
	p.commits = append(p.commits, pastCommit{files, parents})
	fmt.Fprintf(&p.stream, "commit refs/heads/mark%d\nmark :%d\ncommitter Agent <agent@example.org> %d +0000\ndata 2\nx\n", mark, mark, 1_700_000_000+mark)
	old := map[string]pastFile{}
	for i, from := range parents {
		fmt.Fprintf(&p.stream, "%s :%d\n", []string{"from", "merge"}[i], from)
	}
	if len(parents) > 0 {
		old = p.commits[parents[0]].files
	}
	for _, n := range slices.Sorted(maps.Keys(old)) {
		if _, stays := files[n]; !stays {
			fmt.Fprintf(&p.stream, "D %s\n", n)
		}
	}
	for _, n := range slices.Sorted(maps.Keys(files)) {
		f := files[n]
		switch {
		case old[n] == f:
		case f.mode == pastGitlink:
			fmt.Fprintf(&p.stream, "M %s %s %s\n", f.mode, f.text, n)
		default:
			fmt.Fprintf(&p.stream, "M %s inline %s\ndata %d\n%s\n", f.mode, n, len(f.text), f.text)
		}
	}
	p.stream.WriteByte('\n')
	return mark
}
