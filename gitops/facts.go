package gitops

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// facts are what decides who reads a repository, taken from its own
// configuration and from the files that lie in its Git directory. They are
// those of one moment: what may change while a repository is open is asked
// again where it matters, and whatever this process does not find, git is asked
// for.
type facts struct {
	unreadable   bool   // a configuration or directory that was not understood
	format       string // core.repositoryFormatVersion
	extensions   []setting
	worktree     bool // core.worktree is set
	bare         bool // core.bare is not false
	promisor     bool // objects may be missing here and come from a remote
	alternates   bool // objects lie elsewhere
	cut          bool // shallow or grafted: the history is not what the commits say
	oddHead      bool // HEAD is not a plain file
	oddRefs      bool // there is no plain refs directory
	objectFormat string
}

// setting is one variable of a configuration, its name in lower case but for
// the part in quotes.
type setting struct{ name, value string }

// needsGit says why a repository must be read by the installed git, or "" when
// go-git's answer is certainly the same. In doubt it is git.
func needsGit(f facts) string {
	switch {
	case f.unreadable:
		return "its configuration is not plain"
	case f.objectFormat != "" && f.objectFormat != "sha1":
		return "its objects are named by " + f.objectFormat
	case f.format != "" && f.format != "0" && f.format != "1":
		return "its format is " + f.format
	case f.promisor:
		return "it is a partial clone"
	case f.alternates:
		return "it borrows objects"
	case f.cut:
		return "its history is cut or grafted"
	case f.oddHead:
		return "its HEAD is not a plain file"
	case f.oddRefs:
		return "its references are not plain files"
	}
	for _, x := range f.extensions {
		if !harmless(x) {
			return "it has the extension " + strings.TrimPrefix(x.name, "extensions.")
		}
	}
	return ""
}

// harmless reports whether an extension changes nothing about reading.
func harmless(x setting) bool {
	switch strings.TrimPrefix(x.name, "extensions.") {
	case "noop", "preciousobjects", "worktreeconfig":
		return true
	case "objectformat":
		return x.value == "sha1"
	case "refstorage":
		return x.value == "files"
	}
	return false
}

// needsGitToOpen is needsGit for finding the work tree and its directories.
func needsGitToOpen(f facts) string {
	switch {
	case f.bare:
		return "it may be bare"
	case f.worktree:
		return "its work tree is configured"
	case len(f.extensions) > 0:
		return "it has extensions"
	}
	return needsGit(f)
}

// readFacts looks at a repository.
func readFacts(gitDir, commonDir string) facts {
	var f facts
	config, err := os.ReadFile(filepath.Join(commonDir, "config"))
	if err != nil {
		return facts{unreadable: true}
	}
	settings, plain := parseConfig(string(config))
	f.unreadable, f.bare = !plain, true
	for _, s := range settings {
		f.take(s)
	}
	objects := filepath.Join(commonDir, "objects")
	f.alternates = f.exists(filepath.Join(objects, "info", "alternates")) || f.exists(filepath.Join(objects, "info", "http-alternates"))
	f.cut = f.cutHistory(commonDir)
	f.oddRefs = f.exists(filepath.Join(commonDir, "reftable")) || !plainDir(filepath.Join(commonDir, "refs")) || !plainDir(objects)
	head, err := os.Lstat(filepath.Join(gitDir, "HEAD"))
	f.oddHead = err != nil || !head.Mode().IsRegular()
	return f
}

func (f *facts) take(s setting) {
	switch {
	case s.name == "core.repositoryformatversion":
		f.format = s.value
	case s.name == "core.bare":
		f.bare = s.value != "false"
	case s.name == "core.worktree":
		f.worktree = true
	case s.name == "extensions.objectformat":
		f.objectFormat = s.value
		f.extensions = append(f.extensions, s)
	case strings.HasPrefix(s.name, "extensions."):
		f.extensions = append(f.extensions, s)
	case strings.HasPrefix(s.name, "remote.") && (strings.HasSuffix(s.name, ".promisor") || strings.HasSuffix(s.name, ".partialclonefilter")):
		f.promisor = true
	}
}

// cutHistory looks for what makes git see other parents than the commits name.
func (f *facts) cutHistory(commonDir string) bool {
	return f.exists(filepath.Join(commonDir, "shallow")) || f.exists(filepath.Join(commonDir, "info", "grafts"))
}

// exists takes a file it cannot ask for as a reason for doubt.
func (f *facts) exists(path string) bool {
	_, err := os.Lstat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.unreadable = true
	}
	return err == nil
}

func plainDir(path string) bool {
	st, err := os.Lstat(path)
	return err == nil && st.IsDir()
}
