package main

import (
	"context"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"coord"
)

// reports is a reporter whose server is a function, and what it was told.
func reports(answer func(coord.ObserveJob) error) (*reporter, *[]coord.ObserveJob, *int64) {
	var told []coord.ObserveJob
	kept := new(int64)
	return &reporter{
		job: "j2", key: "0123456789abcdef",
		keep: func(n int64) error { *kept = n; return nil },
		observe: func(_ context.Context, c coord.ObserveJob) (coord.Observed, error) {
			told = append(told, c)
			if c.Sequence != *kept {
				return coord.Observed{}, coord.Errorf(coord.CodeInternal, "the number was not written silence first")
			}
			return coord.Observed{Effect: coord.EffectCounted}, answer(c)
		},
	}, &told, kept
}

var silence = coord.Errorf(coord.CodeUnavailable, "nobody answers")

// TestJ2_TheEndIsReportedUntilItIsAnswered: over hours without a server, with a
// key and a number of its own each time, and how long ago it was.
func TestJ2_TheEndIsReportedUntilItIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		up := time.Now().Add(20 * time.Hour)
		r, told, _ := reports(func(coord.ObserveJob) error {
			if time.Now().Before(up) {
				return silence
			}
			return nil
		})
		ended := time.Now()
		d, err := r.ended(t.Context(), jobResult{State: coord.JobSucceeded, At: ended}, nil)
		if err != nil || d.Effect != coord.EffectCounted || time.Since(up) > reportRare {
			t.Fatalf("%+v, %v after %s", d, err, time.Since(ended))
		}
		keys := map[coord.Key]bool{}
		for i, c := range *told {
			if keys[c.Key] || c.Sequence != int64(i+1) || c.Job != "j2" || c.Key.Validate() != nil {
				t.Fatalf("report %d is %+v", i, c)
			}
			keys[c.Key] = true
		}
		if last := (*told)[len(*told)-1]; time.Duration(last.EndedAgo) != time.Since(ended) {
			t.Errorf("it ended %s ago, and the report says %s", time.Since(ended), last.EndedAgo)
		}
		if n := len(*told); n < 100 || n > 400 {
			t.Errorf("%d reports in 20 hours", n)
		}
	})
}

func TestJ2_ReportingEndsAfterADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _, _ := reports(func(coord.ObserveJob) error { return silence })
		ended := time.Now()
		_, err := r.ended(t.Context(), jobResult{State: coord.JobFailed, At: ended}, nil)
		if took := time.Since(ended); coord.CodeOf(err) != coord.CodeUnavailable || took < reportFor || took > reportFor+reportRare {
			t.Errorf("%v after %s", err, took)
		}
	})
}

// TestJ1_ARefusalEndsTheReporting: the record knows better, and says why.
func TestJ1_ARefusalEndsTheReporting(t *testing.T) {
	for _, code := range []coord.Code{coord.CodeNotFound, coord.CodeStateConflict, coord.CodeNotPermitted, coord.CodeFenced} {
		synctest.Test(t, func(t *testing.T) {
			r, told, _ := reports(func(coord.ObserveJob) error { return coord.Errorf(code, "no more") })
			d, err := r.ended(t.Context(), jobResult{State: coord.JobFailed, At: time.Now()}, nil)
			if err != nil || d.Why != "no more" || len(*told) != 1 {
				t.Errorf("%s: %+v, %v after %d reports", code, d, err, len(*told))
			}
		})
	}
}

// TestJ1_AReportComesBehindAnothers: somebody else observed the job meanwhile.
func TestJ1_AReportComesBehindAnothers(t *testing.T) {
	r, told, kept := reports(func(c coord.ObserveJob) error {
		if c.Sequence <= 7 {
			return coord.Errorf(coord.CodeStateConflict, "after observation 7").WithDetail("sequence", strconv.Itoa(7))
		}
		return nil
	})
	if d, err := r.endedOnce(t.Context(), jobResult{State: coord.JobFailed}, nil); err != nil || d.Why != "" || *kept != 8 || len(*told) != 2 {
		t.Errorf("%+v, %v: %d reports, the last is %d", d, err, len(*told), *kept)
	}
}

// TestJ2_ARunningJobIsReportedAtItsPace, faster when a report was lost, until
// the process ends.
func TestJ2_ARunningJobIsReportedAtItsPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lost := 0
		var times []time.Duration
		began := time.Now()
		r, _, _ := reports(func(coord.ObserveJob) error {
			times = append(times, time.Since(began))
			if lost > 0 {
				lost--
				return silence
			}
			return nil
		})
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Minute)
		defer cancel()
		lost = 3
		r.running(ctx, coord.Process{PID: 1, Start: "x"}, 15*time.Minute)
		want := []time.Duration{0, time.Second, 3 * time.Second, 7 * time.Second}
		for i, w := range want {
			if i >= len(times) || times[i] != w {
				t.Fatalf("reports at %v, want them to begin with %v", times, want)
			}
		}
		for i, at := range times[len(want):] {
			if at != 7*time.Second+time.Duration(i+1)*5*time.Minute {
				t.Fatalf("reports at %v", times)
			}
		}
		if len(times) != len(want)+5 {
			t.Errorf("%d reports", len(times))
		}
	})
}
