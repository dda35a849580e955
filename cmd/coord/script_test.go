package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// binary is the program under test, built once as a user would build it unless
// it was built before.
var (
	binary string
	built  = flag.String("coord", "", "the program under test, built before, as a `path`")
)

func TestMain(m *testing.M) {
	if isAct(os.Args[0]) {
		os.Exit(act(os.Args[1:]))
	}
	flag.Parse()
	os.Exit(testMain(m))
}

func testMain(m *testing.M) int {
	dir, err := os.MkdirTemp("", "coord-script-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if err := giveAct(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	actDir = dir
	if binary = *built; binary != "" {
		return m.Run()
	}
	binary = filepath.Join(dir, "coord")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	build := exec.Command("go", "build", "-ldflags", "-s -w", "-o", binary, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as make build
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// TestScript runs the stories of testdata/script on the real binary. Each has
// a home, configuration and state directory of its own, and its server is
// stopped at the end.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:   filepath.Join("..", "..", "testdata", "script"),
		Setup: setUpScript,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"coord":    scriptCoord,
			"remote":   scriptRemote,
			"status":   scriptStatus,
			"shows":    scriptShows,
			"applied":  scriptApplied,
			"typed":    scriptTyped,
			"token":    scriptToken,
			"secret":   scriptSecret,
			"password": scriptPassword,
			"until":    scriptUntil,
			"inline":   scriptInLine,
			"lossy":    scriptLossy,
			"known":    scriptKnown,
			"hook":     scriptHook,
			"running":  scriptRunning,
			"lose":     scriptLose,
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

// How long the leases are that a script lets run out: time enough for what is
// done before, with $LONGER for several commands. A process takes longer to
// start on Windows.
var lease, longer = "1s", "3s"

func init() {
	if runtime.GOOS == "windows" {
		lease, longer = "20s", "40s"
	}
}

func setUpScript(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, "home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return err
	}
	identity := "[user]\n\tname = coord\n\temail = coord@localhost\n[init]\n\tdefaultBranch = main\n[protocol \"file\"]\n\tallow = always\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(identity), 0o600); err != nil {
		return err
	}
	env.Vars = append(env.Vars,
		"HOME="+home, "USERPROFILE="+home, "GIT_CONFIG_NOSYSTEM=1",
		"XDG_STATE_HOME="+filepath.Join(home, "state"), "LocalAppData="+filepath.Join(home, "state"),
		"COORD_CONFIG_DIR="+filepath.Join(home, "config"), "COORD_SESSION=a", "NO_COLOR=1",
		"LEASE="+lease, "LONGER="+longer,
		"PATH="+strings.Join([]string{filepath.Dir(binary), actDir, os.Getenv("PATH")}, string(filepath.ListSeparator)),
	)
	if err := ownPort(localServer{filepath.Join(home, "state", "coord")}); err != nil {
		return err
	}
	vars := env.Vars
	env.Defer(func() {
		down := exec.Command(binary, "down")
		down.Env = vars
		_ = down.Run() // a script without a server has none to stop
	})
	return nil
}

// ownPort has the script's server listen where none of the others, which run
// at the same time, would: on the port that it "listened on before".
func ownPort(l localServer) error {
	addr, ok := freeAddress("127.0.0.1:0")
	if !ok {
		return errors.New("no port is free")
	}
	if err := os.MkdirAll(l.dir, 0o700); err != nil {
		return err
	}
	return l.write(serverNote{Listen: addr})
}

// exit is where a script keeps how its last coord command ended.
const exit = "COORD_EXIT"

// scriptCoord runs coord and remembers its exit status for status; it fails
// only when the program cannot be run. With !, it must refuse; without, it
// must not.
func scriptCoord(ts *testscript.TestScript, neg bool, args []string) {
	err := ts.Exec("coord", args...)
	code := 0
	if exited, ok := err.(*exec.ExitError); ok {
		code = exited.ExitCode()
	} else if err != nil {
		ts.Fatalf("coord %s: %v", strings.Join(args, " "), err)
	}
	ts.Setenv(exit, fmt.Sprint(code))
	if (code != 0) != neg {
		ts.Fatalf("coord %s: exit status %d", strings.Join(args, " "), code)
	}
}

// scriptStatus compares the exit status of the last coord command.
func scriptStatus(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 1 || ts.Getenv(exit) != args[0] {
		ts.Fatalf("exit status %s, not %v", ts.Getenv(exit), args)
	}
}

// scriptRemote makes a bare repository NAME.git and a clone NAME with one
// pushed commit on main.
func scriptRemote(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: remote NAME")
	}
	name := args[0]
	for _, line := range [][]string{
		{"init", "-q", "--bare", name + ".git"},
		{"clone", "-q", name + ".git", name},
		{"-C", name, "commit", "-q", "--allow-empty", "-m", "Begin"},
		{"-C", name, "push", "-q", "-u", "origin", "main"},
	} {
		ts.Check(ts.Exec("git", line...))
	}
}

// varying is what differs from run to run in what coord prints, by the word
// that a script has in its place.
var varying = []struct{ find, word string }{
	{`127\.0\.0\.1:[0-9]+`, "ADDRESS"},
	{`password [0-9A-Za-z]{20}`, "password PASSWORD"},
	{`"password":"[0-9A-Za-z]{20}"`, `"password":"PASSWORD"`},
	{`coord_(agt|set|opr)_[0-9A-Za-z]{38}`, "TOKEN"},
	{`(coord_(agt|set|opr)_…)[0-9A-Za-z]{4}`, "${1}TAIL"},
	{`process [0-9]+`, "process PID"},
	{`lease [0-9]+ s\b`, "lease SECONDS"},
	{`\b[0-9a-f]{7}\b`, "OID"},
	{`[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?( UTC|Z)`, "TIME"},
	{`[0-9]{2}:[0-9]{2}:[0-9]{2} UTC`, "TIME"},
}

// scriptShows compares a stream of the last command with a file exactly,
// after what varies was given a name: the script's directory is $WORK.
func scriptShows(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 || neg {
		ts.Fatalf("usage: shows stdout|stderr FILE")
	}
	got := namedWork(ts.ReadFile(args[0]), ts.Getenv("WORK"))
	for _, v := range varying {
		got = regexp.MustCompile(v.find).ReplaceAllString(got, v.word)
	}
	if want := ts.ReadFile(args[1]); got != want {
		ts.Fatalf("%s is not as in %s:\n--- got\n%s--- want\n%s", args[0], args[1], got, want)
	}
}

// namedWork writes $WORK for the script's directory, and paths below it with
// slashes and without quotes, however the system and its file URLs write them.
func namedWork(text, work string) string {
	if filepath.Separator == '/' {
		return strings.ReplaceAll(text, work, "$WORK")
	}
	inJSON := strings.ReplaceAll(work, `\`, `\\`)
	text = strings.NewReplacer("/"+filepath.ToSlash(work), "$WORK", filepath.ToSlash(work), "$WORK", inJSON, "$WORK", work, "$WORK").Replace(text)
	text = regexp.MustCompile(`"(\$WORK[^\s"]*)"`).ReplaceAllString(text, "${1}")
	return regexp.MustCompile(`\$WORK[\w.\\-]+`).ReplaceAllStringFunc(text, func(path string) string {
		return strings.ReplaceAll(strings.ReplaceAll(path, `\\`, "/"), `\`, "/")
	})
}

// scriptApplied runs the command that a preview printed: the last one, or the
// one that was kept in a file.
func scriptApplied(ts *testscript.TestScript, neg bool, args []string) {
	preview := "stdout"
	if len(args) > 0 {
		preview = args[0]
	}
	_, line, ok := strings.Cut(ts.ReadFile(preview), "\nnext      coord ")
	if !ok {
		ts.Fatalf("the preview names no command")
	}
	line, _, _ = strings.Cut(line, "\n")
	scriptCoord(ts, neg, strings.Fields(line))
}

// scriptToken puts a token of this machine, agent or setup, into $AGENT or
// $SETUP, and its server into $SERVER.
func scriptToken(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile(filepath.Join(ts.Getenv("COORD_CONFIG_DIR"), "credentials.json"))
	var f struct {
		Origins map[string]map[string]string `json:"origins"`
	}
	ts.Check(json.Unmarshal([]byte(text), &f))
	for server, tokens := range f.Origins {
		ts.Setenv("SERVER", server)
		ts.Setenv(strings.ToUpper(args[0]), tokens[args[0]])
	}
}

// scriptUntil asks the server until a task has a status, which only its clock
// can bring about.
func scriptUntil(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: until STATUS TASK")
	}
	for range 1000 {
		ts.Check(ts.Exec("coord", "task", "show", args[1], "--json"))
		if strings.Contains(ts.ReadFile("stdout"), `"status":"`+args[0]+`"`) {
			return
		}
	}
	ts.Fatalf("%s did not become %s", args[1], args[0])
}
