package coord

import (
	"hash/crc32"
	"io"
	"strings"
)

// Tokens are prefix + 32 random base62 characters (about 190 bits) + 6 base62
// characters of CRC-32, so that scanners find them and a typo is refused
// without a database look-up.
const (
	tokenRandom   = 32
	tokenChecksum = 6
	base62        = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

var tokenPrefixes = map[Role]string{RoleAgent: "coord_agt_", RoleSetup: "coord_set_", RoleOperator: "coord_opr_", RoleReporter: "coord_rep_"}

// TokenRole is the role that a text claims by its prefix, or "" when it is no
// token's.
func TokenRole(token string) Role {
	for role, prefix := range tokenPrefixes {
		if strings.HasPrefix(token, prefix) {
			return role
		}
	}
	return ""
}

// TokenTail is the end of a token, by which people tell it from others.
func TokenTail(token string) string { return token[max(len(token)-4, 0):] }

// MaskToken is how a token is shown: coord_agt_…abcd.
func MaskToken(role Role, tail string) string { return tokenPrefixes[role] + "…" + tail }

// NewToken makes a token for a role from a source of randomness.
func NewToken(role Role, random io.Reader) (string, error) {
	prefix, ok := tokenPrefixes[role]
	if !ok {
		return "", Errorf(CodeBadRequest, "role %q has no tokens", string(role))
	}
	secret, err := RandomText(tokenRandom, random)
	if err != nil {
		return "", err
	}
	return prefix + secret + tokenSum(prefix+secret), nil
}

// CheckToken refuses anything that NewToken would not write, without saying
// why.
func CheckToken(token string) error {
	for _, prefix := range tokenPrefixes {
		body, ok := strings.CutPrefix(token, prefix)
		if ok && len(body) == tokenRandom+tokenChecksum && tokenSum(prefix+body[:tokenRandom]) == body[tokenRandom:] {
			return nil
		}
	}
	return Errorf(CodeUnauthenticated, "the credential is not valid")
}

// TokenVerifier is what the server stores of a token: a fast hash is enough
// for a secret of this size.
func TokenVerifier(token string) string { return hexSum([]byte(token)) }

// RandomText returns n base62 characters without bias.
func RandomText(n int, random io.Reader) (string, error) {
	out := make([]byte, 0, n)
	buf := make([]byte, n)
	for len(out) < n {
		if _, err := io.ReadFull(random, buf); err != nil {
			return "", Errorf(CodeInternal, "reading randomness: %w", err)
		}
		for _, b := range buf {
			// 248 is the largest multiple of 62 that fits a byte.
			if b < 248 && len(out) < n {
				out = append(out, base62[b%62])
			}
		}
	}
	return string(out), nil
}

func tokenSum(s string) string {
	sum := uint64(crc32.ChecksumIEEE([]byte(s)))
	out := make([]byte, tokenChecksum)
	for i := len(out) - 1; i >= 0; i-- {
		out[i], sum = base62[sum%62], sum/62
	}
	return string(out)
}
