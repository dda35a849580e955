package gitops

import (
	"net/url"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"unicode"

	"coord"
)

// Default ports; a URL that names its scheme's own is the same as one that
// names none.
var defaultPort = map[string]string{"ssh": "22", "git+ssh": "22", "ssh+git": "22", "https": "443", "http": "80", "git": "9418"}

// helper is how an address names a remote helper, a program to run; see
// gitremote-helpers(7).
var helper = pattern(`^[A-Za-z0-9+.-]+::`)

// NormalizeRemote gives the identity of the repository a remote URL leads to.
// Network forms of one host and path are one: "host/path", host in lower case,
// default ports, user names, passwords and a final ".git" dropped. An absolute
// local path or file URL becomes "file:///path". It refuses, with code
// bad_request, what would run a program (ext::), looks like an option, or is
// relative; the answer and the error never hold credentials.
func NormalizeRemote(remote string) (string, error) {
	if remote == "" || strings.HasPrefix(remote, "-") || helper().MatchString(remote) || strings.ContainsFunc(remote, unicode.IsControl) {
		return "", badRemote(remote)
	}
	if strings.Contains(remote, "://") {
		return normalizeURL(remote)
	}
	if host, p, ok := cutSCP(remote); ok {
		return hostPath(host, "", p, remote)
	}
	return localIdentity(remote, remote)
}

func badRemote(remote string) error {
	return coord.Errorf(coord.CodeBadRequest, "%q is not the address of a repository coord works with", withoutUser(remote)).
		WithNext("git remote -v")
}

// withoutUser cuts whatever may be a credential, for showing: what stands
// before the host, and a URL's query or fragment.
func withoutUser(remote string) string {
	masked := userinfo().ReplaceAllString(remote, "${1}")
	if i := strings.IndexAny(masked, "?#"); i >= 0 && strings.Contains(masked[:i], "://") {
		masked = masked[:i]
	}
	if user, rest, ok := strings.Cut(masked, "@"); ok && !strings.ContainsAny(user, "/") {
		return rest
	}
	return masked
}

// isLocal follows git-fetch(1), "Git URLs": no colon before the first slash
// means a path; on Windows a drive letter too.
func isLocal(remote string) bool {
	if runtime.GOOS == "windows" && (filepath.VolumeName(remote) != "" || strings.HasPrefix(remote, `\\`)) {
		return true
	}
	colon, slash := strings.Index(remote, ":"), strings.Index(remote, "/")
	return colon < 0 || (slash >= 0 && slash < colon)
}

// cutSCP splits [user@]host:path and [user@][host]:path.
func cutSCP(remote string) (host, p string, ok bool) {
	if isLocal(remote) {
		return "", "", false
	}
	rest := remote
	if user, after, found := strings.Cut(rest, "@"); found && !strings.ContainsAny(user, ":/[") {
		rest = after
	} else if found && strings.Contains(user, ":") && !strings.HasSuffix(user, ":") && !strings.Contains(user, "/") {
		return "", "", true // user:password@host is no form Git knows: it would take the password for a path
	}
	if inner, found := strings.CutPrefix(rest, "["); found {
		host, p, ok = strings.Cut(inner, "]:")
		return host, p, ok
	}
	return strings.Cut(rest, ":")
}

func normalizeURL(remote string) (string, error) {
	u, err := url.Parse(remote)
	if err != nil || u.RawQuery != "" || u.Fragment != "" || u.Opaque != "" {
		return "", badRemote(remote)
	}
	scheme := strings.ToLower(u.Scheme)
	if scheme == "file" {
		if u.Host != "" && u.Host != "localhost" {
			return localIdentity("//"+u.Host+u.Path, remote)
		}
		if runtime.GOOS == "windows" && len(u.Path) > 2 && u.Path[2] == ':' {
			return localIdentity(u.Path[1:], remote)
		}
		return localIdentity(u.Path, remote)
	}
	port, known := defaultPort[scheme]
	if !known {
		return "", badRemote(remote)
	}
	if u.Port() != port {
		port = u.Port()
	} else {
		port = ""
	}
	return hostPath(u.Hostname(), port, u.Path, remote)
}

func hostPath(host, port, p, remote string) (string, error) {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	p = strings.TrimLeft(p, "/")
	if host == "" || strings.HasPrefix(host, "-") || strings.HasPrefix(p, "-") || strings.ContainsAny(host, `/\@ `) {
		return "", badRemote(remote)
	}
	p = strings.TrimSuffix(strings.TrimPrefix(path.Clean("/"+p), "/"), ".git")
	p = strings.TrimSuffix(p, "/")
	if p == "" {
		return "", badRemote(remote)
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port != "" {
		host += ":" + port
	}
	return host + "/" + p, nil
}

func localIdentity(p, remote string) (string, error) {
	if !filepath.IsAbs(p) {
		return "", badRemote(remote)
	}
	p = filepath.ToSlash(filepath.Clean(p))
	p = strings.TrimSuffix(p, "/.git")
	if strings.HasPrefix(p, "//") {
		return "file:" + p, nil // a network share: its first part is the host
	}
	if len(p) > 1 && p[1] == ':' {
		p = "/" + strings.ToUpper(p[:1]) + p[1:]
	}
	return "file://" + p, nil
}
