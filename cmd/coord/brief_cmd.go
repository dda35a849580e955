package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"coord"
)

// Bounds of what brief prints, in bytes. Together they keep it below 6,000,
// whatever a record holds, and what one needs to begin within the first 1,500.
const (
	briefHeldBytes      = 900
	briefRuleBytes      = 1300
	briefDecisionBytes  = 1500
	briefLearntBytes    = 500
	briefSkippedBytes   = 500
	briefDecisionOption = 60

	briefRulesMost = 20 // of a brief; there may be more
)

func newBrief(a *app) *cobra.Command {
	return a.verb("brief", "show what you hold, what binds you, what waits for an answer, and what to do next", cobra.NoArgs, func(ctx context.Context, _ []string) (output, error) {
		return a.orientation(ctx)
	})
}

func (a *app) orientation(ctx context.Context) (output, error) {
	svc, project, err := a.eitherInProject(ctx, false)
	if err != nil {
		return output{}, err
	}
	b, err := svc.Brief(ctx, project)
	if err != nil {
		return output{}, err
	}
	return output{kind: "brief", data: b, text: func(w io.Writer) { io.WriteString(w, briefOf(b)) }}, nil
}

// briefOf is the brief in the order of its use.
func briefOf(b coord.Brief) string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s  %s  you are %s, role %s\n", b.Project.Key, clip(b.Project.Name, 60), clip(b.Caller.Name, 40), b.Caller.Role)
	writeAction(&s, b.Next)
	if b.Next.Activity == coord.ActivityNone {
		field(&s, "next", "%s", idleCommand(b.Caller))
	}
	var holds, decisions, rules, lessons []string
	for _, t := range b.Holds {
		holds = append(holds, fmt.Sprintf("%s  %s  %s", t.ID, t.Status, clip(t.Title, 60)))
	}
	for _, d := range b.Decisions {
		if b.Next.Decision != nil && b.Next.Decision.ID == d.ID {
			continue // said already
		}
		decisions = append(decisions, questionLine(d))
	}
	for _, r := range b.Rules {
		rules = append(rules, fmt.Sprintf("%s: %s", r.Name, clip(r.Text, 160)))
	}
	for _, l := range b.Lessons {
		lessons = append(lessons, fmt.Sprintf("%s %s (%s)", l.ID, clip(lessonText(l, l.Text), 150), lessonOrigin(l)))
	}
	within(&s, "holds", holds, briefHeldBytes, "coord task list")
	within(&s, "decisions", decisions, briefDecisionBytes, "coord decisions")
	within(&s, "rules", rules, briefRuleBytes, "coord rules")
	if rulesCut(b.Rules) {
		field(&s, "", "whole texts: coord rules")
	}
	within(&s, "lessons", lessons, briefLearntBytes, "coord lessons")
	within(&s, "skipped", skippedLines(b.Next.Skipped), briefSkippedBytes, "coord board")
	return s.String()
}

func idleCommand(c coord.Caller) string {
	if c.Role == coord.RoleOperator {
		return "coord board   (nothing waits for a person now)"
	}
	return "coord wait   (nothing is for this session now)"
}

func rulesCut(rules []coord.Rule) bool {
	if len(rules) >= briefRulesMost {
		return true
	}
	for _, r := range rules {
		if clip(r.Text, 160) != coord.OneLine(r.Text) {
			return true
		}
	}
	return false
}

// within prints as many lines as the bound allows, counts the rest, and says
// how to see them.
func within(w io.Writer, label string, lines []string, bound int, more string) {
	for i, line := range lines {
		cost := max(len(label), 10) + len(line) + 1
		if bound -= cost; bound < 0 {
			field(w, label, "… %d more: %s", len(lines)-i, more)
			return
		}
		field(w, label, "%s", line)
		label = ""
	}
}

// questionLine is an open question with its numbered options.
func questionLine(d coord.Decision) string {
	var options []string
	for i, o := range d.Options {
		if i == 6 {
			options = append(options, fmt.Sprintf("… %d more", len(d.Options)-i))
			break
		}
		options = append(options, fmt.Sprintf("%d. %s", i+1, clip(o, briefDecisionOption)))
	}
	who := ""
	if d.RequiredActor == coord.ActorHuman {
		who = " (a person answers)"
	}
	return fmt.Sprintf("%s %s%s  %s", d.ID, clip(d.Question, 200), who, strings.Join(options, "  "))
}
