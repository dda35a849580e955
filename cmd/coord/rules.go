package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"coord"
)

func newRules(a *app) *cobra.Command {
	var history bool
	c := a.verb("rules", "Show the binding rules of the project", cobra.NoArgs, func(ctx context.Context, _ []string) (output, error) {
		svc, project, err := a.eitherInProject(ctx, false)
		if err != nil {
			return output{}, err
		}
		read := svc.Rules
		if history {
			read = svc.RuleRevisions
		}
		all, err := read(ctx, project)
		if err != nil {
			return output{}, err
		}
		return output{kind: "rules", data: listOf(all, ""), text: func(w io.Writer) { writeRules(w, all, history) }}, nil
	})
	c.Flags().BoolVar(&history, "history", false, "every text that they had, the latest first")
	return c
}

func writeRules(w io.Writer, all []coord.Rule, history bool) {
	if len(all) == 0 {
		fmt.Fprintln(w, "no rules")
	}
	for _, r := range all {
		from := ""
		if r.From != "" {
			from = " from " + string(r.From)
		}
		fmt.Fprintf(w, "%s  revision %d by %s%s\n", r.Name, r.Revision, coord.OneLine(r.Author), from)
		if history {
			fmt.Fprintf(w, "    %s: %s\n", day(r.At), coord.OneLine(r.Reason))
		}
		if r.Text == "" {
			fmt.Fprintln(w, "    withdrawn")
		}
		for line := range strings.Lines(r.Text) {
			fmt.Fprintf(w, "    %s\n", strings.TrimRight(line, "\r\n"))
		}
	}
}

func newRule(a *app) *cobra.Command {
	return a.group("rule", "Change the binding rules", newRuleSet(a))
}

type ruleSet struct {
	*app
	file, reason string
	from         string
	person       bool
}

func newRuleSet(a *app) *cobra.Command {
	o := &ruleSet{app: a}
	c := a.verb("set NAME [TEXT]", "Write a rule; an empty text withdraws it", cobra.RangeArgs(1, 2), o.run)
	f := c.Flags()
	f.StringVarP(&o.file, "file", "f", "", "take the text from `FILE`; - is what is piped in")
	f.StringVar(&o.reason, "reason", "", "why, as `TEXT`")
	f.StringVar(&o.from, "from", "", "make the proposal `LESSON` the rule, with its text unless another is given")
	f.BoolVar(&o.person, "person", false, "as the person signed in here")
	return c
}

func (o *ruleSet) run(ctx context.Context, args []string) (output, error) {
	c := coord.SetRule{Name: args[0], Reason: o.reason, From: coord.LessonID(o.from)}
	if o.reason == "" {
		return output{}, coord.Errorf(coord.CodeBadRequest, "a change of a rule needs --reason; nothing was changed")
	}
	var err error
	if o.from != "" && o.file == "" && len(args) == 1 {
		_, d, err := o.lessonNamed(ctx, o.from, o.person)
		if err != nil {
			return output{}, err
		}
		c.Text = d.Text
	} else if c.Text, err = o.text(args[1:]); err != nil {
		return output{}, err
	}
	if err := c.Validate(); err != nil {
		return output{}, err
	}
	svc, project, err := o.eitherInProject(ctx, o.person)
	if err != nil {
		return output{}, err
	}
	all, err := svc.Rules(ctx, project)
	if err != nil {
		return output{}, err
	}
	c.Project = project
	for _, r := range all {
		if r.Name == c.Name {
			c.Revision = r.Revision
		}
	}
	set, err := svc.SetRule(ctx, c)
	if err != nil {
		what := "TEXT"
		if c.From != "" {
			what = "--from " + string(c.From)
		}
		return output{}, orAsPerson(err, "coord rule set "+shellWord(c.Name)+" "+what+" --reason WHY --person")
	}
	return output{kind: "rule", data: set, text: func(w io.Writer) {
		what := "in force"
		if set.Text == "" {
			what = "withdrawn"
		}
		fmt.Fprintf(w, "%s  revision %d, %s\n", set.Name, set.Revision, what)
	}}, nil
}

// text is what the rule should say: of the command line, or of a file.
func (o *ruleSet) text(given []string) (string, error) {
	switch {
	case o.file == "" && len(given) == 1:
		return given[0], nil
	case o.file == "" || len(given) > 0:
		return "", coord.Errorf(coord.CodeBadRequest, "a rule has either a TEXT or a file; nothing was changed").WithNext("coord rule set NAME TEXT --reason WHY", "coord rule set NAME -f FILE --reason WHY")
	case o.file == "-":
		b, err := io.ReadAll(io.LimitReader(o.std.in, 1<<20))
		return string(b), err
	}
	dir, err := o.workDir()
	if err != nil {
		return "", err
	}
	name := o.file
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	b, err := os.ReadFile(name)
	if err != nil {
		return "", coord.Errorf(coord.CodeBadRequest, "the text cannot be read: %w; nothing was changed", err)
	}
	return string(b), nil
}

// orAsPerson adds the command of a person to a refusal that only one lifts.
func orAsPerson(err error, command string) error {
	e := asError(err)
	if e.Code != coord.CodeNotPermitted || e.RequiredActor == "" {
		return err
	}
	return e.WithNext(append([]string{command}, e.Next...)...)
}

// eitherInProject is either with the project that the command is about.
func (a *app) eitherInProject(ctx context.Context, person bool) (coord.Service, coord.ProjectKey, error) {
	project, err := a.projectKey()
	if err != nil {
		return nil, "", err
	}
	svc, err := a.either(ctx, person)
	return svc, project, err
}
