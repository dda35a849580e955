package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"coord"
	"coord/client"
	"coord/server"
)

// reached is the server that up found or started.
type reached struct {
	url     string
	data    string // its data directory; empty for a server that is not ours
	started bool
	secrets server.Secrets // what was made for it just now
}

// starter starts the server of a data directory at an address, and returns
// when it answers.
type starter func(ctx context.Context, l localServer, addr string) error

// elsewhere returns the server to use when it is not this user's own on this
// machine: COORD_SERVER, or what .coord.toml names.
func (a *app) elsewhere(c Config) string {
	if s := a.env.get("COORD_SERVER"); s != "" {
		return s
	}
	if c.Server != "" && !isLoopback(c.Server) {
		return c.Server
	}
	return ""
}

// isLoopback reports whether a URL names this machine.
func isLoopback(server string) bool {
	u, err := url.Parse(server)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// address chooses where a server of ours listens: where .coord.toml says,
// where it listened before, the default, or a free port.
func (l localServer) address(c Config) (string, error) {
	n, err := l.note()
	if err != nil {
		return "", err
	}
	if c.Server != "" && (n.URL == "" || sameOrigin(c.Server, n.URL)) {
		u, err := url.Parse(c.Server)
		if err != nil || u.Port() == "" {
			return "", coord.Errorf(coord.CodeSetup, "%s names the server %q, which is not an address such as http://%s; nothing was done", c.Path, c.Server, server.DefaultListen).
				WithNext("edit " + c.Path)
		}
		return u.Host, nil
	}
	if c.Server != "" {
		return "", l.otherServer(c, n)
	}
	for _, addr := range []string{n.Listen, server.DefaultListen, "127.0.0.1:0"} {
		if free, ok := freeAddress(addr); addr != "" && ok {
			return free, nil
		}
	}
	return "", coord.Errorf(coord.CodeSetup, "no port of 127.0.0.1 can be listened on; no server was started").WithNext("coord doctor")
}

// otherServer says that .coord.toml names another server than ours.
func (l localServer) otherServer(c Config, n serverNote) error {
	return coord.Errorf(coord.CodeSetup, "%s names the server %s, and the server of this machine is %s; nothing was done", c.Path, c.Server, n.URL).
		WithNext("edit "+c.Path+": server = "+tomlString(n.URL), "COORD_SERVER="+c.Server+" coord up")
}

func sameOrigin(a, b string) bool {
	oa, errA := client.Origin(a)
	ob, errB := client.Origin(b)
	return errA == nil && errB == nil && oa == ob
}

// freeAddress tries to listen, and returns the address with its port.
func freeAddress(addr string) (string, bool) {
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return "", false
	}
	defer func() { _ = ln.Close() }()
	return ln.Addr().String(), true
}

// ensure finds the running server of the data directory, or equips and
// starts one. The caller holds upLock.
func (a *app) ensure(ctx context.Context, l localServer, c Config, start starter) (reached, error) {
	r := reached{data: l.dir}
	on, err := l.running()
	if err != nil {
		return r, err
	}
	if on {
		n, err := l.note()
		if err == nil && c.Server != "" && !sameOrigin(c.Server, n.URL) {
			err = l.otherServer(c, n)
		}
		r.url = n.URL
		return r, err
	}
	for try := 1; ; try++ {
		err := a.equipAndStart(ctx, l, c, &r, start)
		if err == nil || c.Server != "" || try == startTries || !addressTaken(err) {
			return r, a.unstarted(r, err)
		}
	}
}

// startTries is how often a server is started when the address that was free
// when it was chosen is another's a moment later.
const startTries = 5

func addressTaken(err error) bool {
	var e *coord.Error
	return errors.As(err, &e) && e.Details["address"] != ""
}

// equipAndStart chooses the address, keeps credentials for it, and starts the
// server there. What was kept for one that does not start is taken back:
// another server may answer there.
func (a *app) equipAndStart(ctx context.Context, l localServer, c Config, r *reached, start starter) error {
	addr, err := l.address(c)
	if err != nil {
		return err
	}
	dir, err := a.env.configDir()
	if err != nil {
		return err
	}
	r.url, r.started = "http://"+addr, true
	creds := client.Credentials{Dir: dir}
	before, err := creds.For(r.url)
	if err != nil {
		return err
	}
	made, err := equip(ctx, l, before)
	if err != nil {
		return err
	}
	if made.Password == "" { // it was made for an earlier try
		made.Operator, made.Password = r.secrets.Operator, r.secrets.Password
	}
	r.secrets = made
	if err := creds.Keep(r.url, client.Credential{Agent: made.AgentToken, Setup: made.SetupToken}); err != nil {
		return err
	}
	if err = start(ctx, l, addr); err != nil {
		_ = creds.Keep(r.url, before) // if not, the next try or up issues new ones
	}
	return err
}

// unstarted says the password that was just made, which exists nowhere else,
// when the server did not start.
func (a *app) unstarted(r reached, cause error) error {
	if cause != nil && r.secrets.Password != "" {
		a.say("when the server runs, the dashboard has the user %s, password %s (shown once)", r.secrets.Operator, r.secrets.Password)
	}
	return cause
}

// equip makes what a server that does not run yet lacks: an operator's login,
// and tokens for this machine. Tokens that are kept and valid stay.
func equip(ctx context.Context, l localServer, have client.Credential) (server.Secrets, error) {
	return equipAs(ctx, l, have, agentNamed(machineName()))
}

func equipAs(ctx context.Context, l localServer, have client.Credential, agent string) (server.Secrets, error) {
	return server.Provision(ctx, l.dir, server.Wish{
		Agent: agent, Operator: operatorName, AgentToken: have.Agent, SetupToken: have.Setup, Random: rand.Reader,
	})
}

// operatorName is the login that up makes.
const operatorName = "operator"

// agentNamed is the principal of the agents of a machine: the machine's name,
// unless that is what a role or the operator is called. Two who went by one
// name would share its idempotency keys, its sessions and its blame.
func agentNamed(machine string) string {
	taken := []string{
		"", operatorName, string(coord.RoleAgent), string(coord.RoleOperator), string(coord.RoleSetup), string(coord.RoleReporter), "admin", "nobody",
	}
	if name := strings.ToLower(strings.TrimSpace(machine)); slices.Contains(taken, name) {
		return strings.TrimSpace("machine " + name)
	}
	return machine
}

// startWithin is how long a server may take to say that it is ready.
const startWithin = time.Minute

// startDetached starts coord serve as a process that outlives this one, and
// returns when it says that it answers. One that does not is ended.
func (a *app) startDetached(ctx context.Context, l localServer, addr string) error {
	cmd, err := a.child("serve", "--json", "--data", l.dir, "--listen", addr)
	if err != nil {
		return err
	}
	log, err := l.openLog()
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	cmd.Dir, cmd.Stderr = l.dir, log
	said, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return coord.Errorf(coord.CodeInternal, "the server cannot be started: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	defer context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })() // ends the wait for its words
	line, err := bufio.NewReader(said).ReadBytes('\n')
	if ctx.Err() != nil || err != nil && !errors.Is(err, io.EOF) {
		_ = cmd.Wait()
		return coord.Errorf(coord.CodeUnavailable, "the server did not say that it is ready and was ended; see %s", l.logPath()).WithNext("coord up")
	}
	return l.judgeStart(cmd, line)
}

// bigLog is the size from which on a server starts with an empty log; the old
// one is kept beside it until the next time.
const bigLog = 16 << 20

func (l localServer) openLog() (*os.File, error) {
	if st, err := os.Stat(l.logPath()); err == nil && st.Size() > bigLog {
		_ = os.Rename(l.logPath(), l.logPath()+".1") // if not, the log grows on
	}
	log, err := os.OpenFile(l.logPath(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, coord.Errorf(coord.CodeSetup, "cannot write %s: %w; no server was started", l.logPath(), err).WithNext("coord doctor")
	}
	return log, nil
}

// judgeStart reads the server's first words: that it is ready, or why not.
func (l localServer) judgeStart(cmd *exec.Cmd, line []byte) error {
	var d struct {
		Kind  string       `json:"kind"`
		Error *coord.Error `json:"error"`
	}
	if json.Unmarshal(bytes.TrimSpace(line), &d) == nil && d.Kind == "ready" {
		return cmd.Process.Release()
	}
	_ = cmd.Wait() // it has closed its output and ends
	if d.Error != nil {
		return d.Error
	}
	return coord.Errorf(coord.CodeInternal, "the server ended before it was ready%s; see %s", lastLine(l.logPath()), l.logPath())
}

// lastLine is the end of a log, as part of a sentence.
func lastLine(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if last := clip(lines[len(lines)-1], 300); last != "" {
		return ": " + last
	}
	return ""
}
