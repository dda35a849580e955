package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// mutant is one seeded bug and the test that must catch it.
type mutant struct {
	name  string
	where string // file and line of its description
	bug   string // what is wrong, in words
	rule  string // the invariant or fault that it breaks: L5, fault 22
	pkg   string // directory of the package whose test catches it
	run   string // which test, as for go test -run
	edits []edit
}

// edit replaces a text that occurs exactly once in a file.
type edit struct {
	file     string // relative to the module's root, with slashes
	old, new string
}

// readMutants reads every description in dir, in the order of file and line.
func readMutants(dir string) ([]mutant, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		return nil, err
	}
	var all []mutant
	names := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		list, err := parse(filepath.Base(file), string(text))
		if err != nil {
			return nil, err
		}
		for _, m := range list {
			if other := names[m.name]; other != "" {
				return nil, fmt.Errorf("%s: %s is also the name of the one at %s", m.where, m.name, other)
			}
			names[m.name] = m.where
		}
		all = append(all, list...)
	}
	return all, nil
}

// parse reads descriptions. Each begins with "== NAME"; then come the fields
// bug, rule and test; then, once or more, "--- FILE" with the text to replace
// and "+++" with its replacement, each up to the next such line. Lines before
// the first "==" are comments.
func parse(file, text string) ([]mutant, error) {
	var all []mutant
	var into *string // the text that plain lines belong to; nil among the fields
	for n, line := range strings.Split(text, "\n") {
		at := fmt.Sprintf("%s:%d", file, n+1)
		if name, ok := strings.CutPrefix(line, "== "); ok {
			all = append(all, mutant{name: strings.TrimSpace(name), where: at})
			into = nil
			continue
		}
		if len(all) == 0 {
			continue
		}
		m := &all[len(all)-1]
		path, begins := strings.CutPrefix(line, "--- ")
		switch {
		case begins:
			m.edits = append(m.edits, edit{file: strings.TrimSpace(path)})
			into = &m.edits[len(m.edits)-1].old
		case line == "+++" && len(m.edits) > 0:
			into = &m.edits[len(m.edits)-1].new
		case into != nil:
			*into += line + "\n"
		case strings.TrimSpace(line) != "":
			if err := m.field(line); err != nil {
				return nil, fmt.Errorf("%s: %w", at, err)
			}
		}
	}
	for i := range all {
		if err := all[i].complete(); err != nil {
			return nil, fmt.Errorf("%s: %s %w", all[i].where, all[i].name, err)
		}
	}
	return all, nil
}

func (m *mutant) field(line string) error {
	name, value, _ := strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	switch name {
	case "bug":
		m.bug = value
	case "rule":
		m.rule = value
	case "test":
		m.pkg, m.run, _ = strings.Cut(value, " ")
	default:
		return fmt.Errorf("%q is none of bug, rule, test, --- FILE and +++", line)
	}
	return nil
}

func (m *mutant) complete() error {
	if m.bug == "" || m.rule == "" || m.pkg == "" || m.run == "" || len(m.edits) == 0 {
		return fmt.Errorf("lacks one of bug, rule, test (PACKAGE PATTERN) and a text to replace")
	}
	for i := range m.edits {
		e := &m.edits[i]
		e.old, e.new = strings.TrimRight(e.old, "\n"), strings.TrimRight(e.new, "\n")
		if e.old == "" || e.old == e.new {
			return fmt.Errorf("replaces nothing in %s", e.file)
		}
	}
	return nil
}

// apply returns the changed text of each file, or an error when the mutant is
// stale: its text is not there exactly once.
func (m *mutant) apply(root string) (map[string]string, error) {
	out := map[string]string{}
	for _, e := range m.edits {
		path := filepath.Join(root, filepath.FromSlash(e.file))
		text, seen := out[path]
		if !seen {
			b, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			text = string(b)
		}
		if n := strings.Count(text, e.old); n != 1 {
			return nil, fmt.Errorf("its text occurs %d times in %s, not once", n, e.file)
		}
		out[path] = strings.Replace(text, e.old, e.new, 1)
	}
	return out, nil
}
