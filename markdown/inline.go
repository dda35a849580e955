package markdown

import (
	"strings"
)

const punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"

func isPunct(c byte) bool { return strings.IndexByte(punctuation, c) >= 0 }

// codeSpan returns the end of the code span that begins with the backticks at
// s[i], and how many backticks those are. The end is 0 when nothing closes them.
func codeSpan(s string, i int) (end, run int) {
	for i+run < len(s) && s[i+run] == '`' {
		run++
	}
	for j := i + run; j < len(s); {
		if s[j] != '`' {
			j++
			continue
		}
		k := j
		for k < len(s) && s[k] == '`' {
			k++
		}
		if k-j == run {
			return k, run
		}
		j = k
	}
	return 0, run
}

// encodeLine writes one line of plain text so that it reads as that text and
// carries no comment, no strikethrough and no unpaired backtick. decodeLine
// gives the same text back.
func encodeLine(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] == '`' {
			end, run := codeSpan(s, i)
			if end == 0 {
				b.WriteString(strings.Repeat("\\`", run))
				i += run
				continue
			}
			b.WriteString(s[i:end])
			i = end
			continue
		}
		b.WriteString(encodeByte(s, i))
		i++
	}
	return b.String()
}

func encodeByte(s string, i int) string {
	rest := s[i:]
	switch {
	case s[i] == '\\' && (len(rest) == 1 || isPunct(rest[1])):
		return `\\`
	case strings.HasPrefix(rest, "<!"), strings.HasPrefix(rest, "<?"):
		return "&lt;"
	case s[i] == '>' && strings.HasSuffix(s[:i], "--"):
		return "&gt;"
	case strings.HasPrefix(rest, "&amp;"), strings.HasPrefix(rest, "&lt;"), strings.HasPrefix(rest, "&gt;"):
		return "&amp;"
	case s[i] == '~' && (strings.HasPrefix(rest, "~~") || strings.HasSuffix(s[:i], "~")):
		return `\~`
	}
	return s[i : i+1]
}

var entities = strings.NewReplacer("&amp;", "&", "&lt;", "<", "&gt;", ">")

// decodeLine turns backslash escapes and the entities that encodeLine writes
// into the characters they stand for. Code spans stay as they are.
func decodeLine(s string) string {
	if !strings.ContainsAny(s, "\\&") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		switch {
		case s[i] == '\\' && i+1 < len(s) && isPunct(s[i+1]):
			b.WriteByte(s[i+1])
			i += 2
		case s[i] == '`':
			end, run := codeSpan(s, i)
			end = max(end, i+run)
			b.WriteString(s[i:end])
			i = end
		case s[i] == '&':
			n := unit(s, i)
			b.WriteString(entities.Replace(s[i : i+n]))
			i += n
		default:
			b.WriteByte(s[i])
			i++
		}
	}
	return b.String()
}

// encodeComments keeps a text of several lines from carrying a comment; the
// rest of its Markdown stays.
func encodeComments(s string) string {
	s = strings.ReplaceAll(s, "&lt;!--", "&amp;lt;!--")
	return strings.ReplaceAll(s, "<!--", "&lt;!--")
}

func decodeComments(s string) string {
	s = strings.ReplaceAll(s, "&amp;lt;!--", "\x00")
	s = strings.ReplaceAll(s, "&lt;!--", "<!--")
	return strings.ReplaceAll(s, "\x00", "&lt;!--")
}

var markerForm = pattern(`^<!--[ \t]*coord:([A-Za-z][A-Za-z0-9]*(?:-[0-9]+)?)[ \t]*-->$`)

// takeMarkers removes the markers from a record's own text and returns their
// ids. A marker inside a code span, behind a backslash or inside another
// comment is text.
func takeMarkers(s string) (text string, ids []string) {
	if !strings.Contains(s, "coord:") {
		return s, nil
	}
	var b strings.Builder
	last := strings.LastIndex(s, "-->") // behind it no comment ends, and none is looked for
	for i := 0; i < len(s); {
		if i > last {
			b.WriteString(s[i:])
			break
		}
		n, id := markupAt(s, i)
		if id == "" {
			b.WriteString(s[i : i+n])
		} else {
			ids = append(ids, id)
		}
		i += n
	}
	return strings.TrimSpace(b.String()), ids
}

// markupAt returns the length of what begins at s[i], a code span, an escape, a
// comment or one byte, and the id if it is a marker.
func markupAt(s string, i int) (n int, id string) {
	switch {
	case s[i] == '\\' && i+1 < len(s):
		return 2, ""
	case s[i] == '`':
		end, run := codeSpan(s, i)
		return max(end-i, run), ""
	case strings.HasPrefix(s[i:], "<!--"):
		end := strings.Index(s[i+4:], "-->")
		if end < 0 {
			return 4, ""
		}
		n = end + 7
		if m := markerForm().FindStringSubmatch(s[i : i+n]); m != nil {
			return n, m[1]
		}
		return n, ""
	}
	return 1, ""
}
