//go:build unix

package main

import "os"

// syncDir makes the names in a directory as durable as the files.
func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
