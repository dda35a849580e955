package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"coord"
	"coord/files"
)

// configText is the .coord.toml of a repository that has none.
const configText = `# Which coord server and project this repository belongs to, and what every
# landing must pass. Commit it: it holds no secrets, and the checks that count
# are those of the target branch.
SETTINGS
# [[check]]
# name = "test"
# run = "go test ./..."    # a string runs in sh (cmd on Windows), an array as it is
# timeout = "15m"
`

// completeConfig writes .coord.toml where there is none, and adds the server
// and project lines that an existing one lacks, at its top. It changes nothing
// else, and reports whether it wrote.
func completeConfig(path string, c Config, server string, project coord.ProjectKey) (wrote bool, err error) {
	var lines string
	if c.Server == "" {
		lines += "server = " + tomlString(server) + "\n"
	}
	if c.Project == "" {
		lines += "project = " + tomlString(string(project)) + "\n"
	}
	if lines == "" {
		return false, nil
	}
	if c.Path == "" {
		return true, createConfig(path, strings.Replace(configText, "SETTINGS\n", lines+"\n", 1))
	}
	old, err := os.ReadFile(c.Path)
	if err != nil {
		return false, configUnwritable(c.Path, err)
	}
	mode := fs.FileMode(0o644)
	if st, err := os.Stat(c.Path); err == nil {
		mode = st.Mode().Perm()
	}
	if err := files.Replace(c.Path, append([]byte(lines), old...), mode); err != nil {
		return false, configUnwritable(c.Path, err)
	}
	return true, nil
}

// createConfig never replaces a file that appeared meanwhile.
func createConfig(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return configUnwritable(path, err)
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return configUnwritable(path, err)
	}
	return nil
}

func configUnwritable(path string, err error) error {
	return coord.Errorf(coord.CodeSetup, "%s cannot be written: %w; the server and the project are set up", filepath.Base(path), err).WithNext("coord up")
}

// tomlString quotes a basic string.
func tomlString(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
