package coord

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// checkText bounds a text field: valid UTF-8, no NUL, not blank when a
// minimum is asked, at most limit bytes.
func checkText(field, s string, least, limit int) error {
	switch {
	case !utf8.ValidString(s) || strings.ContainsRune(s, 0):
		return Errorf(CodeBadRequest, "the %s is not valid UTF-8 text", field)
	case least > 0 && strings.TrimSpace(s) == "":
		return Errorf(CodeBadRequest, "the %s is empty", field)
	case len(s) > limit:
		return Errorf(CodeBadRequest, "the %s has %d bytes; the limit is %d", field, len(s), limit)
	}
	return nil
}

// checkLine is checkText for fields that are one line wherever they are
// shown, so that none can forge a second one.
func checkLine(field, s string, least, limit int) error {
	if strings.ContainsAny(s, "\n\r") {
		return Errorf(CodeBadRequest, "the %s has a line break", field)
	}
	return checkText(field, s, least, limit)
}

// stated drops the ids that were left out.
func stated(oids ...OID) []OID {
	return slices.DeleteFunc(oids, func(o OID) bool { return o == "" })
}

func checkOIDs(oids ...OID) error {
	for _, o := range oids {
		if !o.Valid() {
			return Errorf(CodeBadRequest, "%q is not a full lower-case Git object id", string(o))
		}
	}
	return nil
}

// Printable returns s with everything that could move a terminal's cursor or
// deceive a reader made visible: control characters except newline and tab,
// DEL, C1, bidirectional controls, zero-width characters and invalid UTF-8.
// All text from others passes it before it is printed.
func Printable(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r != '\n' && r != '\t' && hidden(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

// hidden reports control (Cc), format (Cf: bidi, zero-width, tags) and
// line-separating runes.
func hidden(r rune) bool {
	return unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) || r == 0x2028 || r == 0x2029
}

// OneLine is Printable with line breaks and tabs turned into spaces.
func OneLine(s string) string {
	return Printable(strings.Join(strings.Fields(s), " "))
}

// shorten cuts a text to at most limit bytes, between characters.
func shorten(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	cut := limit - len("…")
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
