package main

import (
	"encoding/json"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"coord"
)

// scriptInLine asks the server until somebody stands in line for a resource,
// which a command in the background is about to do.
func scriptInLine(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: inline RESOURCE")
	}
	for range 1000 {
		ts.Check(ts.Exec("coord", "resource", "list", "--json"))
		var list struct {
			Data items[coord.Resource] `json:"data"`
		}
		ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &list))
		for _, r := range list.Data.Items {
			if r.Name == args[0] && r.Waiting > 0 {
				return
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	ts.Fatalf("nobody stands in line for %s", args[0])
}
