package store

import (
	"slices"
	"strconv"

	"coord"
)

const (
	// A review that waits for a person. Parameter: project.
	pickPersonReview = "SELECT t.id FROM tasks t INDEXED BY tasks_claimable WHERE t.project = ? AND t.kind = 'review' AND " + claimable + " AND t.slot = 'human' AND " + workFree + first

	// A task with a blocker that a person lifts, other than by answering a
	// question. Parameter: project.
	pickPersonBlocker = `SELECT b.task FROM blockers b INDEXED BY blockers_actor JOIN tasks t ON t.id = b.task
		WHERE b.project = ? AND b.actor = 'human' AND b.decision IS NULL AND b.lifted_at IS NULL AND t.lifecycle = 'open' ORDER BY b.task LIMIT 1`

	// An attempt whose lease ended, but for a landing that may have been
	// pushed, which is nobody's to release. Parameters: project, kind, now.
	pickGone = `SELECT a.task FROM attempts a INDEXED BY attempts_lease WHERE a.project = ? AND a.kind = ? AND a.ended IS NULL AND a.expires_at <= ?
		AND NOT EXISTS (SELECT 1 FROM landings l WHERE l.integration = a.task AND l.state = 'publishing') ORDER BY a.expires_at LIMIT 1`
)

// personOptions are what a person may do, who claims nothing: what agents may
// not. The rest goes on without.
func (v *view) personOptions(p coord.Project) []option {
	get := func(query string, args ...any) func() (coord.TaskID, error) {
		return func() (id coord.TaskID, err error) {
			_, err = v.get([]any{&id}, query, append([]any{string(p.Key)}, args...)...)
			return id, err
		}
	}
	options := []option{{coord.ActivityDecide, nil}}
	judges := slices.Contains(p.Policy.Review.Slots(), coord.ActorHuman)
	if judges {
		options = append(options, option{coord.ActivityReview, get(pickPersonReview)})
	}
	options = append(options, option{coord.ActivityUnblock, get(pickPersonBlocker)})
	if p.Policy.Integration == coord.IntegrateHuman {
		options = append(options, option{coord.ActivityAuthorize, func() (id coord.TaskID, err error) {
			_, err = v.get([]any{new(int), &id}, unauthorized, string(p.Key), nanos(v.now))
			return id, err
		}})
	}
	if p.Policy.Recovery == coord.RecoverManual {
		for _, k := range []coord.Kind{coord.KindIntegration, coord.KindCode, coord.KindGeneral, coord.KindReview} {
			options = append(options, option{coord.ActivityRelease, get(pickGone, string(k), nanos(v.now))})
		}
	}
	if judges {
		options = append(options, option{coord.ActivityAccept, get(pickAcceptable)})
	}
	return options
}

// personCommand is what a person types; as the person, where the verb is an
// agent's too.
func personCommand(a coord.Activity, t taskRow) string {
	switch a {
	case coord.ActivityReview:
		return "coord approve " + string(codeTask(t)) + " -m NOTE"
	case coord.ActivityAuthorize:
		return "coord authorize " + string(codeTask(t))
	case coord.ActivityRelease:
		return "coord release --task " + string(t.ID) + " -m REASON --person"
	case coord.ActivityUnblock:
		return "coord task unblock " + string(t.ID) + " -m REASON --person"
	case coord.ActivityAccept:
		return "coord task accept " + string(t.ID) + " -m NOTE --person"
	}
	return "coord task show " + string(t.ID)
}

// answer is the command that answers a question: with the option that is
// recommended, where one is.
func answer(d coord.Decision, r coord.Role) string {
	option := "OPTION"
	if i := slices.Index(d.Options, d.Recommendation); i >= 0 {
		option = strconv.Itoa(i + 1)
	}
	as := ""
	if r == coord.RoleOperator {
		as = " --person"
	}
	return "coord decide " + string(d.ID) + " " + option + as
}
