package main

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"coord"
)

// environment is the process's environment as it was handed over; nothing
// else is consulted.
type environment []string

// get returns the last value of a variable, or "".
func (e environment) get(name string) string {
	value := ""
	for _, kv := range e {
		k, v, _ := strings.Cut(kv, "=")
		if k == name || (runtime.GOOS == "windows" && strings.EqualFold(k, name)) {
			value = v
		}
	}
	return value
}

// first returns the first non-empty value of the variables, or "".
func (e environment) first(names ...string) string {
	for _, n := range names {
		if v := e.get(n); v != "" {
			return v
		}
	}
	return ""
}

// configDir is where credentials and sessions of this user are kept:
// COORD_CONFIG_DIR, or coord in XDG_CONFIG_HOME (%AppData% on Windows).
func (e environment) configDir() (string, error) {
	if dir := e.get("COORD_CONFIG_DIR"); dir != "" {
		return filepath.Abs(dir)
	}
	return e.userDir("XDG_CONFIG_HOME", ".config", "AppData")
}

// stateDir is where a server of this user keeps its data: coord in
// XDG_STATE_HOME (%LocalAppData% on Windows).
func (e environment) stateDir() (string, error) {
	return e.userDir("XDG_STATE_HOME", filepath.Join(".local", "state"), "LocalAppData")
}

// userDir follows the XDG Base Directory Specification, which ignores
// relative values.
func (e environment) userDir(xdg, below, windows string) (string, error) {
	if dir := e.get(xdg); filepath.IsAbs(dir) {
		return filepath.Join(dir, "coord"), nil
	}
	if runtime.GOOS == "windows" {
		if dir := e.get(windows); filepath.IsAbs(dir) {
			return filepath.Join(dir, "coord"), nil
		}
	}
	if home := e.first("HOME", "USERPROFILE"); filepath.IsAbs(home) {
		return filepath.Join(home, below, "coord"), nil
	}
	return "", coord.Errorf(coord.CodeSetup, "cannot tell where this user's files are: neither HOME nor %s is set", xdg).
		WithNext("export HOME=DIR", "export "+xdg+"=DIR")
}

// without is the environment less the named variables: what a child need not
// know.
func (e environment) without(names ...string) []string {
	return slices.DeleteFunc(slices.Clone([]string(e)), func(kv string) bool {
		k, _, _ := strings.Cut(kv, "=")
		return slices.Contains(names, k)
	})
}
