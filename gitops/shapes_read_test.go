package gitops

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// readings is everything that is read of a repository, as text by question.
type readings map[string]string

// checkEngines holds both engines against git, and go-git by itself where the
// shape is one it reads.
func checkEngines(t *testing.T, s shape, f *fixture) {
	t.Helper()
	want := readByHand(f)
	auto := f.open().(*repo)
	_, inProcessToo := auto.stored.(*inProcess)
	if inProcessToo == s.byGit {
		t.Errorf("read in process: %v", inProcessToo)
	}
	compareReadings(t, "the engine chosen", readBy(t.Context(), auto), want)
	if inProcessToo && s.stored {
		git := &repo{git: auto.git, info: auto.info}
		git.stored = installed{git}
		compareReadings(t, "git", readBy(t.Context(), git), want)
	}
	if inProcessToo && !s.partly {
		// Without an installed git nothing can be asked.
		lost := &repo{git: New([]string{"PATH="}), info: auto.info}
		lost.stored = &inProcess{git: installed{lost}}
		compareReadings(t, "go-git alone", readBy(t.Context(), lost), want)
	}
}

func compareReadings(t *testing.T, who string, got, want readings) {
	t.Helper()
	for question, answer := range want {
		if got[question] != answer {
			t.Errorf("%s, %s\n got: %q\nwant: %q", who, question, got[question], answer)
		}
	}
	for question := range got {
		if _, asked := want[question]; !asked {
			t.Errorf("%s answers %s, which git does not", who, question)
		}
	}
}

func readBy(ctx context.Context, r *repo) readings {
	got := readings{}
	put := func(question string, answer any, err error) {
		got[question] = fmt.Sprint(answer)
		if err != nil {
			got[question] = "failed"
		}
	}
	h, err := r.Head(ctx)
	put("HEAD", fmt.Sprint(h.Commit, " ", h.Branch), err)
	for _, prefix := range []string{"refs/", "refs/heads/"} {
		refs, err := r.Refs(ctx, prefix)
		put(prefix, refsText(refs), err)
	}
	if h.Commit == "" {
		return got
	}
	o, err := r.Resolve(ctx, "HEAD")
	put("resolve HEAD", o, err)
	if h.Branch != "" {
		o, err := r.Resolve(ctx, "refs/heads/"+h.Branch)
		put("resolve branch", o, err)
	}
	commits, err := r.Log(ctx, "", h.Commit, 30)
	put("log", commitsText(commits), err)
	if len(commits) > 1 {
		from := commits[len(commits)/2].OID
		commits, err := r.Log(ctx, from, h.Commit, 30)
		put("log from", commitsText(commits), err)
		commits, err = r.Log(ctx, h.Commit, from, 30)
		put("log of nothing", commitsText(commits), err)
	}
	entries, err := r.ReadTree(ctx, h.Commit)
	put("tree", entriesText(entries), err)
	files := 0
	for _, e := range entries {
		if files++; files > 12 && e.Mode != modeGitlink {
			continue
		}
		content, err := r.ReadFile(ctx, h.Commit, e.Path)
		put("file "+e.Path, string(content), err)
	}
	return got
}

func refsText(refs map[string]OID) string {
	var lines []string
	for name, o := range refs {
		lines = append(lines, string(o)+" "+name)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func commitsText(commits []Commit) string {
	var b strings.Builder
	for _, c := range commits {
		fmt.Fprintf(&b, "%s %s%v\n%s <%s> %s\n%s\n", c.OID, c.Tree, c.Parents, c.Author.Name, c.Author.Email, gitDate(c.Author), c.Message)
	}
	return b.String()
}

func entriesText(entries []TreeEntry) string {
	var b strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&b, "%s %s %s\x00", e.Mode, e.OID, e.Path)
	}
	return b.String()
}

// byHand runs git as coord would not: one plain command per question.
func (f *fixture) byHand(args ...string) (string, bool) { return f.byHandOn("", args...) }

func (f *fixture) byHandOn(stdin string, args ...string) (string, bool) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = f.dir, strings.NewReader(stdin)
	cmd.Env = append(slices.Clone(f.env), "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_LITERAL_PATHSPECS=1")
	out, err := cmd.Output()
	return string(out), err == nil
}

// objectsByHand gives the content of objects in their order.
func objectsByHand(f *fixture, oids []string) []string {
	out, _ := f.byHandOn(strings.Join(oids, "\n")+"\n", "cat-file", "--batch")
	var texts []string
	for range oids {
		head, rest, _ := strings.Cut(out, "\n")
		size := 0
		if n, err := fmt.Sscanf(head, "%s %s %d", new(string), new(string), &size); n != 3 || err != nil {
			texts, out = append(texts, "failed"), rest
			continue
		}
		texts, out = append(texts, rest[:size]), rest[size+1:]
	}
	return texts
}

// readByHand asks git the questions of readBy.
func readByHand(f *fixture) readings {
	want := readings{}
	head, born := f.byHand("rev-parse", "-q", "--verify", "HEAD^{commit}")
	head = strings.TrimSuffix(head, "\n")
	branch, _ := f.byHand("symbolic-ref", "-q", "HEAD")
	branch = strings.TrimPrefix(strings.TrimSuffix(branch, "\n"), "refs/heads/")
	want["HEAD"] = head + " " + branch
	out, _ := f.byHand("for-each-ref", "--format=%(objectname) %(refname)")
	refs := map[string]OID{}
	heads := map[string]OID{}
	for l := range strings.Lines(out) {
		oid, name, _ := strings.Cut(strings.TrimSuffix(l, "\n"), " ")
		if refs[name] = OID(oid); strings.HasPrefix(name, "refs/heads/") {
			heads[name] = OID(oid)
		}
	}
	want["refs/"], want["refs/heads/"] = refsText(refs), refsText(heads)
	if !born {
		return want
	}
	want["resolve HEAD"] = head
	if branch != "" {
		want["resolve branch"] = head
	}
	names, _ := f.byHand("rev-list", "--topo-order", "-30", head)
	oids := strings.Fields(names)
	want["log"] = logByHand(f, oids)
	if len(oids) > 1 {
		from := oids[len(oids)/2]
		names, _ := f.byHand("rev-list", "--topo-order", "-30", from+".."+head)
		want["log from"] = logByHand(f, strings.Fields(names))
		want["log of nothing"] = ""
	}
	readTreeByHand(f, head, want)
	return want
}

func logByHand(f *fixture, oids []string) string {
	var b strings.Builder
	for i, raw := range objectsByHand(f, oids) {
		o := oids[i]
		headers, message, _ := strings.Cut(raw, "\n\n")
		var tree, author string
		var parents []string
		for l := range strings.SplitSeq(headers, "\n") {
			key, value, _ := strings.Cut(l, " ")
			switch key {
			case "tree":
				tree = value
			case "parent":
				parents = append(parents, value)
			case "author":
				author = value
			}
		}
		who, when, _ := strings.Cut(author, "> ")
		name, mail, _ := strings.Cut(who, "<")
		fmt.Fprintf(&b, "%s %s%v\n%s <%s> @%s\n%s\n", o, tree, parents, strings.TrimSpace(name), mail, when, message)
	}
	return b.String()
}

func readTreeByHand(f *fixture, head string, want readings) {
	out, _ := f.byHand("ls-tree", "-r", "-z", "--full-tree", head)
	var b strings.Builder
	var names, oids []string
	for _, rec := range records([]byte(out)) {
		meta, name, _ := strings.Cut(rec, "\t")
		m := strings.Fields(meta)
		fmt.Fprintf(&b, "%s %s %s\x00", m[0], m[2], name)
		if m[1] == "commit" {
			want["file "+name] = "failed"
		} else if len(names) < 12 {
			names, oids = append(names, name), append(oids, m[2])
		}
	}
	for i, text := range objectsByHand(f, oids) {
		want["file "+names[i]] = text
	}
	want["tree"] = b.String()
}

// statusText and statusByHand give the same text for the same status.
func statusText(changes []Change, err error) string {
	if err != nil {
		return "failed"
	}
	lines := []string{}
	for _, c := range changes {
		lines = append(lines, fmt.Sprintf("%q %s %v", c.Path, c.Kind, c.Staged))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// statusByHand reads the first porcelain format, which coord does not.
func statusByHand(f *fixture) string {
	out, ok := f.byHand("-c", "core.fsmonitor=false", "status", "--porcelain", "-z", "--untracked-files=all", "--no-renames")
	if !ok {
		return "failed"
	}
	lines := []string{}
	for _, rec := range records([]byte(out)) {
		x, y, path := rec[0], rec[1], rec[3:]
		kind, staged := Modified, x != ' '
		switch {
		case x == '?':
			kind, staged = Untracked, false
		case x == 'U' || y == 'U' || (x == 'A' && y == 'A') || (x == 'D' && y == 'D'):
			kind, staged = Unmerged, false
		case x == 'D' || y == 'D':
			kind = Deleted
		case x == 'A' || y == 'A':
			kind = Added
		case x == 'T' || y == 'T':
			kind = TypeChanged
		}
		lines = append(lines, fmt.Sprintf("%q %s %v", path, kind, staged))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
