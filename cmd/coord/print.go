package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"coord"
)

// schema names the JSON documents that this version prints.
const schema = "coord/1"

// output is the one value that a command ends with. Human text and JSON come
// from it. With err the result is printed all the same, and the error gives
// the exit status: a check that failed has a record and is no success.
type output struct {
	kind string
	data any
	text func(w io.Writer)
	err  error
}

// items is the data of a list.
type items[T any] struct {
	Items      []T    `json:"items"`
	NextCursor string `json:"next_cursor,omitempty"`
}

// listOf never gives null: an empty list is a list.
func listOf[T any](list []T, cursor string) items[T] {
	if list == nil {
		list = []T{}
	}
	return items[T]{Items: list, NextCursor: cursor}
}

// document is the envelope of everything printed with --json.
type document struct {
	Schema string       `json:"schema"`
	Kind   string       `json:"kind"`
	Data   any          `json:"data,omitempty"`
	Error  *coord.Error `json:"error,omitempty"`
}

// finish prints what a command ended with and returns the exit status.
func (a *app) finish(o output, err error) int {
	if err == nil && o.kind != "" {
		if werr := a.show(o); werr != nil {
			err, o.err = coord.Errorf(coord.CodeInternal, "the result could not be printed: %w", werr), nil
		}
	}
	shown := err == nil && a.json
	if err == nil {
		err = o.err
	}
	if err == nil {
		return 0
	}
	e := asError(err)
	if a.json && !shown {
		_ = a.encode(document{Schema: schema, Kind: "error", Error: e})
	}
	if !a.json {
		a.complain(e)
	}
	return e.Code.ExitStatus()
}

// show prints a result. All human text passes Printable here, whatever the
// verbs did, so that text from others cannot move a cursor.
func (a *app) show(o output) error {
	if a.json {
		return a.encode(document{Schema: schema, Kind: o.kind, Data: o.data})
	}
	if o.text == nil {
		return nil
	}
	var b bytes.Buffer
	o.text(&b)
	_, err := io.WriteString(a.std.out, coord.Printable(b.String()))
	return err
}

func (a *app) encode(d document) error {
	enc := json.NewEncoder(a.std.out)
	enc.SetEscapeHTML(false)
	return enc.Encode(d)
}

// complain prints a refusal for people: the sentence, then what to type.
func (a *app) complain(e *coord.Error) {
	label := a.paint("31", "error:") + " "
	if e.Code == coord.CodeNothingEligible {
		label = "" // a normal stop
	}
	fmt.Fprintf(a.std.err, "%s%s\n", label, coord.OneLine(e.Message))
	if e.RequiredActor != "" {
		fmt.Fprintf(a.std.err, "needs: %s\n", coord.OneLine(e.RequiredActor))
	}
	for _, n := range e.Next {
		fmt.Fprintf(a.std.err, "%s  %s\n", a.paint("1", "next:"), coord.OneLine(n))
	}
}

// say prints one line of chatter on the error stream: progress, never results.
func (a *app) say(format string, args ...any) {
	fmt.Fprintln(a.std.err, coord.OneLine(fmt.Sprintf(format, args...)))
}

// paint colours s on a terminal that wants it (https://no-color.org).
func (a *app) paint(code, s string) string {
	if !a.terminal(a.std.err) || a.env.get("NO_COLOR") != "" || a.env.get("TERM") == "dumb" || a.env.get("TERM") == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// terminal reports whether a stream is a character device.
func (a *app) terminal(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	st, err := f.Stat()
	return err == nil && st.Mode()&os.ModeCharDevice != 0
}

// asError is err as the one error type. An interruption leaves the outcome
// unknown.
func asError(err error) *coord.Error {
	var e *coord.Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return coord.Errorf(coord.CodeUnavailable, "interrupted: whether the last step took effect is unknown; run the same command again").
			WithNext("the same command again")
	}
	return coord.Errorf(coord.CodeInternal, "%w", err)
}
