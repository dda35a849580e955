// Package worktree keeps the per-task worktrees of this machine: it creates
// one per attempt, remembers in the worktree's own Git directory which attempt
// it serves, finds them again, and removes what is saved elsewhere.
package worktree

import (
	"encoding/json"
	"os"
	"path/filepath"

	"coord"
	"coord/files"
)

// bindingFile lies in the worktree's own Git directory, never in the tracked
// tree, so no commit can carry it.
const bindingFile = "coord.json"

// Binding says which attempt a worktree serves, and where its record is kept.
// It holds no secret: the fence is worthless without the session's proof.
type Binding struct {
	Server  string           `json:"server"`
	Project coord.ProjectKey `json:"project"`
	Session coord.SessionID  `json:"session"`
	Task    coord.TaskID     `json:"task"`
	Kind    coord.Kind       `json:"kind"`
	Attempt coord.AttemptID  `json:"attempt"`
	Fence   coord.Fence      `json:"fence"`
	Target  string           `json:"target"`
	Path    string           `json:"path"`
	Branch  string           `json:"branch"`
	Base    coord.OID        `json:"base"`
	Digest  string           `json:"digest,omitempty"` // of the task as its brief was last shown here
	Ended   bool             `json:"ended,omitempty"`  // the attempt was submitted, released or lost
}

// Load reads the binding of the worktree whose own Git directory is gitDir.
// It returns fs.ErrNotExist, wrapped, when the worktree serves no attempt.
func Load(gitDir string) (Binding, error) {
	var b Binding
	data, err := os.ReadFile(filepath.Join(gitDir, bindingFile))
	if err != nil {
		return b, err
	}
	if err := json.Unmarshal(data, &b); err != nil {
		return b, coord.Errorf(coord.CodeSetup, "%s is damaged: %w; the work in the worktree is untouched", filepath.Join(gitDir, bindingFile), err).
			WithNext("coord start TASK")
	}
	return b, nil
}

// Save writes the binding, readable by its owner only, by rename: a reader
// sees the old one or the new one.
func (b Binding) Save(gitDir string) error {
	data, err := json.MarshalIndent(b, "", "\t")
	if err != nil {
		return coord.Errorf(coord.CodeInternal, "writing the binding: %w", err)
	}
	if err := files.Replace(filepath.Join(gitDir, bindingFile), append(data, '\n'), 0o600); err != nil {
		return notWritable(gitDir, err)
	}
	return nil
}

func notWritable(dir string, err error) error {
	return coord.Errorf(coord.CodeSetup, "cannot write in %s: %w", dir, err).WithNext("coord doctor")
}
