package gitops

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// shown bounds how much of Git's own words an error repeats, in bytes.
const shown = 2000

// userinfo is what may stand between a URL's scheme and its host.
var userinfo = pattern(`([A-Za-z][A-Za-z0-9+.-]*://)[^/\s'"]*@`)

// pattern compiles an expression when it is first needed: every run of the
// binary would pay for it otherwise.
func pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// sanitise makes text from Git or a remote fit to show: control and other
// unprintable characters become visible, credentials in URLs are masked, and
// the end is kept when it is long. Lines stay lines.
func sanitise(text string) string {
	text = userinfo().ReplaceAllString(text, "${1}***@")
	var b strings.Builder
	for _, line := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if line = strings.TrimSpace(visible(line)); line != "" {
			b.WriteString(line + "\n")
		}
	}
	clean := strings.TrimSuffix(b.String(), "\n")
	if len(clean) > shown {
		cut := len(clean) - shown
		for !utf8.RuneStart(clean[cut]) {
			cut++
		}
		clean = "… " + clean[cut:]
	}
	return clean
}

func visible(line string) string {
	var b strings.Builder
	for i, r := range line {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(line[i:], string(utf8.RuneError)):
			fmt.Fprintf(&b, `\x%02x`, line[i])
		case r == '\t':
			b.WriteByte(' ')
		case r < 0x80 && unicode.IsControl(r):
			fmt.Fprintf(&b, `\x%02x`, r)
		case !unicode.IsPrint(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return strings.TrimSuffix(line, "\r")
}

// tail keeps the last bytes written to it.
type tail struct {
	limit int
	buf   []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.buf = append(t.buf, p...)
	if over := len(t.buf) - 2*t.limit; over > 0 {
		t.buf = append(t.buf[:0], t.buf[len(t.buf)-t.limit:]...)
	}
	return len(p), nil
}

func (t *tail) String() string { return string(t.buf[max(0, len(t.buf)-t.limit):]) }

// bounded keeps what is written to it until that is more than most; then it
// stops the writer and keeps nothing.
type bounded struct {
	buf  []byte
	most int
	over bool
	stop func()
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.over || len(b.buf)+len(p) > b.most {
		b.buf = nil
		if !b.over {
			b.over = true
			b.stop()
		}
		return len(p), nil
	}
	b.buf = append(b.buf, p...)
	return len(p), nil
}
