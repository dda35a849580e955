package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"coord"
)

// source is a file to import.
type source struct {
	path   string // from the top of the repository, with forward slashes
	as     coord.SourceRole
	weight int  // how specific what named it is
	typed  bool // on the command line, by its own name
}

// leftOut is something that was meant to be read and is not part of the import,
// and why.
type leftOut struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// sourceSet is everything that goes into one import.
type sourceSet struct {
	files   []coord.SourceFile
	left    []leftOut
	changed map[string]bool // paths that differ from their revision
	paths   []string        // of the repository, for links
}

// picker chooses sources among the files of a shelf.
type picker struct {
	*importFiles
	shelf  shelf
	place  place
	config Config
	found  map[string]source
	left   []leftOut
}

// pick lists the sources: those that are typed, or those of .coord.toml, or
// the files that have their usual names.
func (p *picker) pick(args []string) ([]source, error) {
	p.found = map[string]source{}
	for _, a := range args {
		if err := p.typed(a); err != nil {
			return nil, err
		}
	}
	if len(args) == 0 {
		for _, s := range p.config.Imports {
			p.configured(s)
		}
	}
	if len(args) == 0 && len(p.config.Imports) == 0 {
		for _, f := range p.shelf.list() {
			if role, ok := p.role(f); ok && !skipped(f, "") {
				p.add(source{path: f, as: role})
			}
		}
	}
	return slices.SortedFunc(maps.Values(p.found), func(a, b source) int { return cmp.Compare(a.path, b.path) }), nil
}

// add takes in a source; the more specific of two that name one file counts.
func (p *picker) add(s source) {
	if old, ok := p.found[s.path]; !ok || s.weight > old.weight {
		p.found[s.path] = s
	}
}

// role is what a file is: as the flag says, as the most specific source of
// .coord.toml says, or by its name.
func (p *picker) role(file string) (coord.SourceRole, bool) {
	if p.as != "" {
		return coord.SourceRole(p.as), true
	}
	best, role := -1, coord.SourceRole("")
	for _, s := range p.config.Imports {
		if s.covers(file) && weight(s.Path) > best && s.As != "" {
			best, role = weight(s.Path), s.As
		}
	}
	if role != "" {
		return role, true
	}
	return usualRole(file)
}

// covers reports that the source of .coord.toml names the file, a directory
// above it, or fits it as a pattern.
func (s ImportSource) covers(file string) bool {
	pattern := path.Clean(s.Path)
	if isGlob(pattern) {
		return matchGlob(pattern, file)
	}
	return pattern == file || pattern == "." || strings.HasPrefix(file, pattern+"/")
}

// configured takes in what an entry of .coord.toml names.
func (p *picker) configured(s ImportSource) {
	n := 0
	for _, f := range p.shelf.list() {
		if !s.covers(f) || skipped(f, s.Path) {
			continue
		}
		role := s.As
		if role == "" {
			role, _ = usualRole(f)
		}
		if role != "" && (isText(f) || path.Clean(s.Path) == f) {
			n++
			p.add(source{path: f, as: role, weight: weight(s.Path)})
		}
	}
	if n == 0 {
		p.leave(s.Path, configName+" names it, and nothing there can be read as "+cmp.Or(string(s.As), "anything known"))
	}
}

// isText reports a file that a pattern or a directory may stand for.
func isText(file string) bool {
	_, tracker := trackerRole(file)
	_, markdown := markdownStem(path.Base(file))
	return markdown || tracker
}

func (p *picker) leave(file, why string) { p.left = append(p.left, leftOut{Path: file, Why: why}) }

// read reads the sources. One that is a link stands for what it leads to, which
// is read once; one that cannot be read is left out, and the others go on.
func (p *picker) read(ctx context.Context, sources []source) (sourceSet, error) {
	set := sourceSet{changed: map[string]bool{}}
	taken := map[string]bool{}
	for _, s := range sources {
		taken[s.path] = true
	}
	size := 0
	for _, s := range sources {
		file, err := p.shelf.real(ctx, s.path)
		if err == nil && file != s.path {
			if taken[file] {
				p.leave(s.path, "it is a link to "+file+", which is read once")
				continue
			}
			p.leave(s.path, "it is a link to "+file+", which is read in its place")
			taken[file] = true
		}
		var text []byte
		if err == nil {
			text, err = p.shelf.read(ctx, file)
		}
		if err != nil && s.typed {
			return set, coord.Errorf(coord.CodeNotFound, "%s cannot be read: %w; nothing was imported", path.Join(filepath.ToSlash(p.place.root), s.path), err).WithNext("coord import --help")
		}
		if err != nil {
			p.leave(s.path, unreadable(err))
			continue
		}
		size += len(text)
		f := coord.SourceFile{Path: file, As: s.as, Content: text, Revision: string(p.shelf.revision())}
		if set.changed[file] = p.shelf.changed(file); set.changed[file] {
			f.At = p.shelf.written(file)
		}
		set.files = append(set.files, f)
	}
	set.left, set.paths = p.left, linkable(p.shelf.list())
	return set, p.bounds(set, size)
}

func unreadable(err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return "it leads nowhere, or is not there"
	}
	return err.Error()
}

// bounds refuses more than one request can carry.
func (p *picker) bounds(set sourceSet, size int) error {
	if len(set.files) <= coord.MaxImportFiles && size <= maxSources {
		return nil
	}
	in := map[string]int{}
	for _, f := range set.files {
		in[path.Dir(f.Path)]++
	}
	var next []string
	for _, dir := range slices.SortedFunc(maps.Keys(in), func(a, b string) int { return cmp.Or(in[b]-in[a], cmp.Compare(a, b)) }) {
		if len(next) < 5 {
			next = append(next, "coord import "+shellWord(dir))
		}
	}
	return coord.Errorf(coord.CodeBadRequest, "these are %d files of %d MiB together, and an import takes at most %d files and %d MiB; nothing was read into the project; import them in parts",
		len(set.files), (size+1<<20-1)>>20, coord.MaxImportFiles, maxSources>>20).WithNext(next...)
}

// linkable are the paths that links are checked against, if they are few
// enough to be sent.
func linkable(files []string) []string {
	size := 0
	for _, f := range files {
		size += len(f)
	}
	if len(files) > coord.MaxImportPaths || size > coord.MaxImportPathBytes {
		return nil
	}
	return files
}

// nothing says that no source was found.
func (p *picker) nothing() error {
	return coord.Errorf(coord.CodeBadRequest, "there is no BACKLOG.md, HANDOFF.md, DURABLE-RECORD.md or other file of a usual name in %s%s; nothing was read", p.place.root, p.inRevision()).
		WithNext("coord import FILE --as backlog", fmt.Sprintf("edit %s", filepath.Join(p.place.root, configName)))
}
