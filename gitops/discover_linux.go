package gitops

import (
	"os"
	"syscall"
)

// whereAndWhose tells the file system of a file and whether its owner is who
// runs this process. Git makes an exception for root under sudo; there it is
// asked itself.
func whereAndWhose(path string) (device uint64, mine, ok bool) {
	st, err := os.Lstat(path)
	if err != nil {
		return 0, false, false
	}
	sys, ok := st.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false, false
	}
	return uint64(sys.Dev), int(sys.Uid) == os.Geteuid(), true
}
