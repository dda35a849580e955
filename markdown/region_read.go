package markdown

import (
	"strings"

	"coord"
)

// takeRegions keeps what an export wrote apart from what people wrote: the
// lines of an intact region are no records, and those of an edited one belong
// to nothing around it.
func (x *extraction) takeRegions() {
	x.regionAt = map[int]openRegion{}
	for _, r := range x.openRegions(x.blocks) {
		for n := r.first; n <= r.last; n++ {
			x.regionAt[n] = r
		}
		if r.intact {
			skipLines(x.exported, r.first, r.last)
			x.notes.add("exported_region", r.first, "what an export wrote between its two comments, and nobody changed since, is no source")
			for n := r.first; n <= r.last; n++ {
				x.notes.mention(n)
			}
		}
	}
}

// apart are the lines that do not belong to a record, although they stand below
// its own text, which ends at a line: those of a region that it is not in.
func (x *extraction) apart(line int) map[int]bool {
	skip := map[int]bool{}
	if _, inside := x.regionAt[line]; inside {
		return skip
	}
	for n := range x.regionAt {
		skip[n] = true
	}
	return skip
}

// cut ends the open sections before block i, where a region begins.
func (o *outline) cut(open []int, i int) []int {
	for _, n := range open {
		o.heads[n].end = i
	}
	return nil
}

// dateRegions gives the records of edited regions the event that those show the
// state of.
func (x *extraction) dateRegions() {
	for i := range x.records {
		r := &x.records[i]
		r.AsOf = x.regionAt[r.Line-1].asOf
	}
}

// exportedFor is the event that a record shows the state of, if an export wrote
// it and a person changed it at most; else 0.
func (p *planner) exportedFor(r *found) coord.Seq {
	if r.AsOf > 0 && r.AsOf <= p.base.AsOf {
		return r.AsOf
	}
	return p.exportedAt(r.file)
}

// generated reports a line that an export wrote, so that a marked text is what
// it wrote. Elsewhere a marker says which record it is, and the rest is written
// as people write.
func (x *extraction) generated(line int) bool {
	_, region := x.regionAt[line]
	return region || x.exportedFile()
}

// own reads own text of a block, or its first lines.
func (x *extraction) own(b block, lines []string) own {
	text, ids := takeMarkers(strings.TrimSpace(strings.Join(lines, " ")))
	if len(ids) == 0 || x.generated(b.first) {
		return readOwn(lines)
	}
	o := readOwn([]string{text})
	o.markers, o.linked = ids, true
	return o
}

// named reports a marker that names a record.
func (o own) named() bool { return len(o.markers) > 0 && o.markers[0] != markNew }
