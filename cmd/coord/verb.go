package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"coord"
)

// runner does what a verb is for and returns the one value to print.
type runner func(ctx context.Context, args []string) (output, error)

// verb is a command that ends with one value. What it refuses about its
// arguments is a usage error.
func (a *app) verb(use, short string, args cobra.PositionalArgs, run runner) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: strings.ToUpper(short[:1]) + short[1:], Args: inWords(args), DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			a.result, a.err = run(cmd.Context(), args)
			a.err = a.refusedToken(withHelp(a.err, cmd))
			return nil
		},
	}
}

// withHelp points a refusal of what was typed at the verb's help when it says
// nothing better.
func withHelp(err error, cmd *cobra.Command) error {
	var e *coord.Error
	if errors.As(err, &e) && e.Code == coord.CodeBadRequest && len(e.Next) == 0 {
		return e.WithNext(cmd.CommandPath() + " --help")
	}
	return err
}

// group is a noun with verbs of its own.
func (a *app) group(noun, short string, verbs ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use: noun, Short: short, DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("%s has no verb %q", cmd.CommandPath(), args[0])
			}
			return fmt.Errorf("%s needs a verb: %s", cmd.CommandPath(), strings.Join(names(cmd), ", "))
		},
	}
	c.AddCommand(verbs...)
	return c
}

// names lists the visible verbs of a group.
func names(c *cobra.Command) []string {
	var all []string
	for _, v := range c.Commands() {
		if v.IsAvailableCommand() {
			all = append(all, v.Name())
		}
	}
	slices.Sort(all)
	return all
}

// inWords refuses the arguments that check refuses, and says what the verb
// takes.
func inWords(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if check(cmd, args) == nil {
			return nil
		}
		_, takes, _ := strings.Cut(cmd.Use, " ")
		switch {
		case takes == "":
			return fmt.Errorf("%s takes no argument, not %q", cmd.CommandPath(), args[0])
		case len(args) == 0:
			article := "a"
			if strings.ContainsAny(takes[:1], "AEIO") {
				article = "an"
			}
			return fmt.Errorf("%s needs %s %s", cmd.CommandPath(), article, takes)
		}
		return fmt.Errorf("%s takes one %s, not %d; quote what has spaces", cmd.CommandPath(), strings.Trim(takes, "[]"), len(args))
	}
}

// withoutMessage is the sentence for a verb whose -m was not given, the one
// flag that is ever required.
func withoutMessage(cmd *cobra.Command) string {
	f := cmd.Flags().Lookup("message")
	return cmd.CommandPath() + " needs -m TEXT: " + strings.ReplaceAll(strings.Replace(f.Usage, ", as `TEXT`", "", 1), "`", "")
}

// strangeness is 0 for a word of the same letters, which is a slip of the
// fingers, and 1 for any other.
func strangeness(word, typed string) int {
	letters := func(s string) string {
		b := []byte(s)
		slices.Sort(b)
		return string(b)
	}
	if letters(word) == letters(typed) {
		return 0
	}
	return 1
}

// What cobra says of flags. It is compiled where it is needed: a run without
// such an error does not pay for it.
const (
	badValue  = `^invalid argument "(.*)" for ".*--([a-z-]+)" flag: `
	exclusive = `^if any flags in the group .* are set none of the others can be; \[(.*)\] were all set$`
)

// inOwnWords says of flags what cobra says in terms of its own.
func inOwnWords(cmd *cobra.Command, sentence string) string {
	if m := regexp.MustCompile(exclusive).FindStringSubmatch(sentence); m != nil {
		return "--" + strings.ReplaceAll(m[1], " ", " and --") + " do not go together"
	}
	m := regexp.MustCompile(badValue).FindStringSubmatch(sentence)
	if m == nil {
		return sentence
	}
	takes := "something else"
	switch f := cmd.Flags().Lookup(m[2]); {
	case f == nil:
	case f.Value.Type() == "duration":
		takes = "a time such as 30m or 24h"
	case strings.HasPrefix(f.Value.Type(), "int"):
		takes = "a number"
	}
	return "--" + m[2] + " takes " + takes + `, not "` + m[1] + `"`
}

// usageError turns what cobra found wrong with a command line into a refusal
// that says where to look.
func usageError(cmd *cobra.Command, args []string, err error) *coord.Error {
	sentence, _, _ := strings.Cut(err.Error(), "\n")
	sentence = inOwnWords(cmd, sentence)
	if sentence == `required flag(s) "message" not set` {
		sentence = withoutMessage(cmd)
	}
	e := coord.Errorf(coord.CodeBadRequest, "%s; nothing was done", sentence)
	help := cmd.CommandPath() + " --help"
	if cmd.HasParent() || len(args) == 0 {
		return e.WithNext(help)
	}
	var next []string
	near := cmd.SuggestionsFor(args[0])
	slices.SortStableFunc(near, func(a, b string) int { return strangeness(a, args[0]) - strangeness(b, args[0]) })
	for _, near := range near {
		if len(args[0]) < 4 && !strings.HasPrefix(near, args[0]) {
			continue // of three letters, two changed ones are another word
		}
		next = append(next, strings.TrimSpace("coord "+near+" "+strings.Join(args[1:], " ")))
	}
	return e.WithNext(append(next, help)...)
}
