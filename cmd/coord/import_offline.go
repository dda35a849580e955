package main

import (
	"io"
	"os"
	"path/filepath"

	"coord"
	"coord/markdown"
)

// offlineProject stands for the project that an offline plan is for.
const offlineProject = "local"

// sourceRecord is a record of a file as it was read.
type sourceRecord struct {
	Path   string             `json:"path"`
	Line   int                `json:"line"`
	Kind   coord.RecordKind   `json:"kind"`
	Shape  string             `json:"shape"`
	Label  string             `json:"label,omitempty"`
	Number string             `json:"number,omitempty"` // in an ordered list
	Status coord.RecordStatus `json:"status,omitempty"`
	Ready  bool               `json:"ready,omitempty"`
	Title  string             `json:"title"`
}

// offlinePlan is what files hold, and what an import of them into an empty
// project would do.
type offlinePlan struct {
	preview
	Records []sourceRecord `json:"records"`
}

// withoutServer reads files wherever they are. Their paths are as they are
// typed.
func (o *importFiles) withoutServer(args []string) (output, error) {
	if len(args) == 0 {
		return output{}, coord.Errorf(coord.CodeBadRequest, "--offline needs the files to read; nothing was read").WithNext("coord import --offline FILE")
	}
	dir, err := o.workDir()
	if err != nil {
		return output{}, err
	}
	var files []coord.SourceFile
	for _, a := range args {
		f, err := o.offlineFile(dir, a)
		if err != nil {
			return output{}, err
		}
		files = append(files, f)
	}
	plan, err := markdown.Plan(coord.ImportBase{Project: offlineProject, Admit: o.admit}, files)
	if err != nil {
		return output{}, err
	}
	p := &offlinePlan{preview: preview{ImportPlan: plan, again: o.again(args, "") + " --offline"}, Records: []sourceRecord{}}
	for _, f := range files {
		doc, err := markdown.Read(f)
		if err != nil {
			continue // the plan says why
		}
		for _, r := range doc.Records {
			p.Records = append(p.Records, sourceRecord{f.Path, r.Line, r.Kind, r.Shape, r.Label, r.Number, r.Facets.Status, r.Ready, r.Facets.Title})
		}
	}
	for _, c := range plan.Changes {
		if c.Needs != "" {
			p.Decisions++
		}
	}
	out := p.output()
	out.data, out.text = p, p.writeOffline
	return out, nil
}

func (o *importFiles) offlineFile(dir, arg string) (coord.SourceFile, error) {
	at := arg
	if !filepath.IsAbs(at) {
		at = filepath.Join(dir, at)
	}
	path := filepath.ToSlash(filepath.Clean(arg))
	role, ok := usualRole(path)
	if o.as != "" {
		role, ok = coord.SourceRole(o.as), true
	}
	if !ok {
		return coord.SourceFile{}, coord.Errorf(coord.CodeBadRequest, "%s does not say what it is; nothing was read", arg).
			WithNext("coord import --offline " + shellWord(arg) + " --as backlog")
	}
	st, err := os.Stat(at)
	if err == nil && !st.Mode().IsRegular() {
		err = errNoFile
	}
	f, openErr := os.Open(at)
	if err == nil {
		err = openErr
	}
	if f != nil {
		defer func() { _ = f.Close() }()
	}
	var text []byte
	if err == nil {
		text, err = bounded(f)
	}
	if err != nil {
		return coord.SourceFile{}, coord.Errorf(coord.CodeNotFound, "%s cannot be read: %w; nothing was read", arg, err).WithNext("coord import --help")
	}
	return coord.SourceFile{Path: path, As: role, Content: text}, nil
}

func (p *offlinePlan) writeOffline(w io.Writer) {
	p.writeFiles(w)
	for n, r := range p.Records {
		if n == changeRows {
			field(w, "", "… %d more: %s --json", len(p.Records)-n, p.again)
			break
		}
		label := r.Label
		if label == "" && r.Number != "" {
			label = r.Number + "."
		}
		if label != "" {
			label += "  "
		}
		field(w, string(r.Kind), "%s  %s  %s%s", at(r.Path, r.Line), r.Status, label, clip(r.Title, 100))
	}
	field(w, "found", "%s", countsText(p.Counts))
	p.list(w, "decide", decideRows, func(c coord.ImportChange) bool { return c.Needs != "" })
	p.writeNotices(w)
	p.writeProblems(w)
	p.writePassed(w)
}
