package main

import (
	"path/filepath"
	"strings"
	"testing"

	"coord"
	"coord/client"
	"coord/server/store"
)

// A machine may be called what a role or the operator is called; its agents
// are not.
func TestAgentNamed(t *testing.T) {
	for machine, want := range map[string]string{
		"build7": "build7", "operator": "machine operator", "OPERATOR": "machine operator", " operator ": "machine operator", "setup": "machine setup",
		"reporter": "machine reporter", "agent": "machine agent", "admin": "machine admin", "nobody": "machine nobody", "": "machine",
		"operator.example.org": "operator.example.org",
	} {
		if got := agentNamed(machine); got != want {
			t.Errorf("%q: %q, want %q", machine, got, want)
		}
	}
}

// Whatever the machine is called, the tokens that up makes and the operator's
// login belong to different principals.
func TestUpSharesNoPrincipal(t *testing.T) {
	for _, machine := range []string{operatorName, "Operator", "setup", "build7"} {
		dir := t.TempDir()
		made, err := equipAs(t.Context(), localServer{dir}, client.Credential{}, agentNamed(machine))
		if err != nil {
			t.Fatalf("%s: %v", machine, err)
		}
		s, err := store.Open(t.Context(), store.Options{Path: filepath.Join(dir, "coord.db"), Now: wallClock, Plan: func(coord.ImportBase, []coord.SourceFile) (p coord.ImportPlan, err error) { return p, nil }})
		if err != nil {
			t.Fatal(err)
		}
		for _, token := range []string{made.AgentToken, made.SetupToken} {
			c, err := s.Authenticate(t.Context(), token)
			if err != nil || strings.EqualFold(string(c.Principal), made.Operator) {
				t.Errorf("%s: the token is of %q, and the operator is %q (%v)", machine, c.Principal, made.Operator, err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
