package main

import (
	"encoding/json"
	"testing"
)

// jsonData reads the data of a document.
func jsonData(text []byte, data any) error {
	return json.Unmarshal(text, &struct{ Data any }{data})
}

// origin is the server's of a command.
func (a *app) origin(t *testing.T) string {
	t.Helper()
	c, err := a.connect()
	if err != nil {
		t.Fatal(err)
	}
	return c.server
}
