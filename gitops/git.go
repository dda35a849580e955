package gitops

import (
	"context"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"coord"
)

// Oldest git that has everything used here: merge-tree --write-tree.
const minMajor, minMinor = 2, 38

// Git is the installed git together with the environment it runs in.
type Git struct {
	env  []string // already scrubbed
	path string   // the PATH of the environment

	// patience is how long to wait for a lock file of Git's: other commands
	// hold theirs for a moment, killed ones for ever.
	patience time.Duration

	mu    sync.Mutex
	found string // absolute path of a git that is new enough
}

// New takes the environment as os.Environ gives it. Variables that would
// point Git at another repository, index or object store, or change what its
// commands mean, are dropped; those that say who the user is and how to reach
// remotes are kept.
func New(env []string) *Git {
	return &Git{env: scrub(env), path: lookup(env, "PATH"), patience: 3 * time.Second}
}

// keptGit lists the GIT_* variables that reach git.
var keptGit = map[string]bool{
	"GIT_ASKPASS": true, "GIT_SSH": true, "GIT_SSH_COMMAND": true, "GIT_SSH_VARIANT": true,
	"GIT_AUTHOR_NAME": true, "GIT_AUTHOR_EMAIL": true,
	"GIT_COMMITTER_NAME": true, "GIT_COMMITTER_EMAIL": true,
	"GIT_CONFIG_GLOBAL": true, "GIT_CONFIG_SYSTEM": true, "GIT_CONFIG_NOSYSTEM": true,
	"GIT_CONFIG_COUNT": true, "GIT_PROXY_COMMAND": true,
}

func keepsGit(name string) bool {
	return keptGit[name] || strings.HasPrefix(name, "GIT_SSL_") || strings.HasPrefix(name, "GIT_HTTP_PROXY_") ||
		strings.HasPrefix(name, "GIT_CONFIG_KEY_") || strings.HasPrefix(name, "GIT_CONFIG_VALUE_")
}

func scrub(env []string) []string {
	kept := make([]string, 0, len(env)+8)
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		name = strings.ToUpper(name) // names ignore case on Windows
		if (strings.HasPrefix(name, "GIT_") && !keepsGit(name)) || name == "LC_ALL" || name == "LANGUAGE" {
			continue
		}
		kept = append(kept, kv)
	}
	return append(kept, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GCM_INTERACTIVE=never",
		"GIT_OPTIONAL_LOCKS=0", "GIT_LITERAL_PATHSPECS=1", "GIT_NO_REPLACE_OBJECTS=1")
}

// lookup returns the last value of a variable, as the process would see it.
func lookup(env []string, name string) string {
	value := ""
	for _, kv := range env {
		k, v, _ := strings.Cut(kv, "=")
		if k == name || (runtime.GOOS == "windows" && strings.EqualFold(k, name)) {
			value = v
		}
	}
	return value
}

// executable finds git once and proves that it is new enough.
func (g *Git) executable(ctx context.Context) (string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.found != "" {
		return g.found, nil
	}
	path, err := findGit(g.path)
	if err != nil {
		return "", err
	}
	out, err := g.start(ctx, path, call{args: []string{"version"}, limit: quick})
	if err != nil {
		return "", coord.Errorf(coord.CodeSetup, "%s does not run: %w", path, err).WithNext("git version")
	}
	if err := checkVersion(string(out)); err != nil {
		return "", err
	}
	g.found = path
	return path, nil
}

// findGit looks at absolute PATH entries only: a relative one would run
// whatever git the current directory holds.
func findGit(path string) (string, error) {
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if found, err := exec.LookPath(filepath.Join(dir, "git")); err == nil {
			return found, nil
		}
	}
	return "", coord.Errorf(coord.CodeSetup, "git is not on PATH; coord needs Git %d.%d or newer", minMajor, minMinor).
		WithNext("git version")
}

const versionPattern = `^git version (\d+)\.(\d+)`

func checkVersion(out string) error {
	m := regexp.MustCompile(versionPattern).FindStringSubmatch(out)
	if m == nil {
		return coord.Errorf(coord.CodeSetup, "cannot tell the version of git from %q", firstLine(out)).WithNext("git version")
	}
	major, _ := strconv.Atoi(m[1])
	minor, _ := strconv.Atoi(m[2])
	if major > minMajor || (major == minMajor && minor >= minMinor) {
		return nil
	}
	return coord.Errorf(coord.CodeSetup, "git %d.%d is too old; coord needs Git %d.%d or newer", major, minor, minMajor, minMinor).
		WithNext("git version")
}
