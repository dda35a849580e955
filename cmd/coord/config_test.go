package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"coord"
)

func TestParseConfig(t *testing.T) {
	got, err := ParseConfig("f", []byte(`
server = "https://coord.example.com"
project = "pay"
ref_namespace = "refs/heads/coord"

[worktrees]
dir = "../{repo}.worktrees"

[[check]]
name = "test"
run = "go test ./..."

[[check]]
name = "lint"
run = ["golint", "./..."]
timeout = "90s"

[[import]]
path = "docs/TODO.md"
as = "backlog"

[[import]]
path = "HANDOFF.md"
`))
	if err != nil {
		t.Fatal(err)
	}
	want := Config{
		Server: "https://coord.example.com", Project: "pay", RefNamespace: "refs/heads/coord", WorktreesDir: "../{repo}.worktrees", SaveEvery: 15 * time.Minute,
		Checks: []coord.Check{
			{Name: "test", Shell: "go test ./...", Timeout: coord.Duration(15 * time.Minute)},
			{Name: "lint", Argv: []string{"golint", "./..."}, Timeout: coord.Duration(90 * time.Second)},
		},
		Imports: []ImportSource{{"docs/TODO.md", coord.AsBacklog}, {"HANDOFF.md", coord.AsHandoff}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// Each mistake is refused with the line it is on, and code setup.
func TestParseConfigRefuses(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"server = \n", "f:1: "},
		{"{{{", "f:1: "},
		{"server = \"x\"\nserver = \"y\"\n", "f:2: "},
		{"\nproject = 3\n", "f:2: "},
		{"\nproject = \"Pay!\"\n", `f:2: project key "Pay!"`},
		{"\nref_namespace = \"refs/../x\"\n", `f:2: ref_namespace "refs/../x"`},
		{"ref_namespace = \"-x\"\n", `f:1: ref_namespace "-x"`},
		{"ref_namespace = \"coord\"\n", `f:1: ref_namespace "coord"`},
		{"ref_namespace = \"refs/heads\"\n", `f:1: ref_namespace "refs/heads"`},
		{"ref_namespace = \"refs/heads/coord/\"\n", `f:1: ref_namespace "refs/heads/coord/"`},
		{"\n\nsurprise = 1\n", `f:3: unknown key "surprise"`},
		{"[worktrees]\npath = \"x\"\n", `f:2: unknown key "worktrees.path"`},
		{"[[check]]\nname = \"a\"\nrun = \"x\"\n[[check]]\nname = \"a\"\nrun = \"y\"\n", `f:4: check "a" is defined twice`},
		{"# no\n[[check]]\nname = \"a\"\n", `f:2: check "a" has nothing to run`},
		{"[[check]]\nname = \"a\"\nrun = 5\n", "f:3: run takes a string"},
		{"[[check]]\nname = \"a\"\nrun = [1]\n", "f:3: run takes a string"},
		{"[[check]]\nname = \"a\"\nrun = []\n", `f:1: check "a" has nothing to run`},
		{"[[check]]\nrun = \"x\"\n", "f:1: a check needs a name"},
		{"[[check]]\nname = \"a\"\nrun = \"x\"\ntimeout = \"soon\"\n", `f:4: "soon" is not a duration`},
		{"[[check]]\nname = \"a\"\nrun = \"x\"\ntimeout = \"-1s\"\n", `f:1: check "a" has a negative timeout`},
		{"[[import]]\npath = \"x.md\"\n", "f:1: an import needs"},
		{"[[import]]\npath = \"BACKLOG.md\"\nas = \"novel\"\n", "f:1: an import needs"},
		{"[[import]]\nas = \"backlog\"\n", "f:1: an import needs the path"},
		{"[[import]]\npath = \"../BACKLOG.md\"\n", "f:1: an import needs the path of a file or directory in the repository"},
		{"[[import]]\npath = \"docs/[a.md\"\nas = \"backlog\"\n", `f:1: "docs/[a.md" is no pattern`},
	} {
		_, err := ParseConfig("f", []byte(tt.text))
		if coord.CodeOf(err) != coord.CodeSetup || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%q: got %v, want %s...", tt.text, err, tt.want)
		}
	}
}

// The nearest file counts, and none above the root is looked at.
func TestLoadConfig(t *testing.T) {
	top := t.TempDir()
	root, deep := filepath.Join(top, "r"), filepath.Join(top, "r", "a", "b")
	if err := os.MkdirAll(deep, 0o777); err != nil {
		t.Fatal(err)
	}
	put := func(dir, project string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, configName), []byte("project = \""+project+"\"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want := func(project string) {
		t.Helper()
		c, err := loadConfig(deep, root)
		if err != nil || string(c.Project) != project {
			t.Errorf("got %q, %v; want %q", c.Project, err, project)
		}
	}
	put(top, "above")
	want("")
	put(root, "root")
	want("root")
	put(deep, "deep")
	want("deep")
}

func TestCompleteConfig(t *testing.T) {
	path := filepath.Join(t.TempDir(), configName)
	write := func(want bool) {
		t.Helper()
		c, err := loadConfig(filepath.Dir(path), filepath.Dir(path))
		if err != nil {
			t.Fatal(err)
		}
		wrote, err := completeConfig(path, c, "http://127.0.0.1:1", "pay")
		if err != nil || wrote != want {
			t.Errorf("wrote %t, %v; want %t", wrote, err, want)
		}
	}
	read := func() string {
		t.Helper()
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	write(true)
	first := read()
	write(false)
	if read() != first {
		t.Error("the second time changed the file")
	}
	const own = "# mine\nproject = \"other\"\n\n[[check]]\nname = \"a\"\nrun = \"true\"\n"
	if err := os.WriteFile(path, []byte(own), 0o666); err != nil {
		t.Fatal(err)
	}
	write(true)
	if got, want := read(), "server = \"http://127.0.0.1:1\"\n"+own; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestKeyFrom(t *testing.T) {
	for name, want := range map[string]coord.ProjectKey{
		"pay": "pay", "Pay-Service": "payservice", "2fast": "fast", "été": "t", "123": "", "": "",
		"a-very-long-directory-name": "averylongdirecto",
	} {
		got := keyFrom(name)
		if got != want || got != "" && got.Validate() != nil {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}
