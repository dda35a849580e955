//go:build !linux && !windows

package main

import (
	"errors"
	"os"
)

// withoutEcho is not written for this system.
func withoutEcho(*os.File) (restore func(), err error) {
	return nil, errors.ErrUnsupported
}
