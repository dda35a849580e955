package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"coord"
	"coord/gitops"
)

// historyLimit is how many versions of a file are looked through.
const historyLimit = 500

// ordering says how the files of an import stand to what was imported last, from
// the history of this clone.
type ordering struct {
	repo     gitops.Repo
	at       coord.OID // the revision that is read, or that the work tree stands on
	last     map[string]coord.ImportedFile
	accept   bool // a person says that these are the newest, whatever history says
	ancestor map[coord.OID]bool
	left     []leftOut
}

// set gives every file of an import its order and its date.
func (o *ordering) set(ctx context.Context, s *sourceSet) error {
	var clean []string
	for _, f := range s.files {
		if !s.changed[f.Path] {
			clean = append(clean, f.Path)
		}
	}
	dates := map[string]time.Time{}
	if o.at != "" && len(clean) > 0 {
		var err error
		if dates, err = o.repo.Changed(ctx, o.at, clean); err != nil {
			return err
		}
	}
	o.ancestor = map[coord.OID]bool{}
	for i := range s.files {
		f := &s.files[i]
		if !s.changed[f.Path] {
			f.At = dates[f.Path]
		}
		order, err := o.order(ctx, *f, s.changed[f.Path])
		if err != nil {
			return err
		}
		if o.accept && order != coord.OrderNewer && o.last[f.Path].Path != "" {
			order = coord.OrderNewer
		}
		f.Order = order
	}
	s.left = append(s.left, o.left...)
	return nil
}

// order compares one file with the version of it that was imported last. The
// content counts before the commit: a change that was picked or squashed into
// this history is in it.
func (o *ordering) order(ctx context.Context, f coord.SourceFile, changed bool) (coord.SourceOrder, error) {
	last, ok := o.last[f.Path]
	sum := sha256.Sum256(f.Content)
	switch {
	case !ok:
		return coord.OrderUnknown, nil
	case hex.EncodeToString(sum[:]) == last.Digest:
		return coord.OrderNewer, nil
	case o.at == "" || last.Revision == "":
		return coord.OrderUnknown, nil
	}
	if had, err := o.repo.Had(ctx, o.at, f.Path, last.Digest, historyLimit); had || err != nil {
		return coord.OrderNewer, err
	}
	then := coord.OID(last.Revision)
	in, err := o.contains(ctx, then)
	switch {
	case coord.CodeOf(err) == coord.CodeNotFound:
		if !o.accept {
			o.left = append(o.left, leftOut{f.Path, "the version imported last is of " + then.Short() + ", which this clone does not have, so only their dates were compared; git fetch may bring it"})
		}
		return coord.OrderUnknown, nil
	case err != nil:
		return coord.OrderUnknown, err
	case in:
		return o.uncommitted(f, last, changed), nil
	}
	return o.behind(ctx, f, then, changed)
}

// uncommitted is the order of a file whose last imported version was never
// committed, as far as this history shows: later edits of the same work tree
// come after it, and what was committed before it was written does not.
func (o *ordering) uncommitted(f coord.SourceFile, last coord.ImportedFile, changed bool) coord.SourceOrder {
	if f.At.Before(last.At) || !changed && last.Revision == f.Revision {
		return coord.OrderUnknown
	}
	return coord.OrderNewer
}

// behind tells a file that only has not caught up from one that went another
// way.
func (o *ordering) behind(ctx context.Context, f coord.SourceFile, then coord.OID, changed bool) (coord.SourceOrder, error) {
	if changed {
		return coord.OrderDiverged, nil
	}
	within, err := o.repo.IsAncestor(ctx, o.at, then)
	if err != nil || within {
		return coord.OrderOlder, err
	}
	sum := sha256.Sum256(f.Content)
	had, err := o.repo.Had(ctx, then, f.Path, hex.EncodeToString(sum[:]), historyLimit)
	if err != nil || had {
		return coord.OrderOlder, err
	}
	return coord.OrderDiverged, nil
}

// contains reports that a commit is in the history that is read.
func (o *ordering) contains(ctx context.Context, commit coord.OID) (bool, error) {
	if in, ok := o.ancestor[commit]; ok {
		return in, nil
	}
	in, err := o.repo.IsAncestor(ctx, commit, o.at)
	if err == nil {
		o.ancestor[commit] = in
	}
	return in, err
}
