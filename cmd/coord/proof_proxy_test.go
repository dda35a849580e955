package main

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"coord"
)

// lossyProxy passes every request on to a server, and loses the answers of
// POST requests: the connection breaks after the server has answered.
type lossyProxy struct {
	*httptest.Server
	to     string
	losses int // how many answers of each route are lost after arm

	mu   sync.Mutex
	left map[string]int  // losses still to come, of the routes that were used since
	lost map[string]bool // routes that ever lost an answer
}

func newLossyProxy(t *testing.T, to string, losses int) *lossyProxy {
	t.Helper()
	p := startLossyProxy(to, losses)
	t.Cleanup(p.Close)
	return p
}

func startLossyProxy(to string, losses int) *lossyProxy {
	p := &lossyProxy{to: to, losses: losses, lost: map[string]bool{}}
	p.arm()
	p.Server = httptest.NewServer(p)
	return p
}

// scriptKnown types a coord command again and again while its outcome is
// unknown; it wants that to happen at least once, and the command to be done in
// the end.
func scriptKnown(ts *testscript.TestScript, neg bool, args []string) {
	for n := range 20 {
		err := ts.Exec("coord", args...)
		var exited *exec.ExitError
		switch {
		case err == nil && n > 0 && !neg:
			return
		case errors.As(err, &exited) && exited.ExitCode() == coord.CodeUnavailable.ExitStatus():
		default:
			ts.Fatalf("coord %s, run %d: %v", strings.Join(args, " "), n+1, err)
		}
	}
	ts.Fatalf("coord %s never came to an end", strings.Join(args, " "))
}

// scriptLossy has the script's server lose the first N answers of each
// route from here on; with off, no more.
func scriptLossy(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) == 1 && args[0] == "off" {
		ts.Setenv("COORD_SERVER", "")
		ts.Setenv("COORD_TOKEN", "")
		return
	}
	scriptToken(ts, false, []string{"agent"})
	losses, err := strconv.Atoi(args[0])
	ts.Check(err)
	p := startLossyProxy(ts.Getenv("SERVER"), losses)
	ts.Defer(p.Close)
	ts.Setenv("COORD_SERVER", p.URL)
	ts.Setenv("COORD_TOKEN", ts.Getenv("AGENT"))
}

var routeID = regexp.MustCompile(`/(attempts|landings|tasks|projects)/[^/]+`)

// arm begins a new series of losses.
func (p *lossyProxy) arm() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left = map[string]int{}
}

// lose changes how many answers are lost.
func (p *lossyProxy) lose(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.losses = n
}

// loses decides whether the answer of a request is lost.
func (p *lossyProxy) loses(r *http.Request) bool {
	if r.Method != http.MethodPost {
		return false
	}
	route := routeID.ReplaceAllString(strings.TrimPrefix(r.URL.Path, "/api/v1"), "/$1/…")
	p.mu.Lock()
	defer p.mu.Unlock()
	left, used := p.left[route]
	if !used {
		left = p.losses
	}
	p.left[route] = max(left-1, 0)
	if left > 0 {
		p.lost[route] = true
	}
	return left > 0
}

// routes lists the routes that lost answers.
func (p *lossyProxy) routes() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []string
	for r := range p.lost {
		all = append(all, r)
	}
	slices.Sort(all)
	return all
}

func (p *lossyProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	req, err := http.NewRequestWithContext(r.Context(), r.Method, p.to+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	req.Header = r.Header.Clone()
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(resp.Body)
	if err != nil || p.loses(r) {
		panic(http.ErrAbortHandler) // net/http closes the connection without an answer
	}
	for k, v := range resp.Header {
		w.Header()[k] = v
	}
	w.WriteHeader(resp.StatusCode)
	_, _ = w.Write(answer)
}
