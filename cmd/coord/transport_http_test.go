package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// passwords are those of the machines' users at the remote. What Basic
// authentication sends is a secret too.
var passwords = map[string]string{"desk": "desk-4b1f9a", "alpha": "alpha-77c02e", "bravo": "bravo-90ad35", "delta": "delta-e81c66"}

func basic(user string) string {
	return base64.StdEncoding.EncodeToString([]byte(user + ":" + passwords[user]))
}

// smartRemote serves the bare repositories of a directory as
// git-http-backend(1) does, to those who know a password.
type smartRemote struct {
	*road
	backend cgi.Handler
}

func (s *smartRemote) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.isClosed() {
		panic(http.ErrAbortHandler)
	}
	user, password, _ := r.BasicAuth()
	if password == "" || passwords[user] != password {
		w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
		http.Error(w, "who are you?", http.StatusUnauthorized)
		return
	}
	body, err := io.ReadAll(r.Body) // a gateway takes no body of unknown length
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	r.Body, r.ContentLength, r.TransferEncoding = io.NopCloser(bytes.NewReader(body)), int64(len(body)), nil
	what := noTrouble
	if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/git-receive-pack") && len(body) > 4 { // no probe
		what = s.push()
	}
	switch what {
	case cutBefore:
		halfAnAnswer(w)
	case cutAfter:
		s.backend.ServeHTTP(httptest.NewRecorder(), r)
		halfAnAnswer(w)
	case sentTwice:
		s.backend.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	case notWorking:
		http.Error(w, "out of order", http.StatusInternalServerError)
	case noTrouble:
		s.backend.ServeHTTP(w, r)
	}
}

// halfAnAnswer breaks the connection in the middle of an answer: without its
// beginning, the client's HTTP library would send the request again.
func halfAnAnswer(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/x-git-receive-pack-result")
	w.Header().Set("Content-Length", "100")
	_, _ = io.WriteString(w, "00")
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// smartHTTP opens a way over HTTP on which each machine proves itself in
// another manner.
func smartHTTP(t *testing.T, root string) way {
	t.Helper()
	out, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	backend := filepath.Join(strings.TrimSpace(string(out)), "git-http-backend")
	if _, err := os.Stat(backend); err != nil {
		t.Skipf("this Git serves no HTTP: %v", err)
	}
	s := &smartRemote{road: &road{}, backend: cgi.Handler{
		Path: backend, Root: "/",
		Env: []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=git", "GIT_CONFIG_NOSYSTEM=1", "HOME=" + filepath.Join(root, "nobody")},
	}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return way{
		road: s.road, secrets: httpSecrets(),
		url: func(machine string) string {
			if machine == "desk" || machine == "delta" {
				return "work:pay.git"
			}
			return server.URL + "/pay.git"
		},
		settings: func(machine, _ string) string { return httpSettings(server.URL, machine) },
	}
}

func httpSecrets() (all []string) {
	for user, password := range passwords {
		all = append(all, password, basic(user))
	}
	return all
}

// httpSettings is how each machine's user has told Git the password: alpha by
// a helper, bravo by a header, desk in the URL that another stands for, and
// delta by such a URL and a helper.
func httpSettings(url, machine string) string {
	host := strings.TrimPrefix(url, "http://")
	helper := fmt.Sprintf("[credential]\n\thelper = \"!f() { test \\\"$1\\\" = get && echo username=%s && echo password=%s; }; f\"\n", machine, passwords[machine])
	switch machine {
	case "alpha":
		return helper
	case "bravo":
		return fmt.Sprintf("[http \"%s/\"]\n\textraHeader = Authorization: Basic %s\n", url, basic(machine))
	case "delta":
		return fmt.Sprintf("[url \"%s/\"]\n\tinsteadOf = work:\n", url) + helper
	}
	return fmt.Sprintf("[url \"http://%s:%s@%s/\"]\n\tinsteadOf = work:\n", machine, passwords[machine], host)
}
