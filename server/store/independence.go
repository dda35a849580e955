package store

import (
	"coord"
)

// independent refuses a review task to a caller who is not independent, by the
// policy, of everyone who ever worked on its subject. Other kinds of task are
// anybody's.
func (t *tx) independent(task taskRow, p coord.Policy) error {
	if task.Kind != coord.KindReview {
		return nil
	}
	subject := task.Submission.Task()
	all, err := t.identitiesOf(subject)
	if err != nil {
		return err
	}
	me, err := t.callerIdentity()
	if err != nil {
		return err
	}
	return coord.CheckIndependent(p.Independence, subject, me, all)
}

// workedOn are the sessions that ever held an attempt of a task, whatever
// became of it, and those that its authors named. Its parameter is the task,
// twice.
const workedOn = "SELECT session FROM attempts WHERE task = ? UNION SELECT session FROM contributors WHERE task = ?"

// workedOn reports whether the session, or one that it descends from, worked on
// the task. A person has no session.
func (v *view) workedOn(task coord.TaskID, me coord.SessionID) (bool, error) {
	const line = `WITH RECURSIVE line (id) AS (SELECT ? UNION SELECT s.parent FROM line JOIN sessions s ON s.id = line.id WHERE s.parent IS NOT NULL)
		SELECT 1 FROM line WHERE id IN (` + workedOn + ") LIMIT 1"
	return v.get([]any{new(int64)}, line, string(me), string(task), string(task))
}

// identitiesOf are the contributors as a reviewer is compared with them.
func (v *view) identitiesOf(task coord.TaskID) ([]coord.Identity, error) {
	return list(v, func(r scanner) (x coord.Identity, err error) {
		err = r.Scan(&x.Session, &x.Principal, &x.Machine)
		return x, err
	}, "SELECT id, principal, machine FROM sessions WHERE id IN ("+workedOn+") ORDER BY id", string(task), string(task))
}

// ownWork is true of a review task t whose subject the session worked on, or is
// too near to whoever did, by the degree: what independent would refuse. Its
// parameters are those of ownArgs. Written this way it is a few look-ups for
// each task.
func ownWork(degree coord.Independence) string {
	line := `EXISTS (WITH RECURSIVE line (id) AS (SELECT ? UNION SELECT p.parent FROM line JOIN sessions p ON p.id = line.id WHERE p.parent IS NOT NULL)
		SELECT 1 FROM line JOIN submissions s ON s.id = t.subject WHERE EXISTS (SELECT 1 FROM attempts x WHERE x.session = line.id AND x.task = s.task)
			OR EXISTS (SELECT 1 FROM contributors x WHERE x.session = line.id AND x.task = s.task))`
	if degree == coord.IndependentSession {
		return line
	}
	near := "c.principal = me.principal OR c.principal = (SELECT k.created_by FROM tokens k WHERE k.principal = me.principal ORDER BY k.id LIMIT 1)"
	if degree == coord.IndependentMachine {
		near += " OR c.machine = me.machine"
	}
	return "(" + line + ` OR EXISTS (SELECT 1 FROM submissions s JOIN sessions me ON me.id = ?
		JOIN sessions c ON c.id IN (SELECT session FROM attempts WHERE task = s.task UNION SELECT session FROM contributors WHERE task = s.task)
		WHERE s.id = t.subject AND (` + near + ")))"
}

func ownArgs(degree coord.Independence, session coord.SessionID) []any {
	if degree == coord.IndependentSession {
		return []any{string(session)}
	}
	return []any{string(session), string(session)}
}

// lineage are the sessions that one descends from, nearest first.
const lineage = `WITH RECURSIVE up (id, step) AS (
		SELECT parent, 1 FROM sessions WHERE id = ? AND parent IS NOT NULL
		UNION ALL SELECT s.parent, up.step + 1 FROM up JOIN sessions s ON s.id = up.id WHERE s.parent IS NOT NULL)
	SELECT id FROM up ORDER BY step`

// callerIdentity is who asks. A person has no session and no machine of
// coord's knowledge.
func (t *tx) callerIdentity() (coord.Identity, error) {
	me := coord.Identity{Session: t.caller.Session, Principal: t.caller.Principal}
	if _, err := t.get([]any{&me.CreatedBy}, "SELECT created_by FROM tokens WHERE principal = ? ORDER BY id LIMIT 1", string(me.Principal)); err != nil {
		return me, err
	}
	if me.Session == "" {
		return me, nil
	}
	if _, err := t.get([]any{&me.Machine}, "SELECT machine FROM sessions WHERE id = ?", string(me.Session)); err != nil {
		return me, err
	}
	var err error
	me.Lineage, err = list(&t.view, scanText[coord.SessionID], lineage, string(me.Session))
	return me, err
}

// addContributors notes the sessions that an author names, each by its id or
// by as much of it as a list shows.
func (t *tx) addContributors(task coord.TaskID, named []coord.SessionID) error {
	for _, n := range named {
		// "~" sorts after everything that an id is made of.
		ids, err := list(&t.view, scanText[coord.SessionID], "SELECT id FROM sessions WHERE id >= ? AND id < ? ORDER BY id LIMIT 2", string(n), string(n)+"~")
		switch {
		case err != nil:
			return err
		case len(ids) == 0:
			return coord.Errorf(coord.CodeNotFound, "there is no session %q; nothing was submitted", coord.OneLine(string(n))).WithNext("coord session list")
		case len(ids) > 1 && ids[0] != n:
			return coord.Errorf(coord.CodeAmbiguous, "several sessions begin with %q; nothing was submitted", coord.OneLine(string(n))).WithNext("coord session list")
		}
		if _, err := t.exec("INSERT INTO contributors (task, session) VALUES (?, ?) ON CONFLICT DO NOTHING", string(task), string(ids[0])); err != nil {
			return err
		}
	}
	return nil
}
