package markdown

import "coord"

var english = language{
	status: []phrases{
		{coord.SourceOpen, "open, todo, to do, pending, not started, not yet started, unstarted, planned, ready, next, backlog, not done, not run, not yet, " +
			"not implemented, not fixed, not merged, not complete, not completed, incomplete, reopened, up next, untouched, unclaimed"},
		{coord.SourceActive, "in progress, wip, ongoing, started, running, in review, under review, waiting for review, waiting for integration, integrating, " +
			"validating, needs recovery, active, doing, in work, underway, under way, in development, claimed, under investigation, investigating, being investigated"},
		{coord.SourcePartial, "partial, partially, partly, partially done, partly done, mostly done, mostly fixed, mostly implemented, mostly closed, mostly complete, partially complete, " +
			"partially implemented, partially fixed, half done, almost done, nearly done, done in part, needs polish"},
		{coord.SourceBlocked, "blocked, blocked by, blocked on, waiting, waiting for, waiting on, gated, gated on, gated by, depends on, stuck, needs decision, needs input"},
		{coord.SourceParked, "parked, deferred, on hold, later, someday, icebox, postponed, paused, not now, shelved, delayed, on ice, backlogged"},
		{coord.SourceDone, "done, complete, completed, fixed, shipped, merged, landed, resolved, closed, implemented, delivered, finished, released, deployed"},
		{coord.SourceRejected, "rejected, wontfix, wont fix, won t fix, won t do, will not do, will not fix, declined, dropped, cancelled, canceled, abandoned, obsolete, invalid, " +
			"not a bug, out of scope, duplicate, duplicate of, not planned, not doing, not needed, no longer needed, discarded, withdrawn"},
		{coord.SourceSuperseded, "superseded, superseded by, replaced, replaced by, moved to, merged into, folded into, absorbed into"},
		{coord.SourceConsumed, "consumed, archived, historical, read only"},
	},
	sections: []phrases{
		{coord.SourceOpen, "next steps, next step, next up, next work, next actions, whats next, what s next, up next, tasks, open items, open tasks, " +
			"open issues, prioritized backlog, prioritised backlog, product backlog, todos, to dos, to do list, todo list, remaining, remaining work, follow ups, followups, now, action items, work items, outstanding, pending work"},
		{coord.SourceActive, "in progress items, current work, active work, active tasks, currently working on"},
		{coord.SourceBlocked, "blocked items, blocked tasks, blockers"},
		{coord.SourceParked, "ideas, maybe, future, future work, nice to have, parking lot, future enhancements, future improvements, someday maybe, deferred items"},
		{coord.SourceDone, "done items, completed items, completed tasks, completed work, recently completed, recently done, changelog, log, what was done, finished work, resolved issues"},
		{coord.SourceConsumed, "archive, history"},
		{coord.SourceRejected, "rejected approaches, rejected ideas, non goals, nongoals, will not do, non objectives"},
	},
	kinds: []sorts{
		{coord.KindLesson, "lessons, lessons learned, lessons learnt, learnings, what we learned, what we learnt, insights, pitfalls, gotchas"},
		{coord.KindFact, "facts, known facts, decisions, decisions made, decision log, key decisions, architecture decisions, constraints, findings"},
		{coord.KindRejected, "rejected approaches, rejected, rejected ideas, rejected alternatives, rejected options, rejected proposals, approaches rejected, alternatives considered, what did not work, what didn t work, dead ends, failed approaches, abandoned approaches"},
		{coord.KindProposal, "rule proposals, proposed rules, rules, binding rules, rule candidates, project rules"},
	},
	criteria: "accept, acceptance, acceptance criteria, criteria, definition of done, done when, verification, checklist, legend, exit criteria, success criteria",
	priority: []ranks{
		{coord.PriorityUrgent, "p0, urgent, critical, highest, blocker"},
		{coord.PriorityHigh, "p1, high, major"},
		{coord.PriorityNormal, "p2, normal, medium, med, moderate"},
		{coord.PriorityLow, "p3, p4, low, lowest, minor, trivial"},
	},
	columns: []heads{
		{colID, "id, key, task id, item id, issue id, ref, label, code, ticket, ticket id"},
		{colNumber, "no, nr, num, number"},
		{colTitle, "title, task, item, name, what, description, summary, feature, work item, work, issue, story, subject, todo, action, action item, deliverable, bug, problem, finding, requirement, task name, milestone, epic"},
		{colStatus, "status, state, done, current status, task status"},
		{colProgress, "progress"},
		{colPriority, "priority, prio, p, pri, importance, severity"},
		{colAfter, "depends, depends on, dependencies, dependency, after, blocked by, deps, requires, needs, prerequisites, blockers, waits for"},
		{colOwner, "owner, assignee, who, responsible, assigned to, agent"},
	},
	fields: []heads{
		{colStatus, "status, state, current status"},
		{colPriority, "priority, prio"},
		{colAfter, "depends on, depends, dependencies, after, blocked by, requires, deps"},
	},
	introducers: "by, in, on, see, via, as, at, since, pending, with, until, commit, pr, for, per, through",
	negations:   "not, not yet, isn t, is not, never",
	plans:       "planned",
	results:     "passed, pass, success, successful, succeeded",
	waits:       "after, depends on, depend on, depending on, blocked by, blocked on, waiting for, waiting on, waits for, waits on, gated on, gated by, requires",
	limits:      "pilot, scoped, partial, partially, partly, mostly, phase, in part, wip, except, minus, not, but, only, todo, needs, apart, modulo, pending, draft, locally, untested, unverified, first",
}
