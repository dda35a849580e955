package markdown

import (
	"bytes"

	"coord"
)

// What is refused before any parsing: some inputs of a few KiB keep a Markdown
// parser busy for many seconds. A file of 10 MB has to be read, so that size,
// lines and records are twice what real files were measured to need.
const (
	maxBytes   = 16 << 20
	maxLines   = 400_000
	maxColumn  = 256 // where the last list or quote sign of a line's prefix may stand
	maxLevels  = 64  // list and quote signs in one line's prefix
	maxRecords = 100_000
)

func checkLimits(src []byte) error {
	if len(src) > maxBytes {
		return coord.Errorf(coord.CodeBadRequest, "the file has %d bytes; at most %d are read, nothing was imported from it", len(src), maxBytes)
	}
	n := bytes.Count(src, []byte("\n")) + bytes.Count(src, []byte("\r")) - bytes.Count(src, []byte("\r\n"))
	if n > maxLines {
		return coord.Errorf(coord.CodeBadRequest, "the file has %d lines; at most %d are read, nothing was imported from it", n, maxLines)
	}
	return checkNesting(src, maxColumn, maxLevels)
}

// checkNesting bounds the depth that the prefix of any line can open.
func checkNesting(src []byte, columns, levels int) error {
	number := 0
	for len(src) > 0 {
		number++
		end := bytes.IndexAny(src, "\r\n")
		if end < 0 {
			end = len(src)
		}
		column, level := nesting(src[:end])
		if (column > columns || level > levels) && !isRule(src[:end]) {
			return coord.Errorf(coord.CodeBadRequest, "line %d is nested too deeply; nothing was imported from the file", number)
		}
		if end < len(src) && src[end] == '\r' && end+1 < len(src) && src[end+1] == '\n' {
			end++
		}
		src = src[min(end+1, len(src)):]
	}
	return nil
}

// nesting returns the column of the last list or quote sign in the prefix of a
// line, and how many signs there are.
func nesting(line []byte) (column, levels int) {
	at := 0
	for i := 0; i < len(line); {
		switch c := line[i]; {
		case c == ' ':
			at++
			i++
		case c == '\t':
			at += 4 - at%4
			i++
		case c == '>':
			at++
			i++
			column, levels = at, levels+1
		default:
			n := listSign(line[i:])
			if n == 0 {
				return column, levels
			}
			at += n
			i += n
			column, levels = at, levels+1
		}
	}
	return column, levels
}

// listSign returns the length of the list sign that s begins with, or 0.
func listSign(s []byte) int {
	n := 0
	switch {
	case len(s) > 0 && (s[0] == '-' || s[0] == '+' || s[0] == '*'):
		n = 1
	default:
		for n < len(s) && n < 9 && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		if n == 0 || n == len(s) || s[n] != '.' && s[n] != ')' {
			return 0
		}
		n++
	}
	if n == len(s) || s[n] == ' ' || s[n] == '\t' {
		return n
	}
	return 0
}

// isRule reports a thematic break, whose signs open nothing.
func isRule(line []byte) bool {
	signs := bytes.Map(func(r rune) rune {
		if r == ' ' || r == '\t' {
			return -1
		}
		return r
	}, line)
	return len(signs) >= 3 && (signs[0] == '-' || signs[0] == '*') && len(bytes.Trim(signs, string(signs[:1]))) == 0
}
