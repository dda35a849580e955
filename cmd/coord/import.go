package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"coord"
)

// importFiles previews or applies an import of Markdown files. Nothing is
// applied that was not previewed.
type importFiles struct {
	*app
	apply string
	admit bool
	as    string
}

func newImport(a *app) *cobra.Command {
	o := &importFiles{app: a}
	c := a.verb("import [FILE...]", "Preview what Markdown files would change here; apply it with --apply", cobra.ArbitraryArgs, o.run)
	f := c.Flags()
	f.StringVar(&o.apply, "apply", "", "apply the plan of this `DIGEST`, as the preview printed it")
	f.BoolVar(&o.admit, "admit", false, "make plainly open items ready instead of planned")
	f.StringVar(&o.as, "as", "", "read the files as `KIND`: backlog, handoff or record")
	return c
}

func (o *importFiles) run(ctx context.Context, args []string) (output, error) {
	project, err := o.projectKey()
	if err != nil {
		return output{}, err
	}
	files, err := o.sources(args)
	if err != nil {
		return output{}, err
	}
	req := coord.ImportRequest{Project: project, Files: files, Admit: o.admit}
	if err := req.Validate(); err != nil {
		return output{}, err
	}
	svc, err := o.service(ctx)
	if err != nil {
		return output{}, err
	}
	if o.apply != "" {
		return o.applied(ctx, svc, req, args)
	}
	plan, err := svc.PlanImport(ctx, req)
	if err != nil {
		return output{}, err
	}
	return output{kind: "import_plan", data: plan, text: func(w io.Writer) { writePlan(w, plan, o.again(args, planToken(plan))) }}, nil
}

func (o *importFiles) applied(ctx context.Context, svc coord.Service, req coord.ImportRequest, args []string) (output, error) {
	cmd := coord.ApplyImport{Project: req.Project, Files: req.Files, Admit: req.Admit}
	var err error
	if cmd.AsOf, cmd.Digest, err = parsePlanToken(o.apply, o.again(args, "")); err != nil {
		return output{}, err
	}
	r, err := svc.ApplyImport(ctx, cmd)
	if err != nil {
		return output{}, err
	}
	return output{kind: "import", data: r, text: func(w io.Writer) { writeImported(w, r) }}, nil
}

// planToken is what --apply takes: the event that the plan rests on, and its
// digest.
func planToken(p coord.ImportPlan) string {
	return strconv.FormatInt(int64(p.AsOf), 10) + "-" + p.Digest
}

func parsePlanToken(token, preview string) (coord.Seq, string, error) {
	seq, digest, ok := strings.Cut(token, "-")
	var asOf coord.Seq
	if !ok || digest == "" || asOf.UnmarshalText([]byte(seq)) != nil {
		return 0, "", coord.Errorf(coord.CodeBadRequest, "%q is not the digest of a plan as its preview prints it; nothing was applied", coord.OneLine(token)).
			WithNext(preview)
	}
	return asOf, digest, nil
}

// again is the command as it was typed, with --apply when a token is given.
func (o *importFiles) again(args []string, token string) string {
	cmd := "coord import"
	for _, f := range args {
		cmd += " " + shellWord(f)
	}
	if o.as != "" {
		cmd += " --as " + o.as
	}
	if o.admit {
		cmd += " --admit"
	}
	if token != "" {
		cmd += " --apply " + token
	}
	return cmd
}

// sources reads the files that are named, or those of .coord.toml, or the
// documents that lie at the top of the repository under their usual names.
func (o *importFiles) sources(args []string) ([]coord.SourceFile, error) {
	p, err := o.place()
	if err != nil {
		return nil, err
	}
	if p.root == "" {
		return nil, coord.Errorf(coord.CodeSetup, "%s is not in a Git repository; nothing was read", p.dir).WithNext("cd REPOSITORY")
	}
	named, err := o.named(p, args)
	if err != nil {
		return nil, err
	}
	if len(named) == 0 {
		return nil, coord.Errorf(coord.CodeBadRequest, "there is no BACKLOG.md, HANDOFF.md or DURABLE-RECORD.md in %s; nothing was read", p.root).
			WithNext("coord import FILE --as backlog")
	}
	var files []coord.SourceFile
	for _, n := range named {
		f, err := readSource(p.root, n)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// named lists the files with their roles; the paths are absolute.
func (o *importFiles) named(p place, args []string) ([]ImportSource, error) {
	if o.as != "" && !slices.Contains([]coord.SourceRole{coord.AsBacklog, coord.AsHandoff, coord.AsRecord}, coord.SourceRole(o.as)) {
		return nil, coord.Errorf(coord.CodeBadRequest, "--as takes backlog, handoff or record, not %q; nothing was read", o.as).WithNext("coord import --help")
	}
	c, err := o.config()
	if err != nil {
		return nil, err
	}
	var all []ImportSource
	for _, a := range args {
		if !filepath.IsAbs(a) {
			a = filepath.Join(p.dir, a)
		}
		if _, err := os.Stat(a); errors.Is(err, fs.ErrNotExist) {
			return nil, coord.Errorf(coord.CodeNotFound, "there is no %s; nothing was read", a).WithNext("coord import --help")
		}
		role, ok := o.role(c, p, a)
		if !ok {
			return nil, coord.Errorf(coord.CodeBadRequest, "%s does not say what it is; nothing was read", a).
				WithNext("coord import " + shellWord(a) + " --as backlog")
		}
		all = append(all, ImportSource{Path: a, As: role})
	}
	if len(all) > 0 {
		return all, nil
	}
	for _, s := range c.Imports {
		all = append(all, ImportSource{Path: filepath.Join(p.root, filepath.FromSlash(s.Path)), As: s.As})
	}
	if len(all) > 0 {
		return all, nil
	}
	for _, name := range coord.ExportFiles {
		path := filepath.Join(p.root, string(name))
		if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() {
			role, _ := sourceRole(o.as, path)
			all = append(all, ImportSource{Path: path, As: role})
		}
	}
	return all, nil
}

// role is what a file is: as the flag says, as .coord.toml says, or by its
// name.
func (o *importFiles) role(c Config, p place, path string) (coord.SourceRole, bool) {
	for _, s := range c.Imports {
		if o.as == "" && filepath.Join(p.root, filepath.FromSlash(s.Path)) == path {
			return s.As, true
		}
	}
	return sourceRole(o.as, path)
}

// sourceRole is the role that is stated, or that the usual name of a file
// implies.
func sourceRole(stated, path string) (coord.SourceRole, bool) {
	switch role := coord.SourceRole(stated); role {
	case coord.AsBacklog, coord.AsHandoff, coord.AsRecord:
		return role, true
	case "":
	default:
		return "", false
	}
	switch coord.ExportFile(filepath.Base(path)) {
	case coord.ExportBacklog:
		return coord.AsBacklog, true
	case coord.ExportHandoff:
		return coord.AsHandoff, true
	case coord.ExportRecord:
		return coord.AsRecord, true
	}
	return "", false
}

// readSource reads a file of the repository. Its name is its path inside, so
// that every clone knows it by the same one.
func readSource(root string, s ImportSource) (coord.SourceFile, error) {
	inside, err := filepath.Rel(root, s.Path)
	if err != nil || inside == ".." || strings.HasPrefix(inside, ".."+string(filepath.Separator)) {
		return coord.SourceFile{}, coord.Errorf(coord.CodeBadRequest, "%s is not in the repository %s; nothing was read", s.Path, root).WithNext("coord import --help")
	}
	text, err := readRegular(root, inside)
	if err != nil {
		return coord.SourceFile{}, coord.Errorf(coord.CodeNotFound, "%s cannot be read: %w; nothing was imported", s.Path, err).WithNext("coord import --help")
	}
	return coord.SourceFile{Path: filepath.ToSlash(inside), As: s.As, Content: text}, nil
}

// readRegular reads a regular file below root. A link that leads out of root
// is not followed: what it leads to is not the repository's to hand over.
func readRegular(root, inside string) ([]byte, error) {
	top, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer func() { _ = top.Close() }()
	if st, err := top.Stat(inside); err != nil {
		return nil, err
	} else if !st.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	return top.ReadFile(inside)
}
