package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// changes are the lines of Go's own source files that Wine needs to be
// others. What is built with them is for these tests and nothing else.
var changes = []struct{ file, from, to string }{
	// Go removes files in a tree by a newer call of Windows, and by an older
	// one where it is told that there is none. Wine's way of saying so is one
	// that Go does not know: "not implemented" (STATUS_NOT_IMPLEMENTED in
	// MS-ERREF).
	{
		"internal/syscall/windows/at_windows.go",
		"\tcase STATUS_INVALID_INFO_CLASS,",
		"\tcase NTStatus(0xC0000002), STATUS_INVALID_INFO_CLASS,",
	},
	// Where another thread opens or closes files meanwhile, Wine now and then
	// loses a new process before it runs, and says ERROR_INTERNAL_ERROR.
	{
		"syscall/exec_windows.go",
		"\t\terr = CreateProcess(argv0p,",
		"\t\tfor i := 0; i == 0 || i < 9 && err == Errno(1359); i++ {\n\t\t\terr = CreateProcess(argv0p,",
	},
	{
		"syscall/exec_windows.go",
		"&envBlock[0], dirp, &si.StartupInfo, pi)\n\t}\n\tif err != nil {",
		"&envBlock[0], dirp, &si.StartupInfo, pi)\n\t\t}\n\t}\n\tif err != nil {",
	},
}

// overlay writes the changed files, and the list of them that go's -overlay
// reads.
func overlay(dir string) (path string, err error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w", err)
	}
	replace := map[string]string{}
	for _, c := range changes {
		source := filepath.Join(strings.TrimSpace(string(root)), "src", filepath.FromSlash(c.file))
		changed := filepath.Join(dir, filepath.Base(c.file))
		from := source
		if replace[source] != "" {
			from = changed
		}
		replace[source] = changed
		text, err := os.ReadFile(from)
		if err != nil {
			return "", err
		}
		if strings.Count(string(text), c.from) != 1 {
			return "", fmt.Errorf("%s has %q not once; this Go is another one", source, c.from)
		}
		if err := os.WriteFile(changed, []byte(strings.Replace(string(text), c.from, c.to, 1)), 0o600); err != nil {
			return "", err
		}
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, list, 0o600)
}
