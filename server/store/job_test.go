package store

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"coord"
)

// TestJ4_ARegistrationSurvivesAKill: whoever launches after the
// answer launches a job that outlives the server.
func TestJ4_ARegistrationSurvivesAKill(t *testing.T) {
	s, alpha, c := resourceWorld(t)
	cmd := coord.RegisterJob{Key: newKey(), Attempt: c.Attempt.ID, Fence: c.Attempt.Fence, Name: "x", External: "ci/1", Argv: strings.Repeat("b", 64), Machine: "m1"}
	first, err := alpha.RegisterJob(t.Context(), cmd)
	if err != nil {
		t.Fatal(err)
	}
	after := killed(t, s)
	again, err := after.As(whoami(t, alpha)).RegisterJob(t.Context(), cmd)
	if err != nil || again.Job.ID != first.Job.ID || again.Reporter != "" || !again.ReporterShown {
		t.Errorf("after a kill: %+v, %v", again, err)
	}
	caller, err := after.Authenticate(t.Context(), first.Reporter)
	if err != nil || caller.Role != coord.RoleReporter || caller.Job != first.Job.ID || caller.Session != "" {
		t.Errorf("its reporter is %+v, %v", caller, err)
	}
}

// TestK6_AReporterIsKnownByItsVerifierAlone looks for the credential in the
// bytes on the disk, and shows that nothing near it is taken for it.
func TestK6_AReporterIsKnownByItsVerifierAlone(t *testing.T) {
	s, alpha, c := resourceWorld(t)
	r, err := alpha.RegisterJob(t.Context(), coord.RegisterJob{Key: newKey(), Attempt: c.Attempt.ID, Fence: c.Attempt.Fence, Name: "x", Argv: strings.Repeat("b", 64), Machine: "m1"})
	if err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{"", "-wal"} {
		stored, err := os.ReadFile(s.opt.Path + suffix)
		if err != nil || bytes.Contains(stored, []byte(r.Reporter[10:42])) {
			t.Errorf("the credential is in coord.db%s (%v)", suffix, err)
		}
	}
	other, err := coord.NewToken(coord.RoleReporter, s.opt.Random)
	if err != nil {
		t.Fatal(err)
	}
	near := r.Reporter[:len(r.Reporter)-1] + "x"
	if near == r.Reporter {
		near = r.Reporter[:len(r.Reporter)-1] + "y"
	}
	for _, token := range []string{other, near, strings.Replace(r.Reporter, "_rep_", "_agt_", 1)} {
		if c, err := s.Authenticate(t.Context(), token); coord.CodeOf(err) != coord.CodeUnauthenticated {
			t.Errorf("%s is %+v, %v", token, c, err)
		}
	}
}

// TestL2_AnObservationOfAnOldSnapshotIsRefused decides on a job as it was.
func TestL2_AnObservationOfAnOldSnapshotIsRefused(t *testing.T) {
	s, _, _ := resourceWorld(t)
	for _, meanwhile := range []string{
		"UPDATE jobs SET state = 'failed', exit_status = 2, ended_at = 1",
		"UPDATE jobs SET sequence = 7",
		"UPDATE jobs SET attempt = 'pay-2.a1'",
		"UPDATE jobs SET conflict = 1",
		"SELECT 1",
	} {
		undo := errors.New("leave everything as it was")
		err := s.writer.do(t.Context(), coord.Caller{}, func(x *tx) error {
			old, err := x.job("j2")
			if err != nil {
				return err
			}
			if _, err := x.exec(meanwhile); err != nil {
				return err
			}
			next := old.Job
			next.State, next.Sequence, next.ObservedAt = coord.JobRunning, 1, x.now.Add(time.Second)
			return errors.Join(x.updateJob(old, next), undo)
		})
		if want := map[bool]coord.Code{true: coord.CodeInternal, false: coord.CodeStateConflict}[meanwhile == "SELECT 1"]; coord.CodeOf(err) != want {
			t.Errorf("%s: %v", meanwhile, err)
		}
	}
}
