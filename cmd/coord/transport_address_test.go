package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coord"
	"coord/client"
)

// addressed is a repository whose remote's address is tried out.
func (w *proofWorld) addressed(name string) string {
	w.t.Helper()
	w.git(w.root, "init", "-q", "-b", "main", name)
	dir := filepath.Join(w.root, name)
	w.git(dir, "commit", "-q", "--allow-empty", "-m", "Begin")
	w.git(dir, "remote", "add", "origin", "x")
	return dir
}

// setUp is the server as this machine's set-up token sees it.
func (w *proofWorld) setUp() *client.Client {
	w.t.Helper()
	return client.New(client.Options{Server: w.url, Token: w.credential(w.url).Setup})
}

// A remote that is a program or an option is refused by every verb that would
// reach it, and nothing runs. A password in an address works for Git, and is
// neither recorded nor shown; the server takes no address that has one.
func TestFault81_AddressesOfRemotes(t *testing.T) {
	w := newProofWorld(t, proofConfig)
	w.must("a", w.dir, "task", "new", "Not begun")
	dir := w.addressed("odd")
	w.write(dir, configName, w.read(w.dir, configName))
	ran := filepath.Join(w.root, "ran")
	program := "ext::sh -c touch% " + filepath.ToSlash(ran)
	w.write(w.root, ".gitconfig", "[protocol \"ext\"]\n\tallow = always\n[url \""+program+"\"]\n\tinsteadOf = innocent:\n")
	said := ""
	for _, c := range []struct {
		remote string
		status int // of start and init
	}{
		{program, 2},
		{"innocent:pay", 2},
		{"--upload-pack=touch " + ran, 2},
		{"ssh://-oProxyCommand=touch%20" + ran + "/pay", 2},
		{"-oProxyCommand=touch " + ran + ":pay", 2},
		{"user:s3cr3t@127.0.0.1/pay", 2},
		{"https://127.0.0.1:1/pay?token=s3cr3t", 2},
		{"https://user:s3cr3t@127.0.0.1:1/pay.git", 5}, // another repository
		{"ssh://git:s3cr3t@127.0.0.1:1/pay.git", 5},
	} {
		w.git(dir, "config", "remote.origin.url", c.remote)
		for _, args := range [][]string{{"start", "pay-1", "--no-keeper"}, {"init"}, {"init", "--project", "odd"}, {"doctor"}, {"start", "pay-1", "--json"}} {
			r := w.as("a", dir, args...)
			if registers := len(args) == 3 && args[0] == "init"; r.status == 0 || r.status != c.status && !registers && args[0] != "doctor" {
				t.Errorf("%v with %q: status %d %s%s", args, c.remote, r.status, r.out, r.err)
			}
			said += r.out + r.err
		}
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("a program ran")
	}
	for _, remote := range []string{"https://user:s3cr3t@example.org/odd", "https://s3cr3t@example.org/odd", "ext::sh -c s3cr3t"} {
		status, answer := w.posts("/projects", coord.CreateProject{
			Project: "odd", Name: "Odd", Policy: coord.DefaultPolicy(),
			Repositories: []coord.Repository{{ID: "example.org/odd", Remote: remote, Target: "main"}},
		})
		if status != http.StatusBadRequest {
			t.Errorf("the server answers %d to %q: %s", status, remote, answer)
		}
		said += answer
	}
	if strings.Contains(said, "s3cr3t") {
		t.Errorf("the password is shown: %s", said)
	}
	w.nowhere(filepath.Join(dir, ".git", "config"), "s3cr3t")
}

// posts sends a request as any client may write it, with the set-up token.
func (w *proofWorld) posts(path string, body any) (status int, answer string) {
	w.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		w.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.url+"/api/v1"+path, bytes.NewReader(text))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+w.credential(w.url).Setup)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", "transport-address-test-0001")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	all, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return resp.StatusCode, string(all)
}

// One repository has one id on record, whichever way a clone spells its
// address; what may be another repository is refused, and never registered
// beside it.
func TestFault88_OneRepositoryOneID(t *testing.T) {
	w := newProofWorld(t, proofConfig)
	register := func(key coord.ProjectKey, id coord.RepositoryID, remote string) error {
		_, err := w.setUp().CreateProject(t.Context(), coord.CreateProject{
			Key: coord.Key(rand.Text()), Project: key, Name: "Team", Policy: coord.DefaultPolicy(),
			Repositories: []coord.Repository{{ID: id, Remote: remote, Target: "main"}},
		})
		return err
	}
	const id, remote = "example.org/Team/pay", "ssh://git@example.org/Team/pay.git"
	if err := register("team", id, remote); err != nil {
		t.Fatal(err)
	}
	for _, other := range []coord.RepositoryID{id, "example.org/team/Pay"} {
		if err := register("twice", other, "https://example.org/team/pay"); coord.CodeOf(err) != coord.CodeStateConflict || !strings.Contains(err.Error(), id) {
			t.Errorf("%s is registered beside %s: %v", other, id, err)
		}
	}
	dir := w.addressed("clone")
	w.write(w.root, ".gitconfig", "[url \"git@example.org:Team/\"]\n\tinsteadOf = work:\n")
	for _, c := range []struct {
		remote string
		status int
	}{
		{remote, 0},
		{"git@example.org:Team/pay", 0},
		{"git@example.org:/Team/pay.git", 0},
		{"ssh://alpha@EXAMPLE.org:22/Team/pay/", 0},
		{"https://Example.Org:443/Team/pay.git/", 0},
		{"https://user:s3cr3t@example.org/Team/pay", 0},
		{"work:pay.git", 0},
		{"https://example.org/team/pay", 5},
		{"https://example.org:8443/Team/pay", 5},
		{"git@redirects.example.org:Team/pay", 5},
		{"git@example.org:Team/shop", 5},
	} {
		w.git(dir, "config", "remote.origin.url", c.remote)
		for _, args := range [][]string{{"init", "--server", w.url, "--project", "team"}, {"task", "new", "Another", "--same-title"}, {"start", "--another", "--no-keeper"}} {
			r := w.as("a", dir, append(args, "--json")...)
			switch {
			case args[0] == "init" && c.status == 0 && (r.status != 0 || !strings.Contains(r.out, `"id":"`+id+`"`)):
				t.Errorf("%s: status %d %s", c.remote, r.status, r.out)
			case args[0] == "init" && c.status != 0 && (r.status != c.status || !strings.Contains(r.out, "git remote set-url origin "+remote)):
				t.Errorf("%s: status %d %s", c.remote, r.status, r.out)
			case args[0] == "start" && c.status != 0 && (r.status != c.status || !strings.Contains(r.said().Message, id)):
				t.Errorf("%s starts: status %d %s", c.remote, r.status, r.out)
			}
		}
	}
	w.nowhere("", "s3cr3t")
}
