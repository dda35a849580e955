package main

import (
	"context"
	"errors"
	"strconv"
	"time"

	"coord"
	"coord/client"
)

// Pace of reporting while nobody answers.
const (
	reportSoon = time.Second
	reportRare = 5 * time.Minute
	reportFor  = 24 * time.Hour // after a job's end
)

// reporter tells the server what a guardian sees, by the job's own credential
// and nothing else. Every report has a number and a key of its own, and is true
// whenever it arrives: one whose answer was lost may be made again.
type reporter struct {
	job     coord.JobID
	key     coord.Key // that the keys of the reports begin with
	observe func(context.Context, coord.ObserveJob) (coord.Observed, error)
	last    int64             // number of the latest report
	keep    func(int64) error // writes the number down before it is used
}

// reporterOf is the reporter of a job of this machine.
func (a *app) reporterOf(d jobDir, i jobIntent) (*reporter, error) {
	id, err := d.id()
	if err != nil {
		return nil, err
	}
	var secret string
	there, err := d.get(fileReporter, &secret)
	if err == nil && !there {
		err = coord.Errorf(coord.CodeSetup, "the credential of %s is not here; nothing was reported", id).WithNext("coord job show " + string(id))
	}
	if err != nil {
		return nil, err
	}
	r := &reporter{job: id, key: i.Key, keep: func(n int64) error { return d.put(fileSequence, n) }}
	if _, err := d.get(fileSequence, &r.last); err != nil {
		return nil, err
	}
	c := client.New(client.Options{Server: i.Server, Token: secret, Version: version})
	r.observe = c.ObserveJob
	return r, nil
}

// once makes one report. A report that came after a later one of somebody else
// is made again behind it.
func (r *reporter) once(ctx context.Context, c coord.ObserveJob) (coord.Observed, error) {
	for try := 0; ; try++ {
		if err := r.keep(r.last + 1); err != nil {
			return coord.Observed{}, err
		}
		r.last++
		c.Job, c.Sequence = r.job, r.last
		c.Key = coord.Key(string(r.key) + "-" + strconv.FormatInt(r.last, 10))
		o, err := r.observe(ctx, c)
		var e *coord.Error
		if !errors.As(err, &e) || try == 3 {
			return o, err
		}
		n, bad := strconv.ParseInt(e.Details["sequence"], 10, 64)
		if e.Code == coord.CodeEpochChanged || e.Code == coord.CodeStateConflict && bad == nil {
			r.last = max(r.last, n)
			continue
		}
		return o, err
	}
}

// refusedReport tells an answer that will not become another one from none.
func refusedReport(err error) bool {
	switch coord.CodeOf(err) {
	case coord.CodeNotFound, coord.CodeStateConflict, coord.CodeNotPermitted, coord.CodeBadRequest, coord.CodeFenced:
		return true
	}
	return false
}

// running reports that the process is there until ctx ends, at a pace that
// survives one lost report. A refusal ends it: whoever refuses knows better.
func (r *reporter) running(ctx context.Context, p coord.Process, every time.Duration) {
	soon := reportSoon
	for {
		wait := every / 3
		_, err := r.once(ctx, coord.ObserveJob{State: coord.JobRunning, Process: &p})
		switch {
		case refusedReport(err):
			return
		case err != nil:
			wait, soon = min(soon, wait), min(2*soon, reportRare)
		default:
			soon = reportSoon
		}
		if !pauseFor(ctx, wait) {
			return
		}
	}
}

// ended reports how the job ended until somebody answers.
func (r *reporter) ended(ctx context.Context, x jobResult, p *coord.Process) (jobDelivery, error) {
	soon := reportSoon
	for {
		d, err := r.endedOnce(ctx, x, p)
		if err == nil || ctx.Err() != nil || wallClock().Sub(x.At) >= reportFor {
			return d, err
		}
		if !pauseFor(ctx, soon) {
			return d, err
		}
		soon = min(2*soon, reportRare)
	}
}

// endedOnce reports how the job ended, once. An error says that nobody
// answered.
func (r *reporter) endedOnce(ctx context.Context, x jobResult, p *coord.Process) (jobDelivery, error) {
	o, err := r.once(ctx, coord.ObserveJob{
		State: x.State, Process: p, Exit: x.Exit, EndedAgo: coord.Duration(max(0, wallClock().Sub(x.At))), LogDigest: x.LogDigest, Note: x.Note,
	})
	d := jobDelivery{Effect: o.Effect, At: wallClock().UTC()}
	if refusedReport(err) {
		d.Why, err = coord.OneLine(err.Error()), nil
	}
	return d, err
}

// pauseFor reports false when ctx ended first.
func pauseFor(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
