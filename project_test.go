package coord_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"coord"
)

func TestCheckBranch(t *testing.T) {
	for name, ok := range map[string]bool{
		"main": true, "release/1.2": true, "coord/pay-1": true, "ünï": true, "a-b_c": true, "@x": true, strings.Repeat("b", 200): true,
		"": false, "-x": false, "--upload-pack=x": false, "a..b": false, "a.lock": false, "a/b.lock/c": false, "@{u}": false, "@": false,
		"HEAD": false, "refs/heads/main": false, "refs/heads/refs/heads/x": false, "/a": false, "a/": false, "a//b": false, ".a": false,
		"a/.b": false, "a.": false, "a./b": false, "a/-b": false, "a/HEAD": false, "a/@/b": false, "a b": false, "a~1": false, "a^": false, "a:b": false, "a?": false, "a*": false, "a[b": false,
		`a\b`: false, "a\nb": false, "a\x7f": false, "a\x1b": false, strings.Repeat("b", 201): false,
	} {
		checkValid(t, name, coord.CheckBranch(name), ok)
	}
}

func TestPolicyValidate(t *testing.T) {
	policy := func(edit func(*coord.Policy)) coord.Policy {
		p := coord.DefaultPolicy()
		edit(&p)
		return p
	}
	for _, c := range []struct {
		name string
		p    coord.Policy
		ok   bool
	}{
		{"default", coord.DefaultPolicy(), true},
		{"no review", policy(func(p *coord.Policy) { p.Review = coord.ReviewNone }), true},
		{"no grace", policy(func(p *coord.Policy) { p.RecoveryGrace = 0 }), true},
		{"one second", policy(func(p *coord.Policy) { p.Lease = coord.Duration(time.Second) }), true},
		{"zero", coord.Policy{}, false},
		{"unknown review", policy(func(p *coord.Policy) { p.Review = "humans" }), false},
		{"no lease", policy(func(p *coord.Policy) { p.Lease = 0 }), false},
		{"short lease", policy(func(p *coord.Policy) { p.Lease = coord.Duration(time.Second - 1) }), false},
		{"long lease", policy(func(p *coord.Policy) { p.Lease = coord.Duration(24*time.Hour + 1) }), false},
		{"negative grace", policy(func(p *coord.Policy) { p.RecoveryGrace = -1 }), false},
	} {
		checkValid(t, c.name, c.p.Validate(), c.ok)
	}
}

func TestCreateProjectValidate(t *testing.T) {
	repo := coord.Repository{ID: "example.com/pay", Remote: "https://example.com/pay.git", Target: "main"}
	create := func(edit func(*coord.CreateProject)) coord.CreateProject {
		c := coord.CreateProject{Project: "pay", Name: "Payments", Repositories: []coord.Repository{repo}, Policy: coord.DefaultPolicy()}
		edit(&c)
		return c
	}
	for _, c := range []struct {
		name string
		edit func(*coord.CreateProject)
		ok   bool
	}{
		{"plain", func(*coord.CreateProject) {}, true},
		{"bad key", func(c *coord.CreateProject) { c.Project = "Pay" }, false},
		{"no name", func(c *coord.CreateProject) { c.Name = "" }, false},
		{"no repository", func(c *coord.CreateProject) { c.Repositories = nil }, false},
		{"no remote", func(c *coord.CreateProject) { c.Repositories[0].Remote = "" }, false},
		{"no repository id", func(c *coord.CreateProject) { c.Repositories[0].ID = "" }, false},
		{"no target", func(c *coord.CreateProject) { c.Repositories[0].Target = "" }, false},
		{"a policy that says nothing", func(c *coord.CreateProject) { c.Policy = coord.Policy{} }, true},
		{"a policy that cannot be", func(c *coord.CreateProject) { c.Policy.Review = "sometimes" }, false},
	} {
		cmd := create(func(p *coord.CreateProject) { p.Repositories = []coord.Repository{repo}; c.edit(p) })
		checkValid(t, c.name, cmd.Validate(), c.ok)
	}
}

func TestProjectRepository(t *testing.T) {
	p := coord.Project{Repositories: []coord.Repository{{ID: "a"}, {ID: "b"}}}
	for id, want := range map[coord.RepositoryID]coord.RepositoryID{"": "a", "a": "a", "b": "b"} {
		if r, ok := p.Repository(id); !ok || r.ID != want {
			t.Errorf("repository %q is %q, %v", id, r.ID, ok)
		}
	}
	if r, ok := p.Repository("c"); ok {
		t.Errorf("repository c is %q", r.ID)
	}
}

func TestDurationText(t *testing.T) {
	b, err := json.Marshal(coord.DefaultPolicy())
	if err != nil || string(b) != `{"review":"agent","independence":"session","recovery":"agent","integration":"auto","strategy":"merge","lease":"30m0s","recovery_grace":"30s",`+
		`"progress_cap":"4h0m0s","attempt_cap":"24h0m0s","held_limit":8,"finding_limit":3,"revise_limit":3}` {
		t.Errorf("got %s, %v", b, err)
	}
	var p coord.Policy
	if err := json.Unmarshal(b, &p); err != nil || p != coord.DefaultPolicy() {
		t.Errorf("read back %+v, %v", p, err)
	}
	for _, text := range []string{"", "30", "half an hour", "1d"} {
		var d coord.Duration
		checkValid(t, text, d.UnmarshalText([]byte(text)), false)
	}
}
