package markdown

import (
	"strings"
	"unicode"
)

var mentionForm = pattern(`^[\w.@~/\\-]*[\w-]+\.(?i:md|markdown|txt|rst|go|mod|sum|py|js|jsx|ts|tsx|mjs|cjs|json|jsonl|ya?ml|toml|sql|sh|ps1|rs|java|kt|c|h|cc|cpp|hpp|cs|rb|php|swift|html?|css|scss|vue|proto|lock|cfg|ini|env|xml|csv|ipynb|lua|dart|asm|tf)(?:[:#][\w.-]+)?$|^\.{0,2}/?(?:[\w.@-]+/)+[\w.@-]*$`)

// isMention reports a text that is nothing but the path of a file.
func isMention(s string) bool {
	return len(s) > 2 && len(s) <= 200 && strings.ContainsAny(s, "./") && !strings.ContainsAny(s, " ()<>") && !strings.Contains(s, "://") && mentionForm().MatchString(s)
}

// isObjectID reports an abbreviated or full object id: with figures only it may
// be any number, and with letters only any word.
func isObjectID(s string) bool {
	return isCommit(s) && strings.ContainsAny(s, "0123456789") && strings.ContainsAny(s, "abcdef")
}

// inlineTarget reads (target "title") and returns the target and the length.
func inlineTarget(s string) (target string, n int) {
	if !strings.HasPrefix(s, "(") {
		return "", 0
	}
	s = s[:min(len(s), maxTarget)]
	i := 1 + blanksAt(s[1:])
	from := i
	if strings.HasPrefix(s[i:], "<") {
		end := strings.IndexAny(s[i+1:], "<>\n")
		if end < 0 || s[i+1+end] != '>' {
			return "", 0
		}
		target = s[i+1 : i+1+end]
		i += end + 2
	} else {
		i += targetLength(s[i:])
		target = s[from:i]
	}
	i += blanksAt(s[i:])
	if i < len(s) && strings.IndexByte(`"'(`, s[i]) >= 0 {
		closing := map[byte]byte{'"': '"', '\'': '\'', '(': ')'}[s[i]]
		end := strings.IndexByte(s[i+1:], closing)
		if end < 0 {
			return "", 0
		}
		i += end + 2
		i += blanksAt(s[i:])
	}
	if i >= len(s) || s[i] != ')' {
		return "", 0
	}
	return decodeLine(target), i + 1
}

func blanksAt(s string) int { return len(s) - len(strings.TrimLeft(s, " \t\n")) }

// targetLength is the length of a target without white space and with balanced
// brackets.
func targetLength(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s) && isPunct(s[i+1]):
			i++
		case c <= ' ':
			return i
		case c == '(':
			if depth++; depth > 32 {
				return i
			}
		case c == ')':
			if depth--; depth < 0 {
				return i
			}
		}
	}
	return len(s)
}

var scheme = pattern(`^[A-Za-z][A-Za-z0-9+.-]{1,31}:`)

func isExternal(target string) bool {
	return strings.HasPrefix(target, "//") || strings.IndexByte(target[:min(len(target), 34)], ':') > 1 && scheme().MatchString(target)
}

func linkKind(target string) LinkKind {
	switch {
	case strings.HasPrefix(target, "#"):
		return LinkAnchor
	case isExternal(target):
		return LinkExternal
	}
	return LinkPath
}

var (
	numberForm = pattern(`^(?:[\w.-]+/[\w.-]+)?#\d{1,7}$`)
	labelForm  = pattern(`^[A-Z]{1,8}(?:-[A-Z]+)?-[A-Z]{0,3}\d{1,7}[a-z]?$`)
)

// standards are names that have the form of a label.
var standards = pattern(`^(?:UTF|SHA|MD|ISO|RFC|AES|RSA|CVE|GPT|IEEE|ECMA|WCAG|COVID|HTTP|TLS|BASE|PEP|CWE|FIPS|EN|DIN|X|ES|CP|HS|RS|ED|P)-`)

func wordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '#' || r == '/' || r == '-' || r == '_' || r == '.'
}

// address is the web address that s begins with, without the punctuation of the
// sentence it stands in.
func address(s string) string {
	if !strings.HasPrefix(s, "http://") && !strings.HasPrefix(s, "https://") {
		return ""
	}
	end := strings.IndexAny(s[:min(len(s), maxTarget)], " \t\n<>\"`|")
	if end < 0 {
		end = runeStart(s, maxTarget)
	}
	s = s[:end]
	round := strings.Count(s, ")") - strings.Count(s, "(")
	square := strings.Count(s, "]") - strings.Count(s, "[")
	for s != "" {
		switch c := s[len(s)-1]; {
		case strings.IndexByte(".,;:!?'*_~", c) >= 0:
		case c == ')' && round > 0:
			round--
		case c == ']' && square > 0:
			square--
		default:
			return s
		}
		s = s[:len(s)-1]
	}
	return s
}
