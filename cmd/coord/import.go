package main

import (
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"coord"
	"coord/gitops"
)

// importFiles previews or applies an import of the files that a project keeps.
// Nothing is applied that was not previewed.
type importFiles struct {
	*app
	apply   string
	admit   bool
	as      string
	rev     string
	accept  bool
	offline bool
	person  bool
}

func newImport(a *app) *cobra.Command {
	o := &importFiles{app: a}
	c := a.verb("import [PATH...]", "Preview what files would change here; apply it with --apply", cobra.ArbitraryArgs, o.run)
	c.Long = importHelp
	f := c.Flags()
	f.StringVar(&o.apply, "apply", "", "apply the plan of this `TOKEN`, as the preview printed it")
	f.BoolVar(&o.admit, "admit", false, "make plainly open items ready instead of planned")
	f.StringVar(&o.as, "as", "", "read the files as `KIND`: "+roleList())
	f.StringVar(&o.rev, "git", "", "read the files as they are in this `REVISION`")
	f.BoolVar(&o.accept, "accept-diverged", false, "take these files for the newest, whatever their history says")
	f.BoolVar(&o.offline, "offline", false, "show the records, and the plan for an empty project; asks no server")
	f.BoolVar(&o.person, "person", false, "as the person signed in here")
	f.Bool("dry-run", false, "preview only, as without --apply")
	c.MarkFlagsMutuallyExclusive("apply", "dry-run")
	c.MarkFlagsMutuallyExclusive("apply", "offline")
	c.MarkFlagsMutuallyExclusive("git", "offline")
	return c
}

const importHelp = `Preview what files would change here; apply it with --apply.

A PATH is a file, a directory, or a pattern with * ? [ ] { } and ** in quotes.
Without one, the files of [[import]] in .coord.toml are read; without those, the
files of usual names: BACKLOG, TODO, ROADMAP, PLAN, tasks.md; HANDOFF, RESUME;
DURABLE-RECORD, SAVERS, LEARNINGS, DECISIONS; memory directories and MEMORY.md;
archives; AGENTS.md and CLAUDE.md; and what bd, Backlog.md and Task Master keep.

A preview ends with status 6 if somebody has to decide something, and with 0 if
not.`

// roleList is every role of a file, as a sentence lists them.
func roleList() string {
	var all []string
	for _, r := range coord.SourceRoles {
		all = append(all, string(r))
	}
	return strings.Join(all[:len(all)-1], ", ") + " or " + all[len(all)-1]
}

func (o *importFiles) run(ctx context.Context, args []string) (output, error) {
	if o.as != "" && !slices.Contains(coord.SourceRoles, coord.SourceRole(o.as)) {
		return output{}, coord.Errorf(coord.CodeBadRequest, "--as takes %s, not %q; nothing was read", roleList(), o.as).WithNext("coord import --help")
	}
	if o.offline {
		return o.withoutServer(args)
	}
	project, err := o.projectKey()
	if err != nil {
		return output{}, err
	}
	set, repo, err := o.sources(ctx, args)
	if err != nil {
		return output{}, err
	}
	svc, err := o.either(ctx, o.person)
	if err != nil {
		return output{}, err
	}
	if err := o.order(ctx, svc, repo, project, &set); err != nil {
		return output{}, err
	}
	req := coord.ImportRequest{Project: project, Files: set.files, Admit: o.admit, Paths: set.paths}
	if err := req.Validate(); err != nil {
		return output{}, err
	}
	if o.apply != "" {
		return o.applied(ctx, svc, req, args)
	}
	plan, err := svc.PlanImport(ctx, req)
	if err != nil {
		return output{}, err
	}
	p := preview{ImportPlan: plan, LeftOut: set.left, changed: set.changed, again: o.again(args, "")}
	if plan.Actions() > 0 || storesSomething(plan) {
		p.Apply = o.again(args, planToken(plan))
	}
	if err := p.compare(ctx, svc); err != nil {
		return output{}, err
	}
	return p.output(), nil
}

// storesSomething reports a plan that remembers something although it changes
// no task or lesson: a record that moved, for one.
func storesSomething(p coord.ImportPlan) bool {
	changes, _ := p.Effective()
	return len(changes) > 0
}

// sources reads the files to import.
func (o *importFiles) sources(ctx context.Context, args []string) (sourceSet, gitops.Repo, error) {
	p := picker{importFiles: o}
	var err error
	if p.place, err = o.place(); err != nil {
		return sourceSet{}, nil, err
	}
	if p.place.root == "" {
		return sourceSet{}, nil, coord.Errorf(coord.CodeSetup, "%s is not in a Git repository; nothing was read", p.place.dir).WithNext("cd REPOSITORY")
	}
	if p.config, err = o.config(); err != nil {
		return sourceSet{}, nil, err
	}
	repo, err := o.repo(ctx)
	if err != nil {
		return sourceSet{}, nil, err
	}
	if o.rev != "" {
		p.shelf, err = openCommit(ctx, repo, o.rev)
	} else {
		p.shelf, err = openTree(ctx, p.place.root, repo)
	}
	if err != nil {
		return sourceSet{}, nil, err
	}
	chosen, err := p.pick(args)
	if err != nil {
		return sourceSet{}, nil, err
	}
	set, err := p.read(ctx, chosen)
	if err == nil && len(set.files) == 0 {
		err = p.nothing()
		if len(set.left) > 0 {
			err = coord.Errorf(coord.CodeBadRequest, "%s cannot be read: %s; nothing was imported", set.left[0].Path, set.left[0].Why).WithNext("coord import --help")
		}
	}
	return set, repo, err
}

// order asks what was imported last, and compares.
func (o *importFiles) order(ctx context.Context, svc coord.Service, repo gitops.Repo, project coord.ProjectKey, set *sourceSet) error {
	known, err := svc.Sources(ctx, project)
	if err != nil {
		return err
	}
	r := ordering{repo: repo, at: coord.OID(set.files[0].Revision), last: map[string]coord.ImportedFile{}, accept: o.accept}
	for _, f := range known.Files {
		r.last[f.Path] = f
	}
	return r.set(ctx, set)
}

func (o *importFiles) applied(ctx context.Context, svc coord.Service, req coord.ImportRequest, args []string) (output, error) {
	cmd := coord.ApplyImport{Project: req.Project, Files: req.Files, Admit: req.Admit, Paths: req.Paths}
	again := o.again(args, "")
	var err error
	if cmd.AsOf, cmd.Digest, err = parsePlanToken(o.apply, again); err != nil {
		return output{}, err
	}
	o.progress("applying the plan; if this is interrupted, the same command goes on with it")
	done := make(chan struct{})
	go o.stillApplying(done)
	r, err := svc.ApplyImport(ctx, cmd)
	close(done)
	if err != nil {
		return output{}, o.notApplied(err, again, args)
	}
	out := output{kind: "import", data: r, text: func(w io.Writer) { writeImported(w, r, again) }}
	if len(r.Outdated) > 0 {
		out.err = coord.Errorf(coord.CodeRequirement, "%s did not fit any more what is stored here and were left out; the rest was applied", plural(len(r.Outdated), "change")).WithNext(again)
	}
	return out, nil
}

// stillApplying says now and then that a large plan takes its time.
func (o *importFiles) stillApplying(done <-chan struct{}) {
	const every = 10 * time.Second
	t := time.NewTicker(every)
	defer t.Stop()
	for n := 1; ; n++ {
		select {
		case <-t.C:
			o.progress("still applying, for %s", span(time.Duration(n)*every))
		case <-done:
			return
		}
	}
}

// notApplied says of a plan that was not applied, or not to its end, what to
// type.
func (o *importFiles) notApplied(err error, again string, args []string) error {
	var e *coord.Error
	switch errors.As(err, &e); coord.CodeOf(err) {
	case coord.CodePlanStale:
		return e.WithNext(again)
	case coord.CodeUnavailable:
		return e.WithNext(o.again(args, o.apply))
	case coord.CodeNotPermitted:
		if !o.person {
			return e.WithNext("coord login", o.again(args, o.apply)+" --person")
		}
	}
	return err
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
	for _, f := range []struct{ flag, value string }{{"--as", o.as}, {"--git", o.rev}} {
		if f.value != "" {
			cmd += " " + f.flag + " " + shellWord(f.value)
		}
	}
	for _, f := range []struct {
		flag string
		set  bool
	}{{"--admit", o.admit}, {"--accept-diverged", o.accept}, {"--person", o.person}} {
		if f.set {
			cmd += " " + f.flag
		}
	}
	if token != "" {
		cmd += " --apply " + token
	}
	return cmd
}
