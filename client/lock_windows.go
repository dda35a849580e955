package client

import (
	"os"
	"syscall"
	"unsafe"
)

var lockFileEx = syscall.NewLazyDLL("kernel32.dll").NewProc("LockFileEx")

// lockExclusive waits for LockFileEx over the whole file.
func lockExclusive(f *os.File) error {
	const exclusive = 0x2 // LOCKFILE_EXCLUSIVE_LOCK; without FAIL_IMMEDIATELY it waits
	var overlapped syscall.Overlapped
	ok, _, err := lockFileEx.Call(f.Fd(), exclusive, 0, 0xffffffff, 0xffffffff, uintptr(unsafe.Pointer(&overlapped)))
	if ok == 0 {
		return err
	}
	return nil
}
