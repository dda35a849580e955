package coord

import (
	"strings"
	"unicode"
)

// transports are the URL schemes that lead to a repository. Git takes any
// other for the name of a program to run.
var transports = map[string]bool{"ssh": true, "git+ssh": true, "ssh+git": true, "https": true, "http": true, "git": true, "file": true}

// namesProgram reports whether an address names such a program outright, as
// "ext::sh -c ..." does; see gitremote-helpers(7).
func namesProgram(address string) bool {
	name, _, found := strings.Cut(address, "::")
	return found && !strings.ContainsAny(name, `/\@:[`)
}

// check refuses an address that would run a program, that reads as an option,
// or that has a password in it. The refusal repeats none of it.
func (r Repository) check() error {
	if r.ID == "" || r.Remote == "" {
		return Errorf(CodeBadRequest, "each repository needs a remote and an id of its own")
	}
	for what, text := range map[string]string{"id": string(r.ID), "remote": r.Remote} {
		if len(text) > 2000 || strings.HasPrefix(text, "-") || namesProgram(text) || strings.ContainsFunc(text, unicode.IsControl) {
			return badAddress(what, "is no address of a repository")
		}
	}
	scheme, rest, isURL := strings.Cut(r.Remote, "://")
	if isURL {
		return checkURL(strings.ToLower(scheme), rest)
	}
	// user:password@host is no form that Git knows: it takes the password for
	// a path, and shows it.
	user, host, named := strings.Cut(r.Remote, "@")
	switch {
	case !named || strings.ContainsAny(user, `/\[`):
		return nil
	case strings.Contains(user, ":") && !strings.HasSuffix(user, ":"):
		return badAddress("remote", "has a password in it")
	case strings.HasPrefix(host, "-"):
		return badAddress("remote", "is no address of a repository")
	}
	return nil
}

// checkURL checks what stands before and after "://".
func checkURL(scheme, rest string) error {
	authority, _, _ := strings.Cut(rest, "/")
	user, host := "", authority
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		user, host = authority[:i], authority[i+1:]
	}
	switch {
	case !transports[scheme] || strings.HasPrefix(authority, "-") || strings.HasPrefix(host, "-"):
		return badAddress("remote", "is no address of a repository")
	case strings.Contains(user, ":"), user != "" && strings.HasPrefix(scheme, "http"), scheme != "file" && strings.ContainsAny(rest, "?#"):
		return badAddress("remote", "has a password or token in it")
	}
	return nil
}

func badAddress(what, why string) error {
	return Errorf(CodeBadRequest, "the %s of a repository %s; nothing was changed", what, why).WithNext("git remote -v", "coord init")
}

// SameRepository reports whether two ids can be spellings of one repository:
// many hosts ignore the case of a path, file systems need not. Two that differ
// in case are never two repositories on record, and neither stands for the
// other: a clone of one is no clone of the other's project.
func SameRepository(a, b RepositoryID) bool {
	if a == b {
		return true
	}
	local := strings.HasPrefix(string(a), "file:") || strings.HasPrefix(string(b), "file:")
	return !local && strings.EqualFold(string(a), string(b))
}
