package server

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"coord"
	"coord/client"
)

// running is a server in this process.
type running struct {
	url   string
	end   context.CancelFunc
	ended chan error
}

func start(t *testing.T, dir string) running {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r := running{end: cancel, ended: make(chan error, 1)}
	addr := make(chan string, 1)
	go func() {
		r.ended <- Run(ctx, Config{DataDir: dir, Listen: "127.0.0.1:0", Version: "test"}, func(a string) { addr <- a })
	}()
	select {
	case a := <-addr:
		r.url = "http://" + a
	case err := <-r.ended:
		t.Fatalf("the server ended: %v", err)
	}
	t.Cleanup(cancel)
	return r
}

func (r running) stop(t *testing.T) {
	t.Helper()
	r.end()
	select {
	case err := <-r.ended:
		if err != nil {
			t.Errorf("the server ended with %v", err)
		}
	case <-time.After(2 * drain):
		t.Fatal("the server did not end")
	}
}

func provision(t *testing.T, dir string, w Wish) Secrets {
	t.Helper()
	w.Agent, w.Operator = "m1", "operator"
	s, err := Provision(context.Background(), dir, w)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

func TestRunServes(t *testing.T) {
	dir := t.TempDir()
	s := provision(t, dir, Wish{})
	r := start(t, dir)
	for path, want := range map[string]int{"/livez": 200, "/readyz": 200, "/api/v1/projects": 401, "/": 401, "/login": 200, "/nothing": 401} {
		if got, _ := get(t, r.url+path); got != want {
			t.Errorf("%s: %d, want %d", path, got, want)
		}
	}
	who, err := client.New(client.Options{Server: r.url, Token: s.AgentToken}).Whoami(context.Background())
	if err != nil || who.Role != coord.RoleAgent {
		t.Errorf("the agent's token gives %+v, %v", who, err)
	}
	r.stop(t)
}

// What is in the data directory outlives the server, and one directory has
// one server.
// A method that nobody knows is answered like any other without a credential.
func TestUnknownMethod(t *testing.T) {
	r := start(t, t.TempDir())
	defer r.stop(t)
	for _, path := range []string{"/", "/x", "/api/v1/projects", "/livez"} {
		req, err := http.NewRequestWithContext(t.Context(), "FOO", r.url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusUnauthorized || resp.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d, %v", path, resp.StatusCode, resp.Header)
		}
	}
}

func TestL19_OneServerPerDirectory(t *testing.T) {
	dir := t.TempDir()
	first := start(t, dir)
	err := Run(context.Background(), Config{DataDir: dir, Listen: "127.0.0.1:0"}, nil)
	if coord.CodeOf(err) != coord.CodeSetup {
		t.Errorf("a second server: %v", err)
	}
	if _, err := Provision(context.Background(), dir, Wish{Agent: "m1", Operator: "operator"}); coord.CodeOf(err) != coord.CodeSetup {
		t.Errorf("provisioning beside a server: %v", err)
	}
	first.stop(t)
	start(t, dir).stop(t)
}

// TestD3 overwrites the files under a server that runs: it ends by itself, and
// says where and what to do.
func TestD3_BrokenStorageEndsTheServer(t *testing.T) {
	dir := t.TempDir()
	s := provision(t, dir, Wish{})
	r := start(t, dir)
	for _, name := range []string{databaseName, databaseName + "-wal"} {
		overwrite(t, filepath.Join(dir, name))
	}
	agent := client.New(client.Options{Server: r.url, Token: s.AgentToken})
	if _, err := agent.Whoami(context.Background()); coord.CodeOf(err) != coord.CodeUnavailable {
		t.Errorf("a request that met the broken file: %v", err)
	}
	select {
	case err := <-r.ended:
		var e *coord.Error
		if !errors.As(err, &e) || e.Code.ExitStatus() == 0 || !strings.Contains(e.Message, dir) || len(e.Next) == 0 || !strings.Contains(e.Next[len(e.Next)-1], "coord serve --data "+dir) {
			t.Errorf("the server ended with %+v", err)
		}
	case <-time.After(2 * drain):
		t.Fatal("the server goes on")
	}
	if _, err := http.Get(r.url + "/livez"); err == nil {
		t.Error("it still answers")
	}
}

// overwrite leaves a file its size and takes all that it said, but for a
// header.
func overwrite(t *testing.T, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const header = 100
	st, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(bytes.Repeat([]byte{0xee}, int(max(st.Size()-header, 0))), header); err != nil {
		t.Fatal(err)
	}
}

func TestAddressInUse(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	err = Run(context.Background(), Config{DataDir: t.TempDir(), Listen: ln.Addr().String()}, nil)
	if coord.CodeOf(err) != coord.CodeSetup || !strings.Contains(err.Error(), ln.Addr().String()) {
		t.Errorf("got %v", err)
	}
}

// Provision makes what lacks, and keeps what is valid.
func TestProvision(t *testing.T) {
	dir := t.TempDir()
	first := provision(t, dir, Wish{})
	if first.Operator != "operator" || len(first.Password) != passwordLength {
		t.Errorf("the login is %q, %q", first.Operator, first.Password)
	}
	kept := provision(t, dir, Wish{AgentToken: first.AgentToken, SetupToken: first.SetupToken})
	if want := (Secrets{AgentToken: first.AgentToken, SetupToken: first.SetupToken}); kept != want {
		t.Errorf("got %+v, want %+v", kept, want)
	}
	// A token of another server, or of the other kind, is none.
	other := provision(t, t.TempDir(), Wish{})
	healed := provision(t, dir, Wish{AgentToken: other.AgentToken, SetupToken: first.AgentToken})
	for _, token := range []string{healed.AgentToken, healed.SetupToken} {
		if coord.CheckToken(token) != nil || token == other.AgentToken || token == first.AgentToken {
			t.Errorf("got %+v", healed)
		}
	}
}

// When the server begins to end, requests that only wait for events end at
// once; all others are left to finish.
func TestEndWaiting(t *testing.T) {
	for path, want := range map[string]bool{"/events": true, "/api/v1/projects/pay/events": true, "/api/v1/projects": false} {
		waits, end := context.WithCancel(context.Background())
		entered, release, canceled := make(chan struct{}), make(chan struct{}), make(chan bool, 1)
		h := endWaiting(waits, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			close(entered)
			if want {
				<-r.Context().Done() // hangs the test if it does not come
			} else {
				<-release
			}
			canceled <- r.Context().Err() != nil
		}))
		go h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil))
		<-entered
		end()
		close(release)
		if got := <-canceled; got != want {
			t.Errorf("%s: ended %t, want %t", path, got, want)
		}
	}
}

// A correction of the machine's clock is not seen: the clock is anchored to
// the monotonic one.
func TestClock(t *testing.T) {
	now := Clock()
	a, b := now(), now()
	if b.Before(a) || time.Until(a).Abs() > time.Minute {
		t.Errorf("%s, then %s", a, b)
	}
	if strings.Contains(a.String(), "m=") {
		t.Error("the time carries a monotonic reading, which would not survive being stored")
	}
}
