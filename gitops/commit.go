package gitops

import (
	"context"
	"fmt"
	"strings"

	"coord"
)

// CommitSpec describes a commit to make. A nil signature is the user's own
// identity, now.
type CommitSpec struct {
	Tree              OID
	Parents           []OID
	Message           string
	Author, Committer *Signature
}

// CommitTree stores a commit and gives its name; no reference moves. The same
// spec with both signatures gives the same name. Code setup when Git has no
// identity to use, not_found when the tree or a parent is missing.
func (r *repo) CommitTree(ctx context.Context, spec CommitSpec) (OID, error) {
	return r.commitTree(ctx, spec, false)
}

func (r *repo) commitTree(ctx context.Context, spec CommitSpec, sign bool) (OID, error) {
	if err := checkOIDs(append([]OID{spec.Tree}, spec.Parents...)...); err != nil {
		return "", err
	}
	if strings.TrimSpace(spec.Message) == "" || strings.Contains(spec.Message, "\x00") {
		return "", coord.Errorf(coord.CodeBadRequest, "a commit needs a message without NUL bytes; nothing was committed")
	}
	env, err := r.identity(ctx, spec)
	if err != nil {
		return "", err
	}
	args := []string{"-c", "i18n.commitEncoding=UTF-8", "commit-tree", "-F", "-"}
	if sign {
		args = append(args, "-S")
	}
	for _, p := range spec.Parents {
		args = append(args, "-p", string(p))
	}
	out, err := r.in(ctx, call{args: append(args, string(spec.Tree)), env: env, stdin: []byte(spec.Message), limit: work})
	if err != nil {
		return "", wrap(coord.CodeNotFound, err, "cannot commit tree %s in %s; nothing was committed", spec.Tree.Short(), r.dir())
	}
	return OID(line(out)), nil
}

func (r *repo) identity(ctx context.Context, spec CommitSpec) ([]string, error) {
	var env []string
	for _, who := range []struct {
		role string
		sig  *Signature
	}{{"AUTHOR", spec.Author}, {"COMMITTER", spec.Committer}} {
		if who.sig == nil {
			if _, err := r.read(ctx, "var", "GIT_"+who.role+"_IDENT"); err != nil {
				return nil, noIdentity(r.dir(), err)
			}
			continue
		}
		if err := who.sig.check(); err != nil {
			return nil, err
		}
		env = append(env, "GIT_"+who.role+"_NAME="+who.sig.Name, "GIT_"+who.role+"_EMAIL="+who.sig.Email,
			"GIT_"+who.role+"_DATE="+gitDate(*who.sig))
	}
	return env, nil
}

func noIdentity(dir string, err error) error {
	return wrap(coord.CodeSetup, err, "Git does not know who commits in %s; nothing was committed", dir).
		WithNext("git -C "+quoteArg(dir)+" config user.email EMAIL", "git -C "+quoteArg(dir)+" config user.name NAME")
}

func (s Signature) check() error {
	if strings.TrimSpace(s.Name) == "" || strings.ContainsAny(s.Name+s.Email, "<>\n\x00") || s.When.Unix() < 0 {
		return coord.Errorf(coord.CodeBadRequest, "%q <%s> is not an identity Git can store; nothing was committed", s.Name, s.Email)
	}
	return nil
}

// gitDate is Git's internal date format, with the @ that keeps small numbers
// from being read as something else.
func gitDate(s Signature) string {
	_, offset := s.When.Zone()
	sign := '+'
	if offset < 0 {
		sign, offset = '-', -offset
	}
	return fmt.Sprintf("@%d %c%02d%02d", s.When.Unix(), sign, offset/3600, offset/60%60)
}
