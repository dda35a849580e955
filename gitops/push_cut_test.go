package gitops

import (
	"flag"
	"fmt"
	"io"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"coord"
)

// wire serves the repositories beside the fixture over git://, and cuts the
// next connection of each direction after so many bytes; -1 cuts nothing.
type wire struct {
	at       string // address
	up, down atomic.Int64
	served   chan [2]int64 // bytes sent and received of each connection, at its end
}

func newWire(f *fixture, t *testing.T) *wire {
	t.Helper()
	if out, err := f.try(f.dir, "daemon", "--help"); err != nil && strings.Contains(out, "not a git command") {
		t.Skip("this git serves nothing")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip("no sockets here")
	}
	w := &wire{at: "git://" + l.Addr().String() + "/", served: make(chan [2]int64, 100)}
	w.up.Store(-1)
	w.down.Store(-1)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			w.serve(f, c)
		}
	}()
	return w
}

// serve runs one connection to its end.
func (w *wire) serve(f *fixture, c net.Conn) {
	defer c.Close()
	base := filepath.Dir(f.dir)
	cmd := exec.Command("git", "daemon", "--inetd", "--export-all", "--enable=receive-pack", "--base-path="+base, base)
	cmd.Env = f.env
	in, err := cmd.StdinPipe()
	if err != nil {
		return
	}
	out, err := cmd.StdoutPipe()
	if err != nil || cmd.Start() != nil {
		return
	}
	went := make(chan int64, 1)
	go func() {
		n, _ := io.Copy(in, cutAfter(c, w.up.Load()))
		_ = in.Close()
		went <- n
	}()
	came, _ := io.Copy(c, cutAfter(out, w.down.Load()))
	_ = c.Close()
	sent := <-went
	_ = cmd.Wait() // what was received is carried out, or not, by now
	w.served <- [2]int64{sent, came}
}

func cutAfter(r io.Reader, n int64) io.Reader {
	if n < 0 {
		return r
	}
	return io.LimitReader(r, n)
}

// everyByte cuts a push at each of its bytes.
var everyByte = flag.Bool("every-byte", false, "cut a push at every byte that goes over the wire")

// cuts are where a connection of so many bytes is cut.
func cuts(all int64) (at []int64) {
	step := int64(1)
	if !*everyByte {
		step = max(all/7, 1)
	}
	for n := int64(0); n < all; n += step {
		at = append(at, n)
	}
	return append(at, all-1)
}

// A connection that is cut may have been cut before the remote did it or after:
// it is no success, and no refusal unless the remote said that it has nothing
// of it.
func TestPushOverACutConnection(t *testing.T) {
	f := newFixture(t)
	base := f.commit("base", "x", "1")
	bare := f.bareRemote()
	f.run("push", "-q", "origin", "main")
	w := newWire(f, t)
	f.run("remote", "set-url", "origin", w.at+"origin.git")
	f.write(".git/hooks/pre-push", "#!/bin/sh\n") // is not what ends it
	chmod(f, ".git/hooks/pre-push", 0o755)
	r := f.open()
	tree := OID(f.run("rev-parse", "HEAD^{tree}"))
	push := func(name string) (OID, error) {
		made := must[OID](t)(r.CommitTree(t.Context(), CommitSpec{Tree: tree, Parents: []OID{base}, Message: name, Author: &alpha, Committer: &alpha}))
		f.runIn(bare, "update-ref", target, string(base))
		f.runIn(bare, "update-ref", "-d", fenceRef)
		return made, r.Push(t.Context(), "origin", []RefUpdate{{target, made, Exactly(base)}, {fenceRef, made, Absent}}, true)
	}
	if _, err := push("whole"); err != nil {
		t.Fatal(err)
	}
	whole := <-w.served
	seen, made := map[string]bool{}, 0
	for way, cut := range []*atomic.Int64{&w.up, &w.down} {
		for _, at := range cuts(whole[way]) {
			name := fmt.Sprintf("%s after %d bytes", []string{"sent", "received"}[way], at)
			cut.Store(at)
			to, err := push(name)
			made++
			<-w.served
			cut.Store(-1)
			now := f.refsOf(bare)
			arrived := now[target] == to
			if arrived != (now[fenceRef] == to) || (!arrived && now[target] != base) {
				t.Errorf("%s: one moved without the other: %v", name, now)
			}
			seen[fmt.Sprint(way, arrived)] = true
			code := coord.CodeOf(err)
			if code != coord.CodeUnavailable && (arrived || code != coord.CodeRemoteRefused) {
				t.Errorf("%s: it arrived: %v, and it was told %q: %v", name, arrived, code, err)
			}
			printable(t, err)
			if then := observedOver(t, w, r); then[target] != now[target] || then[fenceRef] != now[fenceRef] {
				t.Errorf("%s: read back %v, the remote has %v", name, then, now)
			}
		}
	}
	if !seen["0 false"] || !seen["1 false"] || !seen["1 true"] {
		t.Errorf("the cuts were all on one side of the change: %v", seen)
	}
	t.Logf("proof: %d cuts of a push of two references: none moved without the other, and no answer said more than the remote", made)
	(&regatta{fixture: f, bare: bare}).fsck()
}

// observedOver reads the remote over the wire that is whole again.
func observedOver(t *testing.T, w *wire, r Repo) map[string]OID {
	t.Helper()
	seen := observed(t, r, target, fenceRef)
	<-w.served
	return seen
}
