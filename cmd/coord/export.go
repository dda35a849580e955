package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"coord"
	"coord/files"
	"coord/markdown"
)

// exportFiles writes the project's documents. It replaces a file only when
// what it holds is an export that nobody touched since, or is committed.
type exportFiles struct {
	*app
	out  string
	into string // a hand-written file to bring up to date instead
	as   string
	save bool

	markers string
}

func newExport(a *app) *cobra.Command {
	o := &exportFiles{app: a}
	c := a.verb("export", "Write BACKLOG.md, HANDOFF.md and DURABLE-RECORD.md, or bring a file of yours up to date", cobra.NoArgs, o.run)
	f := c.Flags()
	f.StringVar(&o.out, "out", "", "write them into `DIR` (default the top of the repository)")
	f.StringVar(&o.into, "into", "", "bring `FILE` up to date instead: what is closed here is ticked there; shows the changes first")
	f.BoolVar(&o.save, "write", false, "write what --into shows")
	f.StringVar(&o.markers, "markers", string(markdown.MarkersTouched), "where --into leaves markers: `WHERE` is touched, all or none")
	f.StringVar(&o.as, "as", "", "read the file of --into as `KIND`: backlog or handoff")
	c.MarkFlagsMutuallyExclusive("out", "into")
	return c
}

// exported is one document that export wrote, or left as it was.
type exported struct {
	Path    string `json:"path"`
	Bytes   int    `json:"bytes"`
	Changed bool   `json:"changed"`

	text []byte
}

func (o *exportFiles) run(ctx context.Context, _ []string) (output, error) {
	if o.into != "" {
		return o.bring(ctx)
	}
	project, err := o.projectKey()
	if err != nil {
		return output{}, err
	}
	dir, err := o.target()
	if err != nil {
		return output{}, err
	}
	svc, err := o.service(ctx)
	if err != nil {
		return output{}, err
	}
	data, err := svc.ExportData(ctx, project)
	if err != nil {
		return output{}, err
	}
	docs, err := o.prepare(ctx, dir, data)
	if err != nil {
		return output{}, err
	}
	if err := o.write(dir, docs); err != nil {
		return output{}, err
	}
	return output{kind: "export", data: listOf(docs, ""), text: func(w io.Writer) {
		for _, d := range docs {
			state := "unchanged"
			if d.Changed {
				state = "written"
			}
			fmt.Fprintf(w, "%-10s%s  %d bytes\n", state, d.Path, d.Bytes)
		}
	}}, nil
}

// target is the directory to write to.
func (o *exportFiles) target() (string, error) {
	p, err := o.place()
	if err != nil {
		return "", err
	}
	switch {
	case filepath.IsAbs(o.out):
		return filepath.Clean(o.out), nil
	case o.out != "":
		return filepath.Join(p.dir, o.out), nil
	case p.root == "":
		return "", coord.Errorf(coord.CodeSetup, "%s is not in a Git repository; nothing was written", p.dir).WithNext("coord export --out DIR")
	}
	return p.root, nil
}

// prepare makes the documents and checks that each may be written, before any
// is.
func (o *exportFiles) prepare(ctx context.Context, dir string, data coord.ExportData) ([]exported, error) {
	known, err := o.earlier()
	if err != nil {
		return nil, err
	}
	var docs []exported
	for _, which := range coord.ExportFiles {
		text, err := o.document(data, which)
		if err != nil {
			return nil, err
		}
		d := exported{Path: filepath.Join(dir, string(which)), text: text, Bytes: len(text)}
		old, err := os.ReadFile(d.Path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			d.Changed = true
		case err != nil:
			return nil, coord.Errorf(coord.CodeSetup, "%s cannot be read: %w; nothing was written", d.Path, err).WithNext("coord export --out DIR")
		case bytes.Equal(old, d.text):
		case !o.replaceable(ctx, d.Path, old, known):
			return nil, coord.Errorf(coord.CodeStateConflict, "%s is not an earlier export, or was changed since and is not committed; nothing was written", d.Path).
				WithNext("coord import "+shellWord(d.Path), "coord export --out DIR")
		default:
			d.Changed = true
		}
		docs = append(docs, d)
	}
	return docs, nil
}

// document is one document, by the repository's own template if it has one.
func (o *exportFiles) document(data coord.ExportData, which coord.ExportFile) ([]byte, error) {
	c, err := o.config()
	if err != nil || c.Templates == "" {
		return markdown.Export(data, which), err
	}
	name := filepath.Join(filepath.FromSlash(c.Templates), string(which)+".tmpl")
	text, err := readBeside(filepath.Dir(c.Path), name)
	if errors.Is(err, fs.ErrNotExist) {
		return markdown.Export(data, which), nil
	}
	if err != nil {
		return nil, coord.Errorf(coord.CodeSetup, "the template %s cannot be read: %w; nothing was written", name, err).WithNext("coord export --help")
	}
	out, err := markdown.Render(data, which, string(text))
	var refused *coord.Error
	if errors.As(err, &refused) {
		err = refused.WithNext("coord export")
	}
	return out, err
}

// readBeside reads a file below dir; a link that leads out is not followed.
func readBeside(dir, name string) ([]byte, error) {
	top, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = top.Close() }()
	return top.ReadFile(name)
}

// replaceable reports whether old is an export whose content is not lost by
// writing over it: as this machine wrote it, or as HEAD has it.
func (o *exportFiles) replaceable(ctx context.Context, path string, old []byte, known map[string]string) bool {
	if !bytes.HasPrefix(old, []byte("---\ncoord: ")) {
		return false
	}
	if known[path] == digest(old) {
		return true
	}
	repo, err := o.gitOps().Open(ctx, filepath.Dir(path))
	if err != nil {
		return false
	}
	inside, err := filepath.Rel(repo.Info().Root, path)
	if err != nil {
		return false
	}
	head, err := repo.Head(ctx)
	if err != nil || head.Unborn {
		return false
	}
	committed, err := repo.ReadFile(ctx, head.Commit, filepath.ToSlash(inside))
	return err == nil && bytes.Equal(committed, old)
}

// write replaces each changed document by rename, and remembers what it
// wrote.
func (o *exportFiles) write(dir string, docs []exported) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return coord.Errorf(coord.CodeSetup, "%s cannot be made: %w; nothing was written", dir, err).WithNext("coord export --out DIR")
	}
	for _, d := range docs {
		if !d.Changed {
			continue
		}
		if err := files.Replace(d.Path, d.text, 0o644); err != nil {
			return coord.Errorf(coord.CodeSetup, "%s cannot be written: %w; it is as it was", d.Path, err).WithNext("coord export --out DIR")
		}
	}
	return o.remember(docs)
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// earlier is what this machine exported: the digest by path.
func (o *exportFiles) earlier() (map[string]string, error) {
	known := map[string]string{}
	dir, err := o.env.configDir()
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(dir, "exports.json"))
	if err == nil {
		err = json.Unmarshal(text, &known)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, coord.Errorf(coord.CodeSetup, "%s cannot be read: %w; nothing was written", filepath.Join(dir, "exports.json"), err).WithNext("coord doctor")
	}
	return known, nil
}

// remember notes what was exported. A note that is lost costs a refusal, not
// a file.
func (o *exportFiles) remember(docs []exported) error {
	dir, err := o.env.configDir()
	if err != nil {
		return err
	}
	unlock, err := waitLock(context.Background(), filepath.Join(dir, "exports.lock"))
	if err != nil {
		return err
	}
	defer unlock()
	known, err := o.earlier()
	if err != nil {
		return err
	}
	for _, d := range docs {
		known[d.Path] = digest(d.text)
	}
	text, err := json.MarshalIndent(known, "", "  ")
	if err != nil {
		return coord.Errorf(coord.CodeInternal, "noting the export: %w", err)
	}
	return files.Replace(filepath.Join(dir, "exports.json"), append(text, '\n'), 0o600)
}
