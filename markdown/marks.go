package markdown

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// marksOf is where the signs of an item or heading stand. Its title ends with
// the line before n: what follows introduces criteria.
func (x *extraction) marksOf(b block, n int) Marks {
	n = min(n, len(b.text))
	if n == 0 {
		return Marks{}
	}
	to := b.at[n-1] + len(b.text[n-1])
	return Marks{Box: x.boxAt(b.at[0], b.at[0]+len(b.text[0])), End: x.endOf(b.at[0], to)}
}

// boxAt is the sign inside the brackets of a checkbox that the text [from, to)
// begins with.
func (x *extraction) boxAt(from, to int) Span {
	if !hasBox(string(x.view[from:to])) {
		return Span{}
	}
	return Span{from + 1, from + bytes.IndexByte(x.view[from:to], ']')}
}

// endOf is where the text [from, to) ends before the comments behind it.
func (x *extraction) endOf(from, to int) int {
	s := string(x.view[from:to])
	if !strings.Contains(s, "<!--") {
		return to
	}
	end, last := 0, strings.LastIndex(s, "-->")
	for i := 0; i < len(s); {
		if i > last {
			end = len(s)
			break
		}
		n, _ := markupAt(s, i)
		n = min(n, len(s)-i)
		if comment := n >= len("<!---->") && strings.HasPrefix(s[i:], "<!--"); !comment && strings.TrimSpace(s[i:i+n]) != "" {
			end = i + n
		}
		i += n
	}
	return from + len(strings.TrimRightFunc(s[:end], unicode.IsSpace))
}

// box is the checkbox that a text begins with: the sign in it, and how long it is
// with the white space behind it. A star behind it says that the task is
// optional. The length is 0 if there is no box.
func box(s string) (mark string, length int) {
	if len(s) < 3 || s[0] != '[' {
		return "", 0
	}
	r, n := utf8.DecodeRuneInString(s[1:])
	if r == ']' || unicode.IsDigit(r) {
		return "", 0
	}
	i := 1 + n
	i += len(s[i:]) - len(strings.TrimPrefix(s[i:], "\ufe0f"))
	rest, ok := strings.CutPrefix(s[i:], "]")
	if !ok {
		return "", 0
	}
	rest = strings.TrimPrefix(rest, "*")
	text := strings.TrimLeft(rest, " \t")
	if len(text) == len(rest) && text != "" {
		return "", 0
	}
	return s[1 : 1+n], len(s) - len(text)
}

func withoutBox(s string) string {
	_, n := box(s)
	return s[n:]
}

func hasBox(s string) bool {
	_, n := box(s)
	return n > 0
}
