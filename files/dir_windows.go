package files

// SyncDir does nothing: NTFS journals renames, and a directory cannot be
// flushed without administrator rights.
func SyncDir(string) error { return nil }
