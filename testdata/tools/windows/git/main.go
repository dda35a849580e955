// Git stands in for git.exe under Wine: the program that started the tests
// runs the real git on the Linux side.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"

	"coord/testdata/tools/windows/wire"
)

func main() {
	status, err := run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "the stand-in for git:", err)
		status = 128
	}
	os.Exit(status)
}

func run() (status int, err error) {
	conn, err := ask()
	if err != nil {
		return 0, err
	}
	go forward(conn)
	for {
		kind, data, err := wire.Receive(conn)
		switch {
		case err != nil:
			return 0, err
		case kind == wire.Output:
			_, err = os.Stdout.Write(data)
		case kind == wire.Errors:
			_, err = os.Stderr.Write(data)
		case kind == wire.Exit:
			return strconv.Atoi(string(data))
		}
		if err != nil {
			return 0, err
		}
	}
}

func ask() (net.Conn, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(filepath.Dir(self), wire.PlaceFile))
	if err != nil {
		return nil, err
	}
	at, err := wire.ReadPlace(text)
	if err != nil {
		return nil, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	request, err := json.Marshal(wire.Request{Key: at.Key, Args: os.Args[1:], Dir: dir, Env: os.Environ()})
	if err != nil {
		return nil, err
	}
	conn, err := net.Dial("tcp", at.Address)
	if err != nil {
		return nil, err
	}
	return conn, wire.Send(conn, wire.Ask, request)
}

// forward sends standard input. Nothing waits for its end: git may not want
// it.
func forward(conn net.Conn) {
	_, _ = io.Copy(input{conn}, os.Stdin)
	_ = wire.Send(conn, wire.InputEnds, nil)
}

type input struct{ conn net.Conn }

func (i input) Write(b []byte) (int, error) { return len(b), wire.Send(i.conn, wire.Input, b) }
