package markdown

import (
	"strings"

	"coord"
)

var fieldLine = pattern(`^(?:[-+*][ \t]+)?(?:\*\*|__|\*|_)?(\pL[\pL ]{1,24}?)(?:\*\*|__|\*|_)?[ \t]*[:：](?:\*\*|__|\*|_)?[ \t]*(.+)$`)

// field reads a line such as "**Status:** open" or "Depends on: B-3": which
// column it would be in a table, its value, and where in the line that begins.
func field(line string) (kind column, value string, at int) {
	if len(line) > 300 || !strings.ContainsAny(line, ":：") {
		return colOther, "", 0
	}
	m := fieldLine().FindStringSubmatchIndex(line)
	if m == nil {
		return colOther, "", 0
	}
	return vocabulary().fields[normal(line[m[2]:m[3]])], line[m[4]:m[5]], m[4]
}

// takeField takes in a line that is a field. A status that is not known, and
// what has no label to wait for, is no field.
func (o *own) takeField(line string) (kind column, at int) {
	kind, value, at := field(line)
	switch kind {
	case colStatus:
		s := cellStatus(value)
		if s == coord.SourceUnknown || o.cell != "" {
			return colOther, 0
		}
		o.cell, o.planned = s, onlyPlanned(value)
		o.waitsFor(value)
	case colPriority:
		value, _, _ = strings.Cut(value, " | ")
		p := priorityOf(plain(value))
		if n := plain(value); p == "" && len(n) == 1 && n >= "0" && n <= "4" {
			p = priorityOf("P" + n)
		}
		if p == "" {
			return colOther, 0
		}
		o.priority = p
	case colAfter:
		found := labelsIn(value)
		if st, _ := leadingStatus(value); st == coord.SourceBlocked && o.cell == "" {
			o.cell = st
		} else if found == nil {
			return colOther, 0
		}
		o.after = merged(o.after, found)
	case colOther:
		if st, rest := leadingStatus(strings.TrimLeft(line, "-+* \t")); st == coord.SourceBlocked && o.cell == "" && strings.HasPrefix(strings.TrimLeft(rest, "* "), ":") {
			o.cell = st
			return colAfter, 0
		}
	}
	return kind, at
}

// maxFieldBlocks is how many blocks below a record's own text may hold fields.
const maxFieldBlocks = 12

// fieldsBelow takes in the fields among the blocks [from, to) that are directly
// below parent, before anything else; below a heading also those that are
// written in bold behind its text. It returns where the status stands.
func (x *extraction) fieldsBelow(o *own, from, to, parent int) (status Span) {
	seen, below := 0, false
	for j := from; j < to && seen < maxFieldBlocks; j++ {
		b := x.blocks[j]
		if b.kind == KindHeading {
			return status
		}
		if b.parent != parent || b.kind != KindText && b.kind != KindItem || len(b.text) > 6 {
			continue
		}
		seen++
		if below && (b.kind != KindText || len(b.text) == 0 || !strings.HasPrefix(b.text[0], "**")) {
			continue
		}
		any := b.kind == KindItem && len(b.text) > 0 && matches(fieldLine, b.text[0])
		for n, line := range b.text {
			kind, at := o.takeField(line)
			any = any || kind != colOther
			if kind == colStatus {
				status = Span{b.at[n] + at, x.endOf(b.at[n]+at, b.at[n]+len(line))}
			}
		}
		if !any && parent >= 0 {
			return status
		}
		below = below || !any
	}
	return status
}

// ownFields takes the fields off the end of an item's own lines.
func (x *extraction) ownFields(b block, lines []string) (title int, fields own, status Span) {
	title = len(lines)
	for title > 1 {
		n := title - 1
		kind, at := fields.takeField(lines[n])
		if kind == colOther {
			return title, fields, status
		}
		if kind == colStatus {
			status = Span{b.at[n] + at, x.endOf(b.at[n]+at, b.at[n]+len(lines[n]))}
		}
		fields.rest = join(lines[n], fields.rest)
		title--
	}
	return title, fields, status
}

// adopt takes over what fields say.
func (o *own) adopt(f own) {
	if f.cell != "" {
		o.cell, o.planned = f.cell, f.planned
	}
	if f.priority != "" {
		o.priority = f.priority
	}
	o.after = merged(o.after, f.after)
	o.rest = join(o.rest, f.rest)
}
