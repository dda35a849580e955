package client

import (
	"context"
	"net/http"
	"os"
	"testing"
	"time"

	"coord"
)

// TestFault24_TheSecondCommandOfASession waits for the first as long as a
// request may take, and then says that nothing was sent.
func TestFault24_TheSecondCommandOfASession(t *testing.T) {
	l := newLossy(t)
	m := newMachine(t, l.URL)
	unlock, err := OpenJournal(m.key).lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := m.process()
	c.opts.Timeout = time.Millisecond
	_, err = c.CreateTask(t.Context(), task("a"))
	if e := wantCode(t, err, coord.CodeSessionInUse, "another command of this session", "nothing was sent"); e.Details["outcome"] != OutcomeNotSent {
		t.Errorf("error %+v", e)
	}
	if len(l.all()) != 0 {
		t.Error("something was sent without the lock")
	}
	unlock()
	c.opts.Timeout = time.Minute
	if _, err := c.CreateTask(t.Context(), task("a")); err != nil {
		t.Errorf("after the first command: %v", err)
	}
}

// TestAClosedSessionIsOverForItsJournal: a request that waits for its answer
// does not block what comes after for a session that never comes back.
func TestAClosedSessionIsOverForItsJournal(t *testing.T) {
	l := newLossy(t)
	m := newMachine(t, l.URL)
	l.loseNext(2)
	_, err := m.process().CreateTask(context.Background(), task("a"))
	wantCode(t, err, coord.CodeUnavailable)
	l.answerWith(func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(`{"status":401,"code":"session_unknown","detail":"the session was closed","retry":"same_key","details":{"closed":"true"}}`))
		return true
	})
	before := len(l.all())
	_, err = m.process().CreateTask(context.Background(), task("a"))
	if e := wantCode(t, err, coord.CodeSessionUnknown); !SessionClosed(e) || len(e.Next) == 0 {
		t.Errorf("error %+v", e)
	}
	if p, err := OpenJournal(m.key).Pending(); p != nil || err != nil {
		t.Errorf("still pending: %+v, %v", p, err)
	}
	if sent := len(l.all()) - before; sent != 1 {
		t.Errorf("%d requests for a session that is over", sent)
	}
}

func TestOperatorCredential(t *testing.T) {
	k := Credentials{Dir: t.TempDir()}
	const server = "https://coord.example.com"
	token := func(role coord.Role) string {
		text, err := coord.NewToken(role, &seeded{})
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	agent, operator := token(coord.RoleAgent), token(coord.RoleOperator)
	for _, keep := range []Credential{{Agent: agent}, {Operator: operator}} {
		if err := k.Keep(server, keep); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := k.For(server); err != nil || got != (Credential{Agent: agent, Operator: operator}) {
		t.Errorf("kept %+v, %v", got, err)
	}
	if err := k.ForgetOperator(server); err != nil {
		t.Fatal(err)
	}
	if got, err := k.For(server); err != nil || got != (Credential{Agent: agent}) {
		t.Errorf("after logout: %+v, %v", got, err)
	}
}

func TestV5_AForgottenSessionHasAnHeir(t *testing.T) {
	key := SessionKey{Dir: t.TempDir(), Origin: "https://coord.example.com", Name: "name alpha"}
	if id, err := KeptSession(key); id != "" || err != nil {
		t.Errorf("before there is one: %q, %v", id, err)
	}
	load := func() *Session {
		s, err := LoadSession(key, "alpha", "m1", &seeded{n: byte(len(os.Args[0]))})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first := load()
	if id, err := KeptSession(key); id != first.ID || err != nil {
		t.Errorf("kept %q, %v", id, err)
	}
	for range 2 {
		if err := first.Forget(&seeded{n: 99}); err != nil {
			t.Error(err)
		}
	}
	heir := load()
	if heir.ID == first.ID || heir.Proof == first.Proof || heir.former != first.ID || heir.isOpen() {
		t.Errorf("after it was forgotten: %+v", heir)
	}
}

// seeded is a source of bytes that are the same each time.
type seeded struct{ n byte }

func (s *seeded) Read(b []byte) (int, error) {
	for i := range b {
		s.n++
		b[i] = s.n
	}
	return len(b), nil
}
