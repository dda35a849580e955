package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"coord"
)

// printed is what a command that ended like this shows.
type printed struct {
	out, err string
	status   int
}

func finished(asJSON bool, o output, err error) printed {
	var out, errOut bytes.Buffer
	a := &app{std: streams{strings.NewReader(""), &out, &errOut}, json: asJSON}
	status := a.finish(o, err)
	return printed{out.String(), errOut.String(), status}
}

func TestFinish(t *testing.T) {
	made := output{kind: "thing", data: map[string]string{"id": "x"}, text: func(w io.Writer) { fmt.Fprintln(w, "made x") }}
	partly := made
	partly.err = coord.Errorf(coord.CodeCheckFailed, "check test failed").WithNext("coord check test")
	stop := made
	stop.err = coord.Errorf(coord.CodeNothingEligible, "nothing now").WithNext("coord board")
	taken := coord.Errorf(coord.CodeTaskTaken, "pay-1 is held by b").WithNext("coord next", "coord start")
	for name, tt := range map[string]struct {
		json bool
		o    output
		err  error
		want printed
	}{
		"result":         {false, made, nil, printed{"made x\n", "", 0}},
		"result, json":   {true, made, nil, printed{`{"schema":"coord/1","kind":"thing","data":{"id":"x"}}` + "\n", "", 0}},
		"refusal":        {false, made, taken, printed{"", "error: pay-1 is held by b\nnext:  coord next\nnext:  coord start\n", 5}},
		"refusal, json":  {true, output{}, taken, printed{`{"schema":"coord/1","kind":"error","error":{"code":"task_taken","message":"pay-1 is held by b","next":["coord next","coord start"],"retry":"new_key"}}` + "\n", "", 5}},
		"failed":         {false, partly, nil, printed{"made x\n", "error: check test failed\nnext:  coord check test\n", 6}},
		"failed, json":   {true, partly, nil, printed{`{"schema":"coord/1","kind":"thing","data":{"id":"x"}}` + "\n", "", 6}},
		"normal stop":    {false, stop, nil, printed{"made x\n", "nothing now\nnext:  coord board\n", 8}},
		"nothing to say": {true, output{}, nil, printed{"", "", 0}},
		"interrupted":    {false, output{}, fmt.Errorf("x: %w", context.Canceled), printed{"", "error: interrupted: whether the last step took effect is unknown; run the same command again\nnext:  the same command again\n", 7}},
		"defect":         {false, output{}, errors.New("boom"), printed{"", "error: boom\n", 1}},
		"only a person":  {false, output{}, coord.Errorf(coord.CodeNotPermitted, "no").WithActor("operator"), printed{"", "error: no\nneeds: operator\n", 4}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := finished(tt.json, tt.o, tt.err); got != tt.want {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
		})
	}
}

// Text from others cannot move a cursor, whatever the verb printed.
func TestFinishMakesTextVisible(t *testing.T) {
	evil := "a\x1b[2Jb\u202ec\rd"
	o := output{kind: "x", data: evil, text: func(w io.Writer) { fmt.Fprintln(w, evil) }}
	got := finished(false, o, nil)
	if got.out != `a\u001b[2Jb\u202ec\u000dd`+"\n" {
		t.Errorf("got %q", got.out)
	}
	got = finished(false, output{}, coord.Errorf(coord.CodeSetup, "%s\nerror: forged", evil).WithNext("x\ny"))
	if strings.Count(got.err, "\n") != 2 || strings.ContainsAny(got.err, "\x1b\r\u202e") {
		t.Errorf("got %q", got.err)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("pipe closed") }

// A result that could not be printed is not a success.
func TestFinishUnprinted(t *testing.T) {
	a := &app{std: streams{nil, brokenWriter{}, io.Discard}}
	if status := a.finish(output{kind: "x", text: func(w io.Writer) { fmt.Fprintln(w, "x") }}, nil); status != 1 {
		t.Errorf("status %d", status)
	}
}

// What is wrong with a command line is a usage error with a next step.
func TestUsageErrors(t *testing.T) {
	for _, tt := range []struct{ line, message, next string }{
		{"tsak list", `unknown command "tsak" for "coord"; nothing was done`, "coord task list --json"},
		{"task", "coord task needs a verb: accept, cancel, edit, link, list, log, new, show, supersede, unblock; nothing was done", "coord task --help"},
		{"task make", `coord task has no verb "make"; nothing was done`, "coord task --help"},
		{"task new", "coord task new needs a TITLE; nothing was done", "coord task new --help"},
		{"task new a b", "coord task new takes one TITLE, not 2; quote what has spaces; nothing was done", "coord task new --help"},
		{"release", "coord release needs -m TEXT: why; nothing was done", "coord release -m TEXT"},
		{"foo", `unknown command "foo" for "coord"; nothing was done`, "coord --help"},
		{"watch --after x", `--after takes a number, not "x"; nothing was done`, "coord watch --help"},
		{"wait --timeout 1x", `--timeout takes a time such as 30m or 24h, not "1x"; nothing was done`, "coord wait --help"},
		{"start --restart x --blocked y", "--blocked and --restart do not go together; nothing was done", "coord start --help"},
		{"token revoke", "coord token revoke needs an ID; nothing was done", "coord token revoke --help"},
		{"task list --status reddy", `"reddy" is no status; a task is planned, ready, in_progress, waiting_review, waiting_integration, integrating, validating, blocked, recovery_required, done, canceled or superseded`, "coord task list --help"},
		{"revise pay-1", "revise takes exactly one of --conflict, --check-failed, --candidate-missing, --requirements-changed, --withdrawn and --landed; nothing was done", "coord revise --help"},
		{"task new x --urgent", "unknown flag: --urgent; nothing was done", "coord task new --help"},
		{"version now", `coord version takes no argument, not "now"; nothing was done`, "coord version --help"},
	} {
		var out, errOut bytes.Buffer
		args := append(strings.Fields(tt.line), "--json")
		status := run(args, streams{strings.NewReader(""), &out, &errOut}, nil)
		var d document
		if err := json.Unmarshal(out.Bytes(), &d); err != nil || d.Error == nil {
			t.Fatalf("%s: printed %q", tt.line, out.String())
		}
		if status != 2 || d.Error.Message != tt.message || len(d.Error.Next) == 0 || d.Error.Next[0] != tt.next {
			t.Errorf("%s: status %d, %q, next %q", tt.line, status, d.Error.Message, d.Error.Next)
		}
	}
}

// Whatever the titles, a row of a list has at most 100 bytes, and a board of
// 100 tasks at most 4000.
func TestByteBudgets(t *testing.T) {
	var tasks []coord.Task
	for i := range 100 {
		tasks = append(tasks, coord.Task{
			ID: coord.NewTaskID("averylongproject", int64(i+1)), Status: coord.StatusWaitingIntegration, Priority: coord.PriorityUrgent,
			Title: strings.Repeat("é wide title ", 15), Owner: &coord.Owner{Name: strings.Repeat("owner", 15)},
		})
	}
	var b bytes.Buffer
	writeTaskRows(&b, tasks)
	for line := range strings.Lines(b.String()) {
		if len(line) > rowBytes {
			t.Fatalf("%d bytes: %q", len(line), line)
		}
	}
	var columns []coord.BoardColumn
	for _, s := range []coord.Status{coord.StatusReady, coord.StatusInProgress, coord.StatusWaitingReview, coord.StatusDone} {
		columns = append(columns, coord.BoardColumn{Status: s, Count: 25, Tasks: tasks[:25]})
	}
	text := boardText(coord.Board{Columns: columns})
	if len(text) > boardBytes || strings.Count(text, "more: coord task list --status") != 4 {
		t.Errorf("%d bytes:\n%s", len(text), text)
	}
	var skips []coord.Skip
	for range 40 {
		skips = append(skips, coord.Skip{Reason: strings.Repeat("waits ", 30), Count: 7, Example: tasks[0].ID})
	}
	b.Reset()
	writeNext(&b, coord.NextAction{Activity: coord.ActivityImplement, Task: &tasks[0], Command: "coord start", Skipped: skips})
	if b.Len() > nextBytes || !strings.Contains(b.String(), " more: coord board") {
		t.Errorf("%d bytes:\n%s", b.Len(), b.String())
	}
}
