package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"coord"
	"coord/files"
	"coord/proc"
)

// jobIntent is what a job is to be, on disk before anybody hears of it.
type jobIntent struct {
	Server   string           `json:"server"` // base URL
	Origin   string           `json:"origin"`
	Project  coord.ProjectKey `json:"project"`
	Task     coord.TaskID     `json:"task"`
	Attempt  coord.AttemptID  `json:"attempt"`
	Fence    coord.Fence      `json:"fence"`
	Session  coord.SessionID  `json:"session"`
	GitDir   string           `json:"git_dir"`
	Worktree string           `json:"worktree"`
	Name     string           `json:"name"`
	External string           `json:"external,omitempty"`
	Argv     []string         `json:"argv"`
	Digest   string           `json:"digest"` // of what is run, as it is registered
	Dir      string           `json:"dir"`
	Tree     coord.OID        `json:"tree,omitempty"`
	Timeout  coord.Duration   `json:"timeout,omitempty"`
	Every    coord.Duration   `json:"every"`
	Key      coord.Key        `json:"key"`  // of the registration
	Mark     string           `json:"mark"` // of its processes
	Checks   []coord.Check    `json:"checks,omitempty"`
	Decision coord.DecisionID `json:"decision,omitempty"`
	At       time.Time        `json:"at"`
}

// same reports whether the other intent is the same deed, of another run of
// the same command line.
func (i jobIntent) same(o jobIntent) bool {
	return i.Origin == o.Origin && i.Session == o.Session && i.Name == o.Name && i.Digest == o.Digest && i.Dir == o.Dir && i.External == o.External
}

// register is the request that the intent is registered by.
func (i jobIntent) register() coord.RegisterJob {
	return coord.RegisterJob{
		Key: i.Key, Attempt: i.Attempt, Fence: i.Fence, Name: i.Name, External: i.External, Argv: i.Digest,
		Machine: machineName(), Tree: i.Tree, ObserveEvery: i.Every,
	}
}

// jobResult is how a job ended.
type jobResult struct {
	State     coord.JobState `json:"state"`
	Exit      *int           `json:"exit,omitempty"`
	Note      string         `json:"note,omitempty"`
	LogDigest string         `json:"log_digest,omitempty"`
	Cut       int64          `json:"cut,omitempty"` // bytes that the log does not keep
	At        time.Time      `json:"at"`
}

// jobDelivery says that nothing is left to report, or can be.
type jobDelivery struct {
	Effect coord.Effect `json:"effect,omitempty"`
	Why    string       `json:"why,omitempty"` // nothing counted
	At     time.Time    `json:"at"`
}

// jobDir is all that this machine knows of a job. Each file is written whole,
// and in this order: intent, sent, registered (with reporter), launch,
// identity, result, delivered.
type jobDir struct{ path string }

const (
	fileIntent     = "intent.json"
	fileSent       = "sent"
	fileRegistered = "registered.json"
	fileReporter   = "reporter"
	fileLaunch     = "launch.json"
	fileIdentity   = "identity.json"
	fileResult     = "result.json"
	fileDelivered  = "delivered.json"
	fileSequence   = "sequence.json"
	fileGuardian   = "guardian.json" // the latest one's process
	fileStop       = "stop"
	fileRuns       = "runs.json"
	fileRecorded   = "recorded.json"
	fileLog        = "log"
	fileGuardLog   = "guard.log"
)

func (d jobDir) file(name string) string { return filepath.Join(d.path, name) }

// runLock is held by whoever registers and launches; guardLock by the
// guardian for as long as it lives.
func (d jobDir) runLock() string   { return d.file("run.lock") }
func (d jobDir) guardLock() string { return d.file("guard.lock") }

// put writes a file whole and for good.
func (d jobDir) put(name string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err == nil {
		err = files.Replace(d.file(name), append(text, '\n'), 0o600)
	}
	if err != nil {
		return coord.Errorf(coord.CodeSetup, "%s cannot be written: %w", d.file(name), err).WithNext("coord doctor")
	}
	return nil
}

// get reads a file, and whether it is there.
func (d jobDir) get(name string, v any) (bool, error) {
	text, err := os.ReadFile(d.file(name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil && v != nil {
		err = json.Unmarshal(text, v)
	}
	if err != nil {
		return false, coord.Errorf(coord.CodeSetup, "%s cannot be read: %w; nothing was done", d.file(name), err).WithNext("coord doctor")
	}
	return true, nil
}

func (d jobDir) has(name string) bool {
	_, err := os.Stat(d.file(name))
	return err == nil
}

func (d jobDir) intent() (i jobIntent, err error) {
	there, err := d.get(fileIntent, &i)
	if err == nil && !there {
		err = coord.Errorf(coord.CodeNotFound, "%s holds no job; nothing was done", d.path).WithNext("coord jobs")
	}
	return i, err
}

// id is the job's, "" before it was registered.
func (d jobDir) id() (id coord.JobID, err error) {
	_, err = d.get(fileRegistered, &id)
	return id, err
}

// process is the job's, the zero one when it was not seen to start.
func (d jobDir) process() (p proc.Process, err error) {
	_, err = d.get(fileIdentity, &p)
	return p, err
}

// jobsDir is where the jobs of this machine's user are kept.
func (a *app) jobsDir() (string, error) {
	state, err := a.env.stateDir()
	return filepath.Join(state, "jobs"), err
}

// newJobDir is the place of a job: of one with an external id always the same,
// so that the machine cannot launch it twice; of a run whose registration was
// not answered, that of the first time.
func (a *app) newJobDir(i jobIntent) (jobDir, error) {
	jobs, err := a.jobsDir()
	if err != nil {
		return jobDir{}, err
	}
	name := ""
	if i.External != "" {
		sum := sha256.Sum256([]byte(strings.Join([]string{i.Origin, string(i.Project), i.External}, "\x00")))
		name = "x" + hex.EncodeToString(sum[:12])
	} else {
		all, err := a.jobDirs()
		if err != nil {
			return jobDir{}, err
		}
		for _, d := range all {
			if old, err := d.intent(); err == nil && old.same(i) && d.unanswered() {
				return d, nil
			}
		}
		if name, err = newMark(); err != nil {
			return jobDir{}, err
		}
	}
	d := jobDir{filepath.Join(jobs, name)}
	if err := os.MkdirAll(d.path, 0o700); err != nil {
		return d, coord.Errorf(coord.CodeSetup, "cannot make %s: %w; nothing was launched", d.path, err).WithNext("coord doctor")
	}
	return d, nil
}

// unanswered reports a registration that nobody is about to have answered.
func (d jobDir) unanswered() bool {
	unlock, err := tryLock(d.runLock())
	if err != nil {
		return false
	}
	defer unlock()
	return d.has(fileSent) && !d.has(fileRegistered)
}

// jobDirs are the jobs of this machine, newest first.
func (a *app) jobDirs() ([]jobDir, error) {
	jobs, err := a.jobsDir()
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(jobs)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, coord.Errorf(coord.CodeSetup, "cannot read %s: %w", jobs, err).WithNext("coord doctor")
	}
	type aged struct {
		dir jobDir
		at  time.Time
	}
	var all []aged
	for _, e := range entries {
		d := jobDir{filepath.Join(jobs, e.Name())}
		if st, err := os.Stat(d.file(fileIntent)); err == nil {
			all = append(all, aged{d, st.ModTime()})
		}
	}
	slices.SortFunc(all, func(a, b aged) int { return cmp.Or(b.at.Compare(a.at), strings.Compare(a.dir.path, b.dir.path)) })
	dirs := make([]jobDir, len(all))
	for i, x := range all {
		dirs[i] = x.dir
	}
	return dirs, nil
}

// localJob finds a job of the server on this machine.
func (a *app) localJob(origin string, id coord.JobID) (jobDir, bool) {
	all, err := a.jobDirs()
	if err != nil {
		return jobDir{}, false
	}
	for _, d := range all {
		i, err := d.intent()
		if err != nil || i.Origin != origin {
			continue
		}
		if here, err := d.id(); err == nil && here == id {
			return d, true
		}
	}
	return jobDir{}, false
}

// How many settled jobs are remembered on this machine, and for how long.
const (
	jobsKept    = 200
	jobsKeptFor = 30 * 24 * time.Hour
)

// pruneJobs forgets settled jobs that are old, or more than can be kept. Runs
// of checks that wait to be recorded are kept for their time.
func (a *app) pruneJobs() {
	all, _ := a.jobDirs()
	before := wallClock().Add(-jobsKeptFor)
	for n, d := range all {
		st, err := os.Stat(d.file(fileDelivered))
		if err != nil || n < jobsKept && st.ModTime().After(before) {
			continue
		}
		unlock, err := tryLock(d.guardLock())
		if err != nil {
			continue
		}
		unlock()
		_ = os.RemoveAll(d.path)
	}
}

// guarded reports whether a guardian of the job lives.
func (d jobDir) guarded() bool {
	unlock, err := tryLock(d.guardLock())
	if err == nil {
		unlock()
	}
	return errors.Is(err, files.ErrLocked)
}

// unguarded returns when the job has no guardian any more.
func (d jobDir) unguarded(ctx context.Context) error {
	unlock, err := waitLock(ctx, d.guardLock())
	if err == nil {
		unlock()
	}
	return err
}
