package main

import (
	"os"

	"golang.org/x/sys/windows"
)

// withoutEcho stops a console from showing what is typed, until restore
// (SetConsoleMode).
func withoutEcho(f *os.File) (restore func(), err error) {
	h := windows.Handle(f.Fd())
	var before uint32
	if err := windows.GetConsoleMode(h, &before); err != nil {
		return nil, err
	}
	if err := windows.SetConsoleMode(h, before&^windows.ENABLE_ECHO_INPUT); err != nil {
		return nil, err
	}
	return func() { _ = windows.SetConsoleMode(h, before) }, nil
}
