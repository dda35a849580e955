//go:build unix

package gitops

import "syscall"

const isUnix = true

func pipe(f *fixture, name string) {
	if err := syscall.Mkfifo(f.path(name), 0o666); err != nil {
		f.t.Fatal(err)
	}
}
