package store

import (
	"crypto/rand"
	"testing"
	"time"

	"coord"
)

func newKey() coord.Key { return coord.Key(rand.Text()) }

func setup(s *Store) coord.Service {
	return s.As(coord.Caller{Principal: "setup", Role: coord.RoleSetup, Name: "setup"})
}

// project registers a project with a lease of 30 minutes and no review.
func project(t testing.TB, s *Store, key coord.ProjectKey) {
	t.Helper()
	id := coord.RepositoryID("git.example.com/" + key)
	_, err := setup(s).CreateProject(t.Context(), coord.CreateProject{
		Key: newKey(), Project: key, Name: string(key),
		Repositories: []coord.Repository{{ID: id, Remote: "https://" + string(id), Target: "main"}},
		Policy:       coord.Policy{Review: coord.ReviewNone, Lease: coord.Duration(30 * time.Minute)},
	})
	if err != nil {
		t.Fatal(err)
	}
}

func newTask(t testing.TB, svc coord.Service, key coord.ProjectKey) coord.TaskID {
	t.Helper()
	task, err := svc.CreateTask(t.Context(), coord.CreateTask{Key: newKey(), Project: key, Title: "a task", SameTitle: true})
	if err != nil {
		t.Fatal(err)
	}
	return task.ID
}
