package main

import (
	"github.com/spf13/cobra"
)

// stages are the headings of coord --help, in the order of a task's life.
var stages = []cobra.Group{
	{ID: "setup", Title: "Set up:"},
	{ID: "work", Title: "Work:"},
	{ID: "land", Title: "Review and land:"},
	{ID: "plan", Title: "Plan and look:"},
	{ID: "know", Title: "Know:"},
	{ID: "move", Title: "Move records:"},
	{ID: "tidy", Title: "Tidy and try:"},
}

// verbs are the commands below coord with their stage, in the order of help.
// One without a stage is hidden.
var verbs = []struct {
	stage, name string
	build       func(*app) *cobra.Command
}{
	{"setup", "up", newUp},
	{"setup", "down", newDown},
	{"setup", "serve", newServe},
	{"setup", "init", newInit},
	{"setup", "doctor", newDoctor},
	{"setup", "login", newLogin},
	{"setup", "logout", newLogout},
	{"setup", "token", newToken},
	{"setup", "session", newSession},
	{"setup", "project", newProject},
	{"setup", "version", newVersion},
	{"move", "import", newImport},
	{"move", "export", newExport},
	{"move", "sources", newSources},
	{"", "keep", newKeep},
	{"", "guard", newGuard},
	{"", "runchecks", newRunChecks},
	{"plan", "next", newNext},
	{"plan", "board", newBoard},
	{"plan", "ask", newAsk},
	{"plan", "decide", newDecide},
	{"plan", "decisions", newDecisions},
	{"plan", "wait", newWait},
	{"plan", "watch", newWatch},
	{"plan", "task", newTask},
	{"work", "start", newStart},
	{"work", "status", newStatus},
	{"work", "brief", newBrief},
	{"work", "note", newNote},
	{"work", "checkpoint", newCheckpoint},
	{"work", "check", newCheck},
	{"work", "submit", newSubmit},
	{"work", "release", newRelease},
	{"work", "reserve", newReserve},
	{"work", "unreserve", newUnreserve},
	{"work", "resource", newResource},
	{"work", "target", newTarget},
	{"work", "run", newRun},
	{"work", "jobs", newJobs},
	{"work", "job", newJob},
	{"land", "approve", newApprove},
	{"land", "reject", newReject},
	{"land", "integrate", newIntegrate},
	{"land", "revise", newRevise},
	{"land", "authorize", newAuthorize},
	{"tidy", "prune", newPrune},
	{"tidy", "snapshot", newSnapshot},
	{"tidy", "demo", newDemo},
	{"know", "learn", newLearn},
	{"know", "lessons", newLessons},
	{"know", "lesson", newLesson},
	{"know", "handoffs", newHandoffs},
	{"know", "handoff", newHandoff},
	{"know", "rules", newRules},
	{"know", "rule", newRule},
}

// newRoot is the whole command tree, or the root with the one verb that args
// begin with: most runs of the binary need no other.
func newRoot(a *app, args ...string) *cobra.Command {
	root := newTrunk(a)
	only := ""
	if len(args) > 1 {
		a.second = args[1]
	}
	for _, v := range verbs {
		if len(args) > 0 && args[0] == v.name {
			only = v.name
		}
	}
	root.CompletionOptions.DisableDefaultCmd = only != ""
	for _, v := range verbs {
		if only == "" || v.name == only {
			c := v.build(a)
			c.GroupID = v.stage
			root.AddCommand(c)
		}
	}
	return root
}

// newTrunk is the root with the flags that every verb has.
func newTrunk(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:           "coord",
		Short:         "Share the work of a Git repository between coding agents",
		SilenceErrors: true, SilenceUsage: true, DisableAutoGenTag: true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	root.SetIn(a.std.in)
	root.SetOut(a.std.out)
	root.SetErr(a.std.err)
	f := root.PersistentFlags()
	f.BoolVar(&a.json, "json", a.json, "print one JSON document")
	f.StringVarP(&a.dir, "dir", "C", "", "work as if started in `DIR`")
	f.StringVar(&a.project, "project", "", "project `KEY` instead of the one in "+configName)
	f.StringVar(&a.task, "task", "", "`TASK` instead of the one of this worktree")
	for i := range stages {
		root.AddGroup(&stages[i])
	}
	return root
}
