package gitops

import (
	"os"
	"syscall"
	"unsafe"
)

var lockFileEx = kernel32.NewProc("LockFileEx")

// Flags and error of LockFileEx in the Windows API.
const (
	lockFailImmediately = 1
	lockExclusive       = 2
	errorLockViolation  = syscall.Errno(33)
)

func tryLock(f *os.File) error {
	var at syscall.Overlapped
	ok, _, err := lockFileEx.Call(f.Fd(), lockExclusive|lockFailImmediately, 0, 1, 0, uintptr(unsafe.Pointer(&at)))
	if ok != 0 {
		return nil
	}
	if err == errorLockViolation || err == syscall.ERROR_IO_PENDING {
		return errHeld
	}
	return err
}
