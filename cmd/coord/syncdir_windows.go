package main

// syncDir has nothing to do: a rename is in the file system's own journal.
func syncDir(string) error { return nil }
