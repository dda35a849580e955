package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"coord"
)

// typed takes in an argument: a file, a directory, or a pattern.
func (p *picker) typed(arg string) error {
	at := arg
	if !filepath.IsAbs(at) {
		at = filepath.Join(p.place.dir, at)
	}
	inside, err := filepath.Rel(p.place.root, at)
	if err != nil || inside == ".." || strings.HasPrefix(inside, ".."+string(filepath.Separator)) {
		return coord.Errorf(coord.CodeBadRequest, "%s is not in the repository %s; nothing was read", at, p.place.root).WithNext("coord import --help")
	}
	file := filepath.ToSlash(inside)
	st, missing := os.Stat(at)
	switch {
	case slices.Contains(p.shelf.list(), file):
		return p.typedFile(file, at)
	case isGlob(arg) && (p.rev != "" || missing != nil):
		return p.typedMany(file, func(f string) bool { return matchGlob(file, f) })
	case p.rev == "" && missing == nil && !st.IsDir():
		return p.typedFile(file, at)
	}
	dir := strings.TrimPrefix(file+"/", "./")
	if p.rev == "" && missing != nil || p.rev != "" && !slices.ContainsFunc(p.shelf.list(), func(f string) bool { return strings.HasPrefix(f, dir) }) {
		return coord.Errorf(coord.CodeNotFound, "there is no %s%s; nothing was read", at, p.inRevision()).WithNext("coord import --help")
	}
	return p.typedMany(file, func(f string) bool { return strings.HasPrefix(f, dir) })
}

func (p *picker) inRevision() string {
	if p.rev == "" {
		return ""
	}
	return " in " + coord.OneLine(p.rev)
}

func (p *picker) typedFile(file, at string) error {
	role, ok := p.role(file)
	if !ok {
		return coord.Errorf(coord.CodeBadRequest, "%s does not say what it is; nothing was read", at).
			WithNext("coord import " + shellWord(at) + " --as backlog")
	}
	p.add(source{path: file, as: role, weight: weight(file) + 1, typed: true})
	return nil
}

// typedMany takes in what a directory or a pattern stands for. Where nothing of
// it is listed, as in a directory that Git ignores, the disk is looked at.
func (p *picker) typedMany(pattern string, fits func(string) bool) error {
	if badGlob(pattern) {
		return coord.Errorf(coord.CodeBadRequest, "%q is no pattern: a [ is not closed; nothing was read", pattern).WithNext("coord import --help")
	}
	all := p.shelf.list()
	if p.rev == "" && !slices.ContainsFunc(all, fits) {
		all = p.onDisk(pattern)
	}
	named, other := 0, 0
	for _, f := range all {
		if !fits(f) || skipped(f, pattern) || !isText(f) {
			continue
		}
		role, ok := p.role(f)
		if !ok {
			other++
			continue
		}
		named++
		p.add(source{path: f, as: role, weight: weight(pattern)})
	}
	switch {
	case named == 0 && other > 0:
		return coord.Errorf(coord.CodeBadRequest, "the %s in %s do not say what they are; nothing was read", plural(other, "Markdown file"), pattern).
			WithNext("coord import " + shellWord(pattern) + " --as backlog")
	case named == 0:
		return coord.Errorf(coord.CodeNotFound, "there is no Markdown file in %s%s; nothing was read", pattern, p.inRevision()).WithNext("coord import --help")
	case other > 0:
		p.leave(pattern, plural(other, "file")+" there do not say what they are; name them with --as")
	}
	return nil
}

// onDisk lists the files below a directory, or below the part of a pattern
// without signs; at most 10,000.
func (p *picker) onDisk(pattern string) []string {
	for isGlob(pattern) {
		pattern = path.Dir(pattern)
	}
	var all []string
	top := filepath.Join(p.place.root, filepath.FromSlash(pattern))
	_ = filepath.WalkDir(top, func(at string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || len(all) == 10_000:
			return fs.SkipAll
		case d.IsDir() && at != top && (slices.Contains(skippedDirs, d.Name()) || gitDirOf(at) != ""):
			return fs.SkipDir
		case !d.IsDir():
			if inside, err := filepath.Rel(p.place.root, at); err == nil {
				all = append(all, filepath.ToSlash(inside))
			}
		}
		return nil
	})
	return all
}
