package main

import (
	"bytes"
	"io"
	"regexp"
	"strings"
)

// drives translates between the paths of Wine's drives and those of Linux.
type drives struct{ c string } // the directory that is C:

// drivePath finds the beginning of a path on a drive, alone, as a value or as
// a file URL.
var drivePath = regexp.MustCompile(`(?i)(^|[=\s"':;]|file://)/?([cz]):[\\/]`)

// unix translates what Windows passed. A text that names a path on a drive is
// taken for nothing but paths, so its backslashes are separators.
func (d drives) unix(s string) string {
	if !drivePath.MatchString(s) {
		return s
	}
	s = strings.ReplaceAll(s, `\`, "/")
	return drivePath.ReplaceAllStringFunc(s, func(found string) string {
		m := drivePath.FindStringSubmatch(found)
		if strings.EqualFold(m[2], "c") {
			return m[1] + d.c + "/"
		}
		return m[1] + "/"
	})
}

// unixList translates a list such as that of GIT_CEILING_DIRECTORIES.
func (d drives) unixList(s string) string {
	list := strings.Split(s, ";")
	for i, p := range list {
		list[i] = d.unix(p)
	}
	return strings.Join(list, ":")
}

// windows translates what the real git says, as Git for Windows would say it.
// Only C: is known in it: what the tests work on is there, under a name that
// occurs in nothing else.
func (d drives) windows(b []byte) []byte {
	b = bytes.ReplaceAll(b, []byte("file://"+d.c), []byte("file:///C:"))
	return bytes.ReplaceAll(b, []byte(d.c), []byte("C:"))
}

// translating is a writer of what git says. It keeps back what may turn out to
// be the beginning of a path.
type translating struct {
	d    drives
	to   io.Writer
	rest []byte
}

func (t *translating) Write(b []byte) (int, error) {
	t.rest = append(t.rest, b...)
	keep := t.begun()
	ready := t.d.windows(t.rest[:len(t.rest)-keep])
	t.rest = append([]byte{}, t.rest[len(t.rest)-keep:]...)
	_, err := t.to.Write(ready)
	return len(b), err
}

func (t *translating) begun() int {
	name := "file://" + t.d.c
	longest := 0
	for _, name := range []string{name, t.d.c} {
		for n := min(len(name)-1, len(t.rest)); n > longest; n-- {
			if bytes.HasSuffix(t.rest, []byte(name[:n])) {
				longest = n
			}
		}
	}
	return longest
}

// flush gives out what was kept back.
func (t *translating) flush() error {
	_, err := t.to.Write(t.d.windows(t.rest))
	t.rest = nil
	return err
}
