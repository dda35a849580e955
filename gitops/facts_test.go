package gitops

import (
	"strings"
	"testing"
)

func TestNeedsGit(t *testing.T) {
	plain := facts{format: "0"}
	for _, c := range []struct {
		name         string
		facts        facts
		reads, opens string // "" for go-git, else a word of the reason
	}{
		{"plain", plain, "", ""},
		{"no format", facts{}, "", ""},
		{"version 1", facts{format: "1"}, "", ""},
		{"version 2", facts{format: "2"}, "format", "format"},
		{"odd configuration", facts{unreadable: true}, "plain", "plain"},
		{"bare", facts{bare: true}, "", "bare"},
		{"work tree configured", facts{worktree: true}, "", "work tree"},
		{"partial clone", facts{promisor: true}, "partial", "partial"},
		{"alternates", facts{alternates: true}, "borrows", "borrows"},
		{"shallow or grafted", facts{cut: true}, "cut", "cut"},
		{"HEAD is a link", facts{oddHead: true}, "HEAD", "HEAD"},
		{"reftable", facts{oddRefs: true}, "references", "references"},
		{"work trees have configurations", extended("worktreeconfig", "true"), "", "extensions"},
		{"precious", extended("preciousobjects", "true"), "", "extensions"},
		{"SHA-1 by name", extended("objectformat", "sha1"), "", "extensions"},
		{"SHA-256", facts{format: "1", objectFormat: "sha256"}, "sha256", "sha256"},
		{"SHA-256 as a second", extended("compatobjectformat", "sha256"), "compat", "extensions"},
		{"files by name", extended("refstorage", "files"), "", "extensions"},
		{"reftable by name", extended("refstorage", "reftable"), "refstorage", "extensions"},
		{"partial by name", extended("partialclone", "origin"), "partialclone", "extensions"},
		{"unheard of", extended("future", "true"), "future", "extensions"},
	} {
		for _, q := range []struct {
			what, got, want string
		}{{"read", needsGit(c.facts), c.reads}, {"open", needsGitToOpen(c.facts), c.opens}} {
			if (q.got == "") != (q.want == "") || !strings.Contains(q.got, q.want) {
				t.Errorf("%s, %s: %q, want %q", c.name, q.what, q.got, q.want)
			}
		}
	}
}

func extended(name, value string) facts {
	return facts{format: "1", extensions: []setting{{"extensions." + name, value}}}
}

// TestParseConfig holds the parser against git: what it calls plain it must
// read as git does.
func TestParseConfig(t *testing.T) {
	f := newFixture(t)
	for text, plain := range map[string]bool{
		"":                         true,
		"[core]\n\tbare = false\n": true,
		"[core]\r\n\tbare = false\r\n\trepositoryFormatVersion=1\r\n":     true,
		"# c\n; c\n\n[Core]\nBare\n[extensions]\n  worktreeConfig = true": true,
		"[remote \"Or Igin\"]\n\tpromisor = true\n\turl = a b=c\n":        true,
		"[core]\n\tbare = true ; no\n":                                    false,
		"[core]\n\tbare = \"true\"\n":                                     false,
		"[core] bare = true\n":                                            false,
		"[core]\n\tworktree = a\\\nb\n":                                   false,
		"[core\n\tbare = true\n":                                          false,
		"[remote \"a\\\"b\"]\n\turl = x\n":                                false,
		"[core]\n\tsshCommand = ssh -i \"a b\"\n\tbare = false\n":         true,
		"[alias]\n\tx = \"unbalanced\n":                                   false,
		"bare = true\n":                                                   false,
		"[core]\n\tb_d = true\n":                                          false,
		"[extensions \"x\"]\n\tobjectFormat = sha256\n":                   true,
	} {
		settings, ok := parseConfig(text)
		if ok != plain {
			t.Errorf("%q is plain: %v", text, ok)
		}
		if !ok {
			continue
		}
		file := f.beside("config")
		f.writeAt(file, text)
		var lines []string
		for _, s := range settings {
			if strings.HasPrefix(s.name, "core.") && s.name != "core.sshcommand" || strings.HasPrefix(s.name, "remote.") || strings.HasPrefix(s.name, "extensions.") {
				lines = append(lines, s.name+"\n"+s.value)
			}
		}
		want, _ := f.try(f.dir, "config", "--file", file, "--list", "-z")
		for _, l := range lines {
			if !strings.Contains("\x00"+want+"\x00", "\x00"+l+"\x00") && !strings.Contains("\x00"+want, "\x00"+strings.TrimSuffix(l, "\ntrue")+"\x00") {
				t.Errorf("%q: git does not say %q but %q", text, l, want)
			}
		}
	}
}

func TestPlainPacked(t *testing.T) {
	oid := strings.Repeat("ab", 20)
	for text, plain := range map[string]bool{
		"": true,
		"# pack-refs with: peeled fully-peeled sorted \n" + oid + " refs/heads/main\n^" + oid + "\n": true,
		oid[:38] + " refs/heads/main\n":          false,
		oid + "ab refs/heads/main\n":             false,
		oid + " refs/heads/a b\n":                false,
		oid + "\trefs/heads/main\n":              false,
		"^" + oid[2:] + "\n":                     false,
		oid + " refs/heads/main\n\n":             false,
		strings.ToUpper(oid) + " refs/heads/x\n": false,
	} {
		if plainPacked(text) != plain {
			t.Errorf("%q is plain: %v", text, !plain)
		}
	}
}
