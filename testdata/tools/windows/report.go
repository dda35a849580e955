package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// event is a line of go test -json, see "go doc test2json".
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64
}

// counted is what became of the tests of one run. Of TestScript each script
// counts, of the others each whole test.
type counted struct {
	name                    string
	passed, failed, skipped int
	why                     []string // each test that was skipped, with its reason
}

// read prints what fails as it fails, and counts.
func (c *counted) read(from io.Reader) error {
	said := map[string]*strings.Builder{}
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			fmt.Fprintln(os.Stderr, lines.Text()) // of go itself
			continue
		}
		key := e.Package + " " + e.Test
		if said[key] == nil {
			said[key] = &strings.Builder{}
		}
		switch e.Action {
		case "output", "build-output":
			said[key].WriteString(e.Output)
		case "build-fail":
			c.failed++
			fmt.Fprint(os.Stderr, said[key])
		case "pass", "fail", "skip":
			c.count(e, said[key].String())
			delete(said, key)
			if e.Test == "" && e.Action == "fail" {
				unfinished(e.Package, said)
			}
		}
	}
	return lines.Err()
}

// unfinished prints what the tests said that were running when their package
// came to its end.
func unfinished(pkg string, said map[string]*strings.Builder) {
	for key, text := range said {
		if strings.HasPrefix(key, pkg+" ") {
			fmt.Printf("--- unfinished: %s\n%s", key, text)
		}
	}
}

func (c *counted) count(e event, said string) {
	script, isScript := strings.CutPrefix(e.Test, "TestScript/")
	if e.Action == "fail" && (e.Test != "" || !strings.Contains(said, "\nFAIL\n")) {
		fmt.Printf("--- %s %s\n%s", e.Package, e.Test, said)
	}
	if e.Test == "" || e.Test == "TestScript" || strings.Contains(e.Test, "/") && !isScript {
		if e.Test == "" {
			fmt.Printf("%-5s %s  %.1f s\n", e.Action, e.Package, e.Elapsed)
			if e.Action == "fail" && c.failed == 0 {
				c.failed++ // the package, for something that is no test's
			}
		}
		return
	}
	switch e.Action {
	case "pass":
		c.passed++
		if isScript {
			fmt.Printf("pass  %s  %.1f s\n", script, e.Elapsed)
		}
	case "fail":
		c.failed++
	case "skip":
		c.skipped++
		name := e.Test
		if isScript {
			name = script
		}
		c.why = append(c.why, fmt.Sprintf("%s %s: %s", e.Package, name, reason(said)))
	}
}

// reason is what a test said when it was skipped.
func reason(said string) string {
	last := ""
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "===") || strings.HasPrefix(line, "---") {
			continue
		}
		last = line
	}
	return last
}

type tally []*counted

// sum prints the end of the report; its error says that something failed.
func (all tally) sum() error {
	failed := 0
	for _, c := range all {
		for _, w := range c.why {
			fmt.Println("skipped", w)
		}
		failed += c.failed
	}
	for _, c := range all {
		fmt.Printf("%s under Wine: %d passed, %d skipped, %d failed\n", c.name, c.passed, c.skipped, c.failed)
	}
	if failed > 0 {
		return errors.New("not everything passed under Wine")
	}
	return nil
}
