package gitops

import (
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"coord"
)

func TestCheckRefName(t *testing.T) {
	good := []string{"refs/heads/main", "refs/heads/coord/pay-1.2", "refs/coord/attempts/pay-1/2", "refs/heads/grüße", "refs/heads/a.b", "refs/heads/a@b", "refs/tags/v1"}
	bad := []string{
		"", "main", "HEAD", "refs/x", "refs/heads/", "refs/heads/-x", "refs/heads/--upload-pack=x", "--upload-pack=x", "-x",
		"refs/heads/a..b", "refs/heads/a.lock", "refs/heads/a.lock/b", "refs/heads/@{u}", "refs/heads/@", "refs/heads/refs/heads/x",
		"refs/heads/a\nb", "refs/heads/a b", "refs/heads/a:b", "refs/heads/a*", "refs/heads/a?", "refs/heads/[a", "refs/heads/a\\b",
		"refs/heads/a~1", "refs/heads/a^", "refs/heads/.a", "refs/heads/a.", "refs/heads//a", "/refs/heads/a", "refs/heads/HEAD",
		"refs/heads/a\x7f", "refs/heads/a\x00", "refs/heads/" + strings.Repeat("a", 2000), "refs/../x/y",
	}
	for _, n := range good {
		if err := CheckRefName(n); err != nil {
			t.Errorf("%q is refused: %v", n, err)
		}
		if err := exec.Command("git", "check-ref-format", n).Run(); err != nil {
			t.Errorf("git refuses %q", n)
		}
	}
	for _, n := range bad {
		if CheckRefName(n) == nil {
			t.Errorf("%q is accepted", n)
		}
	}
}

func TestCheckRefspec(t *testing.T) {
	oid := strings.Repeat("a", 40)
	for _, s := range []string{"refs/heads/main", "+refs/heads/main:refs/remotes/origin/main", "+refs/heads/*:refs/remotes/origin/*", oid, oid + ":refs/x/y"} {
		if err := checkRefspec(s); err != nil {
			t.Errorf("%q is refused: %v", s, err)
		}
	}
	for _, s := range []string{"", ":", "main", "-x", "--upload-pack=x", ":refs/heads/x", "refs/heads/*:refs/heads/x", "refs/heads/a:refs/heads/b:refs/heads/c", "^refs/heads/x"} {
		if checkRefspec(s) == nil {
			t.Errorf("%q is accepted", s)
		}
	}
}

func TestOID(t *testing.T) {
	for o, want := range map[OID]bool{
		OID(strings.Repeat("a", 40)): true, OID(strings.Repeat("0a", 32)): true,
		"": false, OID(strings.Repeat("0", 40)): false, OID(strings.Repeat("A", 40)): false, OID(strings.Repeat("a", 39)): false, OID(strings.Repeat("g", 40)): false,
	} {
		if o.Valid() != want {
			t.Errorf("%q valid: %v", o, !want)
		}
	}
	same(t, "short", OID(strings.Repeat("abcdef0123", 4)).Short(), "abcdef0")
	same(t, "short none", OID("").Short(), "")
}

func TestNormalizeRemote(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths are POSIX paths")
	}
	for remote, want := range map[string]string{
		"git@Example.org:Team/app.git":                 "example.org/Team/app",
		"example.org:Team/app":                         "example.org/Team/app",
		"ssh://git@example.org/Team/app.git":           "example.org/Team/app",
		"ssh://git@example.org:22/Team/app/":           "example.org/Team/app",
		"ssh://git@example.org:2222/Team/app":          "example.org:2222/Team/app",
		"https://example.org/Team/app.git":             "example.org/Team/app",
		"https://user:secret@example.org:443/Team/app": "example.org/Team/app",
		"https://example.org:8443/Team/app":            "example.org:8443/Team/app",
		"HTTPS://EXAMPLE.ORG/Team/app.git/":            "example.org/Team/app",
		"git://example.org:9418/Team/app.git":          "example.org/Team/app",
		"git+ssh://git@example.org/Team/app.git":       "example.org/Team/app",
		"git@example.org:/Team//app.git":               "example.org/Team/app",
		"ssh://git@[::1]:22/app":                       "[::1]/app",
		"host:@scope/app":                              "host/@scope/app",
		"host:~alpha/app":                              "host/~alpha/app",
		"git@[::1]:app":                                "[::1]/app",
		"/srv/git/app.git":                             "file:///srv/git/app.git",
		"/srv/git/app/":                                "file:///srv/git/app",
		"/srv/git/app/.git":                            "file:///srv/git/app",
		"file:///srv/git/app.git":                      "file:///srv/git/app.git",
		"file://localhost/srv/../srv/app":              "file:///srv/app",
		"/srv/with space/a:b":                          "file:///srv/with space/a:b",
	} {
		got, err := NormalizeRemote(remote)
		if err != nil || got != want {
			t.Errorf("%q\n got %q, %v\nwant %q", remote, got, err, want)
		}
	}
}

func TestNormalizeRemoteRefuses(t *testing.T) {
	for _, remote := range []string{
		"", "-oProxyCommand=x", "--upload-pack=x", "ext::sh -c touch% /tmp/x", "ext::ssh://h/p", "fd::3", "transport::address",
		"ssh://-oProxyCommand=x/p", "-host:path", "host:-path", "git@-oProxyCommand=x:p", "https://", "https:///p", "https://host", "https://host/",
		"host:", ":path", "../relative", "relative", "./app", "javascript://x/y", "https://h/p\nx", "https://user:secret@/p",
		"https://user:secret@host", "user:secret@host", "https://h/p?token=secret", "https://h/p#secret",
	} {
		got, err := NormalizeRemote(remote)
		if err == nil {
			t.Errorf("%q is accepted as %q", remote, got)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: the error tells the password: %v", remote, err)
		}
	}
}

// TestBranchesOfTasks: a target that the record takes is one that Git is asked
// about.
func TestBranchesOfTasks(t *testing.T) {
	parts := []string{"a", "", ".", "..", ".a", "a.", "-a", "a-", "@", "@{a", "HEAD", "a.lock", "a b", "a~", "ü", "refs", "a\\b", "a\x7f"}
	taken := 0
	for _, first := range parts {
		for _, second := range parts {
			for _, name := range []string{first, first + "/" + second} {
				if coord.CheckBranch(name) != nil {
					continue
				}
				taken++
				if err := CheckBranchName(name); err != nil {
					t.Errorf("%q: %v", name, err)
				}
			}
		}
	}
	if taken == 0 {
		t.Error("no name was taken")
	}
}
