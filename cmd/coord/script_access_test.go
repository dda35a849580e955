package main

import (
	"encoding/json"
	"os"
	"regexp"

	"github.com/rogpeppe/go-internal/testscript"
)

var shownPassword = regexp.MustCompile(`password ([0-9A-Za-z]{20})`)

// scriptPassword writes the password that the last command showed to a file,
// to be piped into coord login.
func scriptPassword(ts *testscript.TestScript, _ bool, args []string) {
	found := shownPassword.FindStringSubmatch(ts.ReadFile("stdout"))
	if found == nil || len(args) != 1 {
		ts.Fatalf("usage: password FILE, after a command that shows one")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(found[1]+"\n"), 0o600))
}

// scriptSecret puts the secret of the token that the last command issued with
// --json into a variable.
func scriptSecret(ts *testscript.TestScript, _ bool, args []string) {
	var d struct {
		Data struct {
			Secret string `json:"secret"`
		} `json:"data"`
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &d))
	if d.Data.Secret == "" || len(args) != 1 {
		ts.Fatalf("usage: secret NAME, after coord token new --json")
	}
	ts.Setenv(args[0], d.Data.Secret)
}
