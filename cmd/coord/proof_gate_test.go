package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"
)

// gateWord makes this test program a required check, or a hook of the remote:
// it tells the test that it runs, and ends when the test says so.
const gateWord = "proof-gate"

func init() {
	if len(os.Args) != 3 || os.Args[1] != gateWord {
		return
	}
	c, err := net.Dial("tcp", os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	dir, _ := os.Getwd()
	fmt.Fprintln(c, dir)
	if answer, err := bufio.NewReader(c).ReadString('\n'); err != nil || answer != "pass\n" {
		os.Exit(1)
	}
	os.Exit(0)
}

// gate holds up what runs through it in some directories, as long as it is
// shut.
type gate struct {
	ln      net.Listener
	waiting chan net.Conn // what a shut gate holds up
	shut    chan string   // the one value is part of the directories; all pass when it is empty
}

// The directories that a gate may be shut for.
const (
	landings = ".landing-" // where landings run their checks
	pushes   = "pay.git"   // where the remote runs its hooks
)

// newGate returns an open gate and the configuration of its check.
func newGate(t *testing.T) (*gate, string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{ln: ln, waiting: make(chan net.Conn, crowd), shut: make(chan string, 1)}
	g.shut <- ""
	t.Cleanup(func() { _ = ln.Close() })
	go g.serve()
	return g, fmt.Sprintf("[[check]]\nname = \"gate\"\nrun = ['%s', '%s', '%s']\n", self, gateWord, ln.Addr())
}

func (g *gate) serve() {
	for {
		c, err := g.ln.Accept()
		if err != nil {
			return
		}
		line, _ := bufio.NewReader(c).ReadString('\n')
		shut := <-g.shut
		g.shut <- shut
		if shut != "" && strings.Contains(line, shut) {
			g.waiting <- c
			continue
		}
		pass(c)
	}
}

// shutFor shuts the gate for some directories, and opens it for the rest.
func (g *gate) shutFor(dirs string) {
	<-g.shut
	g.shut <- dirs
}

func (g *gate) open() { g.shutFor("") }

// arrived waits until something is held up.
func (g *gate) arrived(t *testing.T) net.Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	select {
	case c := <-g.waiting:
		return c
	case <-ctx.Done():
		t.Fatal("nothing came to the gate")
		return nil
	}
}

func pass(c net.Conn) {
	fmt.Fprintln(c, "pass")
	_ = c.Close()
}
