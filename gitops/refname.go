package gitops

import (
	"strings"

	"coord"
)

// CheckRefName accepts a full reference name: git-check-ref-format(1) with,
// in addition, "refs/" and a second level in front, no component that looks
// like an option, none named HEAD, and no "refs/heads/refs/...".
func CheckRefName(name string) error {
	rest, ok := strings.CutPrefix(name, "refs/")
	if !ok || !strings.Contains(rest, "/") || len(name) > 1024 || !goodChars(name) {
		return badName("reference", name)
	}
	for _, part := range strings.Split(rest, "/") {
		if part == "" || part == "HEAD" || part == "@" || strings.HasPrefix(part, ".") || strings.HasPrefix(part, "-") ||
			strings.HasSuffix(part, ".lock") || strings.HasSuffix(part, ".") {
			return badName("reference", name)
		}
	}
	if strings.HasPrefix(name, "refs/heads/refs/") {
		return badName("reference", name)
	}
	return nil
}

// CheckBranchName accepts a short branch name ("coord/pay-1").
func CheckBranchName(short string) error {
	if CheckRefName("refs/heads/"+short) != nil {
		return badName("branch", short)
	}
	return nil
}

func goodChars(name string) bool {
	if strings.Contains(name, "..") || strings.Contains(name, "@{") {
		return false
	}
	for _, c := range []byte(name) {
		if c <= ' ' || c == 0x7f || strings.IndexByte(`~^:?*[\`, c) >= 0 {
			return false
		}
	}
	return true
}

func badName(what, name string) error {
	return coord.Errorf(coord.CodeBadRequest, "%q is not a %s name coord uses; nothing was changed", name, what)
}

func branchRef(short string) string { return "refs/heads/" + short }

// checkOIDs refuses anything but full object names.
func checkOIDs(oids ...OID) error {
	for _, o := range oids {
		if !o.Valid() {
			return coord.Errorf(coord.CodeBadRequest, "%q is not a full object name; nothing was changed", string(o))
		}
	}
	return nil
}

// checkRefspec accepts [+]SOURCE[:TARGET] where the source is a full
// reference name or object name, the target a full reference name, and "*"
// may stand once for a last component on both sides.
func checkRefspec(spec string) error {
	source, target, both := strings.Cut(strings.TrimPrefix(spec, "+"), ":")
	if !OID(source).Valid() && checkPattern(source) != nil {
		return badName("refspec", spec)
	}
	if both && checkPattern(target) != nil {
		return badName("refspec", spec)
	}
	if both && strings.HasSuffix(source, "/*") != strings.HasSuffix(target, "/*") {
		return badName("refspec", spec)
	}
	return nil
}

func checkPattern(p string) error {
	if base, ok := strings.CutSuffix(p, "/*"); ok {
		p = base + "/x"
	}
	return CheckRefName(p)
}
