package main

import (
	"os"
	"syscall"
)

// residentPeak is the largest resident set of a process that ended and of the
// children that it waited for, in bytes (getrusage(2): ru_maxrss is in KiB).
func residentPeak(p *os.ProcessState) int64 {
	if u, ok := p.SysUsage().(*syscall.Rusage); ok {
		return u.Maxrss << 10
	}
	return 0
}
