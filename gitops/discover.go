package gitops

import (
	"os"
	"path/filepath"
	"strings"
)

// find gives what git would say about the repository that holds dir, without
// asking it, or false when that is not certain: only for a work tree of the
// usual layout, main or linked, of one owner and on one file system.
func find(dir string) (Info, bool) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil || strings.ContainsAny(dir, "\n\r") {
		return Info{}, false
	}
	device, _, known := whereAndWhose(dir)
	for root := dir; known; root = filepath.Dir(root) {
		if at, _, ok := whereAndWhose(root); !ok || at != device || looksLikeGitDir(root) {
			return Info{}, false
		}
		st, err := os.Lstat(filepath.Join(root, ".git"))
		if err == nil {
			return plainAt(root, st)
		}
		if !os.IsNotExist(err) || root == filepath.Dir(root) {
			return Info{}, false
		}
	}
	return Info{}, false
}

// looksLikeGitDir is git's own test for a Git directory, or broader.
func looksLikeGitDir(dir string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); os.IsNotExist(err) {
			return false
		}
	}
	return true
}

func plainAt(root string, entry os.FileInfo) (Info, bool) {
	info := Info{Root: root, GitDir: filepath.Join(root, ".git"), ObjectFormat: "sha1"}
	info.CommonDir = info.GitDir
	link := info.GitDir
	switch {
	case entry.Mode().IsRegular():
		var ok bool
		if info.GitDir, info.CommonDir, ok = linkedDirs(link); !ok {
			return Info{}, false
		}
	case !entry.IsDir():
		return Info{}, false
	default:
		if _, err := os.Lstat(filepath.Join(info.GitDir, "commondir")); !os.IsNotExist(err) {
			return Info{}, false
		}
	}
	for _, p := range []string{root, link, info.GitDir, info.CommonDir} {
		if _, mine, ok := whereAndWhose(p); !ok || !mine {
			return Info{}, false
		}
	}
	ok := looksLikeGitDir(info.CommonDir) && headIsPlain(info.GitDir) && needsGitToOpen(readFacts(info.GitDir, info.CommonDir)) == ""
	return info, ok
}

// linkedDirs follows the .git file of a linked work tree, by the names that
// git itself gives (gitrepository-layout(5)).
func linkedDirs(link string) (gitDir, commonDir string, ok bool) {
	text, err := os.ReadFile(link)
	target, isLink := strings.CutPrefix(string(text), "gitdir: ")
	target, ends := strings.CutSuffix(target, "\n")
	if err != nil || !isLink || !ends || strings.ContainsAny(target, "\n\r") || !filepath.IsAbs(target) {
		return "", "", false
	}
	gitDir = filepath.Clean(target)
	commonDir = filepath.Dir(filepath.Dir(gitDir))
	if real, err := filepath.EvalSymlinks(gitDir); err != nil || real != gitDir {
		return "", "", false
	}
	common, err := os.ReadFile(filepath.Join(gitDir, "commondir"))
	if err != nil || string(common) != "../..\n" || filepath.Base(filepath.Dir(gitDir)) != "worktrees" {
		return "", "", false
	}
	back, err := os.ReadFile(filepath.Join(gitDir, "gitdir"))
	return gitDir, commonDir, err == nil && string(back) == link+"\n"
}

// headIsPlain reports whether HEAD is something git takes for one.
func headIsPlain(gitDir string) bool {
	text, err := os.ReadFile(filepath.Join(gitDir, "HEAD"))
	if err != nil {
		return false
	}
	head := strings.TrimSuffix(string(text), "\n")
	name, symbolic := strings.CutPrefix(head, "ref: ")
	return (symbolic && CheckRefName(name) == nil) || (!symbolic && len(head) == 40 && OID(head).Valid())
}
