//go:build !windows

package files

// Patiently does something with a file that another process may have open just
// now. Only Windows minds that.
func Patiently(do func() error) error { return do() }
