// A container's processor quota is read at the start, but not again every
// second: watching it would cost each short command a thread, and an idle
// server its rest.
//
//go:debug updatemaxprocs=0

// Command coord is the whole of coord: the server and the command line. The
// verbs are in one file each; tree.go lists them.
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}, os.Environ()))
}
