package coord_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"coord"
)

func TestPrintable(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "Größe 3 → 4 ✓\n\tok", "Größe 3 → 4 ✓\n\tok"},
		{"escape sequence", "\x1b[2Jgone", `\u001b[2Jgone`},
		{"window title", "\x1b]0;x\x07", `\u001b]0;x\u0007`},
		{"carriage return overwrites", "safe\rEVIL", `safe\u000dEVIL`},
		{"backspace and DEL", "a\b\x7f", `a\u0008\u007f`},
		{"NUL", "a\x00b", `a\u0000b`},
		{"C1 control", "a\u009bb", `a\u009bb`},
		{"bidi override", "a\u202eb", `a\u202eb`},
		{"bidi isolate", "a\u2066b\u2069", `a\u2066b\u2069`},
		{"zero width", "a\u200bb\u200dc\ufeff", `a\u200bb\u200dc\ufeff`},
		{"soft hyphen", "a\u00adb", `a\u00adb`},
		{"tag character", "a\U000e0041b", `a\ue0041b`},
		{"line separator", "a\u2028b\u2029c", `a\u2028b\u2029c`},
		{"invalid UTF-8", "a\xff\xc3", `a\xff\xc3`},
		{"replacement character is text", "a\ufffdb", "a\ufffdb"},
		{"empty", "", ""},
	} {
		if got := coord.Printable(c.in); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestPrintableHidesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "text")
		out := coord.Printable(in)
		if !utf8.ValidString(out) {
			t.Fatalf("%q became invalid UTF-8", in)
		}
		for _, r := range out {
			if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
				t.Fatalf("%q still holds %U", in, r)
			}
		}
		if again := coord.Printable(out); again != out {
			t.Fatalf("printing twice changed %q to %q", out, again)
		}
		if one := coord.OneLine(in); strings.ContainsAny(one, "\n\t\r") {
			t.Fatalf("%q is not one line", one)
		}
	})
}

func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{
		"a\nb\tc": "a b c", "  a  b  ": "a b", "a\r\nb": "a b", "a\u2028b": "a b", "a\x1bb": `a\u001bb`, "": "",
	} {
		if got := coord.OneLine(in); got != want {
			t.Errorf("OneLine(%q) = %q, want %q", in, got, want)
		}
	}
}
