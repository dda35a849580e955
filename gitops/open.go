package gitops

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"coord"
	"coord/files"
)

// repo is Repo. What is stored it reads through the engine that fits the
// repository; everything else the installed git does.
type repo struct {
	git    *Git
	info   Info
	stored reader
}

var _ Repo = (*repo)(nil)

func (r *repo) Info() Info { return r.info }

func (r *repo) dir() string {
	if r.info.Bare {
		return r.info.GitDir
	}
	return r.info.Root
}

// Open finds the repository that holds dir, which may be any directory of a
// work tree or a bare repository. It refuses, with code setup: a directory in
// no repository, a repository Git does not trust (another owner), a bare
// repository lying inside another work tree, and a copied or moved linked
// worktree whose registration names another place.
func (g *Git) Open(ctx context.Context, dir string) (Repo, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, coord.Errorf(coord.CodeSetup, "cannot tell where %q is: %w", dir, err)
	}
	if st, err := os.Stat(abs); err != nil || !st.IsDir() {
		return nil, coord.Errorf(coord.CodeSetup, "%s is not a directory", abs).WithNext("cd DIR")
	}
	r := &repo{git: g}
	if info, certain := find(abs); certain {
		r.info = info
	} else if err := r.discover(ctx, abs); err != nil {
		return nil, err
	}
	if err := r.trust(ctx); err != nil {
		return nil, err
	}
	r.stored = r.engine()
	return r, nil
}

// engine chooses who reads the repository.
func (r *repo) engine() reader {
	if r.info.ObjectFormat != "sha1" || needsGit(readFacts(r.info.GitDir, r.info.CommonDir)) != "" {
		return installed{r}
	}
	return &inProcess{git: installed{r}}
}

func (r *repo) discover(ctx context.Context, dir string) error {
	args := []string{
		"rev-parse", "--path-format=absolute", "--is-bare-repository", "--is-inside-work-tree",
		"--show-object-format", "--absolute-git-dir", "--git-common-dir",
	}
	out, err := r.git.run(ctx, call{args: args, dir: dir, limit: quick})
	if err != nil {
		return notARepo(dir, err)
	}
	f := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(f) != len(args)-2 {
		return coord.Errorf(coord.CodeSetup, "the path of the Git directory of %q contains a line break", dir)
	}
	r.info = Info{Bare: f[0] == "true", ObjectFormat: f[2], GitDir: nativePath(f[3]), CommonDir: nativePath(f[4])}
	if r.info.Bare {
		return nil
	}
	if f[1] != "true" {
		return coord.Errorf(coord.CodeSetup, "%s is inside a Git directory, not in a work tree", dir)
	}
	top, err := r.git.run(ctx, call{args: []string{"rev-parse", "--show-toplevel"}, dir: dir, limit: quick})
	if err != nil {
		return notARepo(dir, err)
	}
	r.info.Root = nativePath(strings.TrimSuffix(string(top), "\n"))
	return nil
}

func nativePath(p string) string { return filepath.Clean(filepath.FromSlash(p)) }

// notARepo tells "there is none" from "Git does not accept the one there is"
// by looking, because Git gives both the same exit status.
func notARepo(dir string, err error) error {
	for d := dir; ; d = filepath.Dir(d) {
		if _, statErr := os.Lstat(filepath.Join(d, ".git")); statErr == nil {
			return wrap(coord.CodeSetup, err, "Git does not accept the repository at %s", d).WithNext("git -C " + quoteArg(d) + " status")
		}
		if d == filepath.Dir(d) {
			break
		}
	}
	if !exited(err, 128) {
		return wrap(coord.CodeSetup, err, "git does not run in %s", dir)
	}
	return coord.Errorf(coord.CodeSetup, "%s is not in a Git repository", dir).
		WithNext("cd REPOSITORY", "git init "+quoteArg(dir))
}

func (r *repo) trust(ctx context.Context) error {
	if r.info.Bare {
		up := call{args: []string{"rev-parse", "--is-inside-work-tree"}, dir: filepath.Dir(r.info.GitDir), limit: quick}
		if out, err := r.git.run(ctx, up); err == nil && strings.TrimSpace(string(out)) == "true" {
			return coord.Errorf(coord.CodeSetup, "%s is a bare repository inside another work tree; its configuration is not trusted", r.info.GitDir)
		}
		return nil
	}
	if r.info.GitDir == r.info.CommonDir {
		return r.trustPointer(ctx)
	}
	return r.trustLink()
}

// trustPointer refuses a .git that leads to the Git directory of another work
// tree: both would share one HEAD and index. One that stands by itself, or
// names this work tree, is a submodule's or was asked for.
func (r *repo) trustPointer(ctx context.Context) error {
	owner := filepath.Dir(r.info.GitDir)
	if filepath.Base(r.info.GitDir) != ".git" || files.Same(owner, r.info.Root) {
		return nil
	}
	if out, err := r.read(ctx, "config", "--type=path", "--get", "core.worktree"); err == nil && len(out) > 0 {
		return nil
	}
	return coord.Errorf(coord.CodeSetup, "the Git directory of %s is that of another work tree, %s", r.info.Root, owner).
		WithNext("cd "+quoteArg(owner), "git -C "+quoteArg(owner)+" worktree add "+quoteArg(r.info.Root+"-2"))
}

// trustLink holds a linked worktree to its registration: two directories that
// share one HEAD and index would overwrite each other's work.
func (r *repo) trustLink() error {
	registered, linked := registeredAt(r.info.GitDir)
	if !linked {
		return nil // a submodule or a common-dir set-up
	}
	if files.Same(registered, r.info.Root) {
		return nil
	}
	return coord.Errorf(coord.CodeSetup, "%s is a copied or moved worktree: it is registered as %s", r.info.Root, registered).
		WithNext("git -C " + quoteArg(r.info.Root) + " worktree repair")
}

// registeredAt gives the directory a linked worktree's Git directory belongs
// to. Since Git 2.48 it may be written relative to the latter.
func registeredAt(gitDir string) (string, bool) {
	back, err := os.ReadFile(filepath.Join(gitDir, "gitdir"))
	if err != nil {
		return "", false
	}
	at := filepath.Dir(nativePath(strings.TrimSpace(string(back))))
	if !filepath.IsAbs(at) {
		at = filepath.Join(gitDir, at)
	}
	return at, true
}

// quoteArg makes a path safe to show inside a suggested command.
func quoteArg(s string) string {
	if s != "" && !strings.ContainsAny(s, " \t\n\"'`$&|;<>()*?[]#~!\\") {
		return s
	}
	if strings.ContainsRune(s, '\\') && !strings.ContainsAny(s, "\"$`") {
		return `"` + s + `"`
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
