package main

import (
	"context"

	"coord"
	"coord/gitops"
)

// remote is the Git remote that a repository's work goes to.
type remote struct {
	name string
	url  string // without credentials
	id   coord.RepositoryID
}

// remoteOf picks the remote of a repository: origin, or the only one.
func remoteOf(ctx context.Context, repo gitops.Repo) (remote, error) {
	name, err := remoteName(ctx, repo)
	if err != nil {
		return remote{}, err
	}
	r := remote{name: name}
	if r.url, err = repo.RemoteURL(ctx, r.name); err != nil {
		return r, err
	}
	id, err := gitops.NormalizeRemote(r.url)
	r.id = coord.RepositoryID(id)
	return r, err
}
