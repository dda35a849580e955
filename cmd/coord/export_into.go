package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"coord"
	"coord/files"
	"coord/markdown"
)

// handFile is a hand-written file that is brought up to date. Path is its name
// in the repository, as an import knows it; Target is the file that it leads to.
type handFile struct {
	path, target string
	mode         fs.FileMode
	source       coord.SourceFile
}

// broughtInto is what export --into answers.
type broughtInto struct {
	markdown.Update
	Written bool `json:"written"`
}

// bring shows what would change in the file, and writes it if that was asked.
func (o *exportFiles) bring(ctx context.Context) (output, error) {
	if !slices.Contains(markdown.AllMarkers, markdown.Markers(o.markers)) {
		return output{}, coord.Errorf(coord.CodeBadRequest, "--markers takes touched, all or none, not %q; nothing was written", o.markers).WithNext("coord export --help")
	}
	project, err := o.projectKey()
	if err != nil {
		return output{}, err
	}
	f, err := o.handFile()
	if err != nil {
		return output{}, err
	}
	svc, err := o.service(ctx)
	if err != nil {
		return output{}, err
	}
	plan, err := svc.PlanImport(ctx, coord.ImportRequest{Project: project, Files: []coord.SourceFile{f.source}})
	if err != nil {
		return output{}, err
	}
	data, err := svc.ExportData(ctx, project)
	if err != nil {
		return output{}, err
	}
	u, err := markdown.Into(f.source, plan, data, markdown.Markers(o.markers))
	if err != nil {
		return output{}, err
	}
	out := broughtInto{Update: u}
	if o.save && u.Diff != "" {
		if err := f.replace(u.Text); err != nil {
			return output{}, err
		}
		out.Written = true
	}
	return output{kind: "export_into", data: out, text: func(w io.Writer) { writeInto(w, out, o.again()) }}, nil
}

// again is the command as it was typed, with --write.
func (o *exportFiles) again() string {
	cmd := "coord export --into " + shellWord(o.into)
	if o.as != "" {
		cmd += " --as " + o.as
	}
	if o.markers != string(markdown.MarkersTouched) {
		cmd += " --markers " + o.markers
	}
	return cmd + " --write"
}

func writeInto(w io.Writer, u broughtInto, again string) {
	fmt.Fprint(w, coord.Printable(u.Diff))
	for _, l := range u.Left {
		at := coord.OneLine(u.Path)
		if l.Line > 0 {
			at = fmt.Sprintf("%s:%d", at, l.Line)
		}
		if l.Task != "" {
			at += "  " + string(l.Task)
		}
		field(w, "left", "%s  %s", at, clip(l.Why, 300))
		if l.Paste != "" {
			field(w, "", "paste  %s", clip(l.Paste, 400))
		}
	}
	switch {
	case u.Diff == "":
		field(w, "unchanged", "%s: it says what is recorded here", coord.OneLine(u.Path))
	case u.Written:
		field(w, "written", "%s  %s, %s in its region", coord.OneLine(u.Path), plural(len(u.Lines), "line"), plural(len(u.Open), "task"))
	default:
		field(w, "next", "%s", again)
	}
}

// handFile reads the file that --into names.
func (o *exportFiles) handFile() (handFile, error) {
	p, err := o.place()
	if err != nil {
		return handFile{}, err
	}
	if p.root == "" {
		return handFile{}, coord.Errorf(coord.CodeSetup, "%s is not in a Git repository; nothing was written", p.dir).WithNext("cd REPOSITORY")
	}
	path := o.into
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.dir, path)
	}
	role, err := o.roleOf(p, path)
	if err != nil {
		return handFile{}, err
	}
	f, err := openHand(p.root, path)
	f.source.As = role
	return f, err
}

// roleOf is what the file is: as the flag says, as .coord.toml says, or by its
// name.
func (o *exportFiles) roleOf(p place, path string) (coord.SourceRole, error) {
	c, err := o.config()
	if err != nil {
		return "", err
	}
	inside, err := filepath.Rel(p.root, path)
	if err != nil {
		inside = filepath.Base(path) // openHand refuses it
	}
	inside = filepath.ToSlash(inside)
	role, ok := usualRole(inside)
	for _, s := range c.Imports {
		if s.As != "" && matchGlob(s.Path, inside) {
			role, ok = s.As, true
		}
	}
	if o.as != "" {
		role, ok = coord.SourceRole(o.as), true
	}
	if !ok || role != coord.AsBacklog && role != coord.AsHandoff {
		return "", coord.Errorf(coord.CodeBadRequest, "%s does not say that it is a backlog or a handoff; nothing was written", path).
			WithNext("coord export --into " + shellWord(o.into) + " --as backlog")
	}
	return role, nil
}

// openHand reads a regular file below root. A link is followed to what it leads
// to, but not out of root.
func openHand(root, path string) (handFile, error) {
	refuse := func(code coord.Code, why string, err error) (handFile, error) {
		return handFile{}, coord.Errorf(code, "%s "+why+"; nothing was written", append([]any{path}, errorArgs(err)...)...).WithNext("coord export --help")
	}
	inside, err := filepath.Rel(root, path)
	if err != nil || inside == ".." || strings.HasPrefix(inside, ".."+string(filepath.Separator)) {
		return refuse(coord.CodeBadRequest, "is not in the repository", nil)
	}
	top, err := os.OpenRoot(root)
	if err != nil {
		return refuse(coord.CodeSetup, "cannot be read: %w", err)
	}
	defer func() { _ = top.Close() }()
	st, err := top.Stat(inside)
	if errors.Is(err, fs.ErrNotExist) {
		return refuse(coord.CodeNotFound, "is not there", nil)
	}
	if err == nil && !st.Mode().IsRegular() {
		return refuse(coord.CodeBadRequest, "is not a regular file", nil)
	}
	var text []byte
	if err == nil {
		text, err = top.ReadFile(inside)
	}
	target := ""
	if err == nil {
		target, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return refuse(coord.CodeSetup, "cannot be read: %w", err)
	}
	f := handFile{path: path, target: target, mode: st.Mode().Perm()}
	f.source = coord.SourceFile{Path: filepath.ToSlash(inside), Content: text}
	return f, nil
}

func errorArgs(err error) []any {
	if err == nil {
		return nil
	}
	return []any{err}
}

// replace writes the file by rename, unless it is not any more what was read.
func (f handFile) replace(text []byte) error {
	is, err := os.ReadFile(f.target)
	if err == nil && !bytes.Equal(is, f.source.Content) {
		return coord.Errorf(coord.CodeStateConflict, "%s was changed by somebody else just now; it is as they left it", f.path).WithNext("coord export --into " + shellWord(f.path))
	}
	if err == nil {
		err = files.Replace(f.target, text, f.mode)
	}
	if err != nil {
		return coord.Errorf(coord.CodeSetup, "%s cannot be written: %w; it is as it was", f.path, err).WithNext("coord export --into " + shellWord(f.path))
	}
	return nil
}
