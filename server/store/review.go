package store

import (
	"context"

	"coord"
)

// Review decides a submission under a live attempt at its review task.
func (s *service) Review(ctx context.Context, c coord.RecordReview) (coord.Review, error) {
	if err := s.mayWork(); err != nil {
		return coord.Review{}, err
	}
	if err := c.Validate(); err != nil {
		return coord.Review{}, err
	}
	i := intent[coord.Review]{operation: "review", key: c.Key, ids: []string{string(c.Attempt)}, command: c, session: true}
	return mutate(ctx, s, i, func(t *tx) (coord.Review, error) { return t.review(c) })
}

func (t *tx) review(c coord.RecordReview) (out coord.Review, err error) {
	a, err := t.owned(c.Attempt, c.Fence)
	if err != nil {
		return out, err
	}
	slot, err := t.task(a.Task)
	if err != nil {
		return out, err
	}
	if slot.Kind != coord.KindReview {
		return out, coord.Errorf(coord.CodeStateConflict, "%s is a %s task and takes no review; nothing was changed", slot.ID, slot.Kind).WithNext("coord start --kind review")
	}
	j, err := t.judging(slot, c.Judgement)
	if err != nil {
		return out, letsGo(err)
	}
	j.attempt = a.ID
	if err := t.end(a, coord.StandingFinished, string(c.Verdict)); err != nil {
		return out, err
	}
	return t.conclude(j)
}

// letsGo tells a reviewer who may not judge any more, because the policy became
// stricter since the claim, how another comes to it: what is held is what next
// would go on with.
func letsGo(err error) error {
	var e *coord.Error
	if !asCoord(err, &e) || e.Code != coord.CodeNotIndependent {
		return err
	}
	return e.WithNext("coord release -m REASON")
}

const reviewColumns = `reviews.id, reviews.submission, reviews.task, reviews.commit_id, reviews.digest, reviews.verdict, reviews.actor, reviews.reviewer, reviews.note, reviews.at,
	coalesce((SELECT reason FROM review_voids v WHERE v.review = reviews.id), ''),
	(SELECT json_group_array(json(f.row)) FROM (SELECT json_object('id', task || '.f' || number, 'class', class, 'severity', severity, 'text', text, 'remedy', remedy,
		'resolution', CASE WHEN resolution IS NULL THEN '' ELSE 'v' || resolution END) AS row FROM findings WHERE review = reviews.id ORDER BY number) f)`

func scanReview(r scanner) (x coord.Review, err error) {
	var id, at int64
	var findings string
	if err = r.Scan(&id, &x.Submission, &x.Task, &x.Commit, &x.Digest, &x.Verdict, &x.Actor, &x.Reviewer, &x.Note, &at, &x.Voided, &findings); err != nil {
		return x, err
	}
	x.ID, x.At = reviewID(id), instant(at)
	if err = fromJSON(findings, &x.Findings); len(x.Findings) == 0 {
		x.Findings = nil
	}
	return x, err
}
