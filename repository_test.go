package coord_test

import (
	"strings"
	"testing"

	"coord"
)

// What a project registers as its repository's address leads to a repository,
// runs nothing and holds no password; a refusal shows none either.
func TestFault81_AddressesOfRepositories(t *testing.T) {
	for remote, ok := range map[string]bool{
		"https://example.org/team/pay.git": true, "ssh://git@example.org:2222/team/pay": true, "git@example.org:team/pay.git": true,
		"example.org:team/pay": true, "git+ssh://git@example.org/pay": true, "git://example.org/pay.git": true, "ssh://git@[::1]/pay": true,
		"git@[::1]:pay": true, "[::1]:pay": true, "/srv/git/pay.git": true, "/srv/a::b": true, "/srv/me@home:x/pay": true, "file:///srv/pay#1": true,
		`C:\git\pay.git`: true, "C:/git/me@home": true, "host:@scope/pay": true, `\\host\share\pay`: true, "pay": true,

		"": false, "-oProxyCommand=secret": false, "--upload-pack=secret": false, "ext::sh -c secret": false, "ext::ssh://h/p": false, "fd::3": false, "::x": false,
		"ssh://-oProxyCommand=secret/p": false, "ssh://git@-oProxyCommand=secret/p": false, "git@-oProxyCommand=secret:p": false,
		"https://user:secret@example.org/p": false, "https://secret@example.org/p": false, "ssh://git:secret@example.org/p": false,
		"https://a@b:secret@example.org/p": false, "user:secret@example.org/p": false, "https://example.org/p?token=secret": false, "https://example.org/p#secret": false,
		"javascript://secret": false, "foo://example.org/p": false, "https://h/p\nsecret": false, "/srv/\x1b]0;secret": false, strings.Repeat("a", 2001): false,
	} {
		c := coord.CreateProject{
			Project: "pay", Name: "Payments", Policy: coord.DefaultPolicy(),
			Repositories: []coord.Repository{{ID: "example.org/team/pay", Remote: remote, Target: "main"}},
		}
		err := c.Validate()
		checkValid(t, remote, err, ok)
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: the refusal repeats it: %v", remote, err)
		}
	}
}

func TestFault88_SpellingsOfARepository(t *testing.T) {
	for _, c := range []struct {
		a, b coord.RepositoryID
		same bool
	}{
		{"example.org/team/pay", "example.org/team/pay", true},
		{"example.org/team/pay", "example.org/Team/Pay", true},
		{"example.org/team/pay", "example.org/team/shop", false},
		{"example.org/team/pay", "example.org:8443/team/pay", false},
		{"file:///srv/pay", "file:///srv/pay", true},
		{"file:///srv/pay", "file:///srv/Pay", false},
	} {
		if coord.SameRepository(c.a, c.b) != c.same || coord.SameRepository(c.b, c.a) != c.same {
			t.Errorf("%s and %s: same is not %v", c.a, c.b, c.same)
		}
		cmd := coord.CreateProject{Project: "pay", Name: "Payments", Policy: coord.DefaultPolicy(), Repositories: []coord.Repository{
			{ID: c.a, Remote: "https://example.org/a", Target: "main"}, {ID: c.b, Remote: "https://example.org/b", Target: "main"},
		}}
		checkValid(t, "both in a project", cmd.Validate(), !c.same)
	}
}
