package store

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"coord"
	"coord/servicetest"
)

// guest is a principal with one agent token, and a session under it.
type guest struct {
	coord.Service
	caller coord.Caller
	token  coord.IssuedToken
}

func invite(t testing.TB, s *Store, p coord.Service, principal coord.PrincipalID) guest {
	t.Helper()
	k, err := p.IssueToken(t.Context(), coord.IssueToken{Key: newKey(), Principal: principal, Role: coord.RoleAgent, Label: "for " + string(principal)})
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.Authenticate(t.Context(), k.Secret)
	if err != nil {
		t.Fatal(err)
	}
	svc := session(t, s, c, string(principal)+"-session")
	who, err := svc.Whoami(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return guest{svc, who, k}
}

func claim(t testing.TB, svc coord.Service, id coord.TaskID) coord.Claimed {
	t.Helper()
	c, err := svc.Claim(t.Context(), coord.Claim{Key: newKey(), Project: "pay", Task: id})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func refusedWith(t testing.TB, err error, want coord.Code) {
	t.Helper()
	if coord.CodeOf(err) != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestL14_RevokeRacesHeartbeats has holders renew, and write without a
// session, while their token is revoked. All of them had proved their
// credential before. What commits after the revocation is refused, and the
// lease is as the last renewal before it left it, dead.
func TestL14_RevokeRacesHeartbeats(t *testing.T) {
	s := testStore(t, servicetest.NewClock())
	p := person(t, s)
	for round := range 20 {
		g := invite(t, s, p, coord.PrincipalID(fmt.Sprint("guest", round)))
		held := claim(t, g, newTask(t, g, "pay"))
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				for {
					_, err := g.Renew(t.Context(), coord.Renew{Attempt: held.Attempt.ID, Fence: held.Attempt.Fence})
					if err == nil && i%2 == 0 {
						_, err = s.As(coord.Caller{Principal: g.caller.Principal, Role: coord.RoleAgent, Token: g.caller.Token}).
							CreateTask(t.Context(), coord.CreateTask{Key: newKey(), Project: "pay", Title: "x", SameTitle: true})
					}
					if err != nil {
						refusedWith(t, err, coord.CodeUnauthenticated)
						return
					}
				}
			})
		}
		if _, err := p.RevokeToken(t.Context(), coord.RevokeToken{Key: newKey(), ID: g.token.Token.ID, Reason: "race"}); err != nil {
			t.Fatal(err)
		}
		refusedAfter(t, s, g)
		all.Wait()
		checkNothingAfterRevocation(t, s, g)
		a := attemptNow(t, s, held.Attempt.ID)
		if a.Standing != coord.StandingRevoked || a.EndReason != "its last token was revoked: race" {
			t.Errorf("round %d: the attempt is %+v", round, a)
		}
	}
	checkRecord(t, s)
}

// refusedAfter wants the next request on any way in to be refused.
func refusedAfter(t *testing.T, s *Store, g guest) {
	t.Helper()
	_, err := s.Authenticate(t.Context(), g.token.Secret)
	refusedWith(t, err, coord.CodeUnauthenticated)
	_, err = g.Claim(t.Context(), coord.Claim{Key: newKey(), Project: "pay"})
	refusedWith(t, err, coord.CodeUnauthenticated)
	_, err = s.VerifySession(t.Context(), g.caller, g.caller.Session, proof)
	refusedWith(t, err, coord.CodeSessionUnknown)
}

// checkNothingAfterRevocation reads the log: the guest did nothing after its
// token was revoked.
func checkNothingAfterRevocation(t *testing.T, s *Store, g guest) {
	t.Helper()
	events, err := reading(t.Context(), s, func(v *view) ([]coord.Event, error) {
		return list(v, scanEvent, "SELECT "+eventColumns+" FROM events ORDER BY seq")
	})
	if err != nil {
		t.Fatal(err)
	}
	revoked := slices.IndexFunc(events, func(e coord.Event) bool {
		return e.Kind == coord.EventTokenRevoked && e.Data["token"] == string(g.token.Token.ID)
	})
	if revoked < 0 {
		t.Fatal("the revocation is not in the log")
	}
	for _, e := range events[revoked:] {
		if e.Actor == string(g.caller.Principal) || e.Actor == g.caller.Name || e.Actor == "" {
			t.Errorf("after the revocation: %+v", e)
		}
	}
}

func attemptNow(t *testing.T, s *Store, id coord.AttemptID) coord.Attempt {
	t.Helper()
	a, err := reading(t.Context(), s, func(v *view) (attemptRow, error) { return v.attempt(id) })
	if err != nil {
		t.Fatal(err)
	}
	return a.Attempt
}

// TestL14_DisabledOperator ends everything that a person could come in by, in
// one transaction.
func TestL14_DisabledOperator(t *testing.T) {
	s := testStore(t, servicetest.NewClock())
	p := person(t, s)
	warden := operator("warden")
	cookie, err := s.OpenWebSession(t.Context(), warden)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.DisableOperator(t.Context(), "warden", "left"); err != nil {
			t.Fatal(err)
		}
	}
	_, err = p.IssueToken(t.Context(), coord.IssueToken{Key: newKey(), Principal: "x", Role: coord.RoleAgent, Label: "x"})
	refusedWith(t, err, coord.CodeUnauthenticated)
	_, err = s.As(warden).RevokeToken(t.Context(), coord.RevokeToken{Key: newKey(), ID: "tok1", Reason: "a page that was open"})
	refusedWith(t, err, coord.CodeUnauthenticated)
	_, err = s.WebSession(t.Context(), cookie)
	refusedWith(t, err, coord.CodeUnauthenticated)
	_, err = s.OpenWebSession(t.Context(), warden)
	refusedWith(t, err, coord.CodeUnauthenticated)
	_, err = s.SignIn(t.Context(), "warden", "correct horse battery")
	refusedWith(t, err, coord.CodeUnauthenticated)
	_, unknown := s.SignIn(t.Context(), "nobody", "correct horse battery")
	if err.Error() != unknown.Error() {
		t.Errorf("a disabled name reads %q, an unknown one %q", err, unknown)
	}
	refusedWith(t, s.DisableOperator(t.Context(), "nobody", "left"), coord.CodeNotFound)
}

// TestK6_NoSecretReachesTheDisk issues, replays and rotates tokens and signs
// in, and looks for every secret in the bytes on the disk.
func TestK6_NoSecretReachesTheDisk(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, filepath.Join(dir, "coord.db"), servicetest.NewClock().Now)
	p := person(t, s)
	g := invite(t, s, p, "guest")
	c := coord.RotateToken{Key: newKey(), ID: g.token.Token.ID}
	next, err := p.RotateToken(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := p.RotateToken(t.Context(), c); err != nil || again.Secret != "" || !again.SecretShown {
		t.Errorf("a replay gave %+v, %v", again, err)
	}
	signedIn, err := s.SignIn(t.Context(), "warden", "correct horse battery")
	if err != nil {
		t.Fatal(err)
	}
	var stored []byte
	for _, name := range []string{"coord.db", "coord.db-wal"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		stored = append(stored, b...)
	}
	if !bytes.Contains(stored, []byte("for guest")) {
		t.Fatal("the look-up does not find what is stored")
	}
	for _, secret := range []string{g.token.Secret, next.Secret, signedIn.Secret, "correct horse battery"} {
		if secret == "" || bytes.Contains(stored, []byte(secret)) || len(secret) > 40 && bytes.Contains(stored, []byte(secret[10:42])) {
			t.Errorf("%q is stored", secret)
		}
	}
}

// TestK8_NamesDoNotMeet: keys are kept by principal, so an agent's principal
// is never an operator's name.
func TestK8_NamesDoNotMeet(t *testing.T) {
	s := testStore(t, servicetest.NewClock())
	p := person(t, s)
	_, err := p.IssueToken(t.Context(), coord.IssueToken{Key: newKey(), Principal: "warden", Role: coord.RoleAgent, Label: "x"})
	refusedWith(t, err, coord.CodeStateConflict)
	invite(t, s, p, "guest")
	refusedWith(t, s.CreateOperator(t.Context(), "guest", "correct horse battery"), coord.CodeBadRequest)
	// The refusal left nothing behind.
	_, err = s.SignIn(t.Context(), "guest", "correct horse battery")
	refusedWith(t, err, coord.CodeUnauthenticated)
}

// TestFault24_OneSessionTwoProcesses: an id with another proof is in use;
// whoever has another credential learns nothing of it.
func TestFault24_OneSessionTwoProcesses(t *testing.T) {
	s := testStore(t, servicetest.NewClock())
	p := person(t, s)
	a, b := invite(t, s, p, "first"), invite(t, s, p, "second")
	other := coord.SessionVerifier(strings.Repeat("another proof ", 4))
	open := func(g guest, id coord.SessionID) error {
		_, err := g.OpenSession(t.Context(), coord.OpenSession{ID: id, Verifier: other, Name: "x", Machine: "m1"})
		return err
	}
	refusedWith(t, open(a, a.caller.Session), coord.CodeSessionInUse)
	theirs := open(b, a.caller.Session)
	refusedWith(t, theirs, coord.CodeSessionUnknown)
	_, unknown := s.VerifySession(t.Context(), b.caller, "a-session-of-nobody", proof)
	if theirs.Error() != unknown.Error() {
		t.Errorf("another's session reads %q, none %q", theirs, unknown)
	}
	if _, err := s.VerifySession(t.Context(), a.caller, a.caller.Session, proof); err != nil {
		t.Errorf("the first process lost its session: %v", err)
	}
}

func TestSessionLineage(t *testing.T) {
	s := testStore(t, servicetest.NewClock())
	p := person(t, s)
	a, b := invite(t, s, p, "first"), invite(t, s, p, "second")
	open := func(g guest, c coord.OpenSession) (coord.Session, error) {
		c.Verifier, c.Machine = coord.SessionVerifier(proof), "m1"
		return g.OpenSession(t.Context(), c)
	}
	child := coord.OpenSession{ID: "a-child-of-the-first", Name: "child", Parent: a.caller.Session, Capabilities: []string{"gpu", "arm64", "gpu"}}
	got, err := open(a, child)
	if err != nil || got.Parent != a.caller.Session || !slices.Equal(got.Capabilities, []string{"arm64", "gpu"}) {
		t.Errorf("opened %+v, %v", got, err)
	}
	again := child
	again.Parent, again.Capabilities = "", nil
	if same, err := open(a, again); err != nil || same.Parent != got.Parent || !slices.Equal(same.Capabilities, got.Capabilities) {
		t.Errorf("opened again %+v, %v", same, err)
	}
	for name, parent := range map[string]coord.SessionID{"another principal's": b.caller.Session, "nobody's": "a-session-of-nobody"} {
		if _, err := open(a, coord.OpenSession{ID: "a-stray-session-00", Name: "stray", Parent: parent}); coord.CodeOf(err) != coord.CodeNotFound {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNotingAUseKeepsNobodyOut: reads go on where nothing can be written.
func TestNotingAUseKeepsNobodyOut(t *testing.T) {
	s := testStore(t, servicetest.NewClock())
	g := invite(t, s, person(t, s), "guest")
	ctx, cancel := context.WithCancel(t.Context())
	s.noteUse(ctx, g.token.Token.ID)
	cancel()
	s.noteUse(ctx, g.token.Token.ID)
	s.noteUse(t.Context(), "no token")
}

// TestL13_RefusalsTellNoRecipe holds what each kind of caller is told to
// testdata/refusals.txt; -update writes it. Nobody is told a session id, and
// whoever does not own a thing learns its state and when to look again.
func TestL13_RefusalsTellNoRecipe(t *testing.T) {
	clock := servicetest.NewClock()
	s := testStore(t, clock)
	p := person(t, s)
	owner, other := invite(t, s, p, "owner"), invite(t, s, p, "other")
	held := claim(t, owner, newTask(t, owner, "pay"))
	var out bytes.Buffer
	tell := func(when string) {
		for _, who := range []struct {
			name string
			coord.Service
		}{{"owner", owner}, {"another agent", other}, {"operator", p}, {"setup", setup(s)}} {
			for _, try := range tries(held) {
				fmt.Fprintf(&out, "## %s: %s %s\n%s\n", when, who.name, try.name, told(try.run(t.Context(), who.Service)))
			}
		}
	}
	tell("held")
	clock.Advance(30 * time.Minute)
	tell("expired")
	for _, g := range []guest{owner, other} {
		for _, secret := range []string{string(g.caller.Session), string(g.caller.Session.Short()), g.token.Secret} {
			if strings.Contains(out.String(), secret) {
				t.Errorf("a refusal tells %q", secret)
			}
		}
	}
	path := filepath.Join("testdata", "refusals.txt")
	if *update {
		if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || out.String() != strings.ReplaceAll(string(want), "\r\n", "\n") {
		t.Errorf("the refusals are not those of %s (%v); look at them and run go test -update:\n%s", path, err, out.String())
	}
}

type attempted struct {
	name string
	run  func(ctx context.Context, svc coord.Service) error
}

// tries are ways to get at work that is in other hands. None of them has an
// effect for anybody, the owner included: it states an old fence.
func tries(held coord.Claimed) []attempted {
	old := coord.Fence{Epoch: held.Attempt.Fence.Epoch}
	return []attempted{
		{"claims", func(ctx context.Context, svc coord.Service) error {
			_, err := svc.Claim(ctx, coord.Claim{Key: newKey(), Project: "pay", Task: held.Task.ID})
			return err
		}},
		{"recovers", func(ctx context.Context, svc coord.Service) error {
			_, err := svc.Claim(ctx, coord.Claim{Key: newKey(), Project: "pay", Task: held.Task.ID, Recovery: &coord.Recovery{Generation: 9, Disposition: coord.DispositionRestart, Reason: "mine now"}})
			return err
		}},
		{"claims the next", func(ctx context.Context, svc coord.Service) error {
			_, err := svc.Claim(ctx, coord.Claim{Key: newKey(), Project: "pay"})
			return err
		}},
		{"renews", func(ctx context.Context, svc coord.Service) error {
			_, err := svc.Renew(ctx, coord.Renew{Attempt: held.Attempt.ID, Fence: old})
			return err
		}},
		{"resumes", func(ctx context.Context, svc coord.Service) error {
			_, err := svc.Resume(ctx, coord.Resume{Key: newKey(), Attempt: held.Attempt.ID, Fence: old})
			return err
		}},
		{"releases", func(ctx context.Context, svc coord.Service) error {
			_, err := svc.Release(ctx, coord.Release{Key: newKey(), Attempt: held.Attempt.ID, Fence: old, Reason: "not mine"})
			return err
		}},
		{"lists tokens", func(ctx context.Context, svc coord.Service) error {
			_, err := svc.ListTokens(ctx)
			return err
		}},
		{"closes a session", func(ctx context.Context, svc coord.Service) error {
			_, err := svc.CloseSession(ctx, coord.CloseSession{Key: newKey(), Session: "a-session-of-nobody"})
			return err
		}},
	}
}

// told is a refusal as the wire carries it.
func told(err error) string {
	if err == nil {
		return "allowed"
	}
	b, jerr := json.Marshal(err)
	if jerr != nil {
		return jerr.Error()
	}
	return string(b)
}
