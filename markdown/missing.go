package markdown

import "coord"

// missing reports what was in a file of this import and is not any more: what
// was imported from it, and what an export of it held.
func (p *planner) missing() {
	there := map[string]bool{}
	for _, r := range p.records {
		if id := r.id(); id != "" {
			there[id] = true
		}
	}
	for _, a := range p.match.anchors {
		if id := became(a); p.match.read[a.Path] && id != "" && !there[id] {
			there[id] = true
			p.gone(a.Path, p.match.tasks[a.Task], p.match.lessons[a.Lesson])
		}
	}
	for i, f := range p.files {
		at := p.exportedAt(i)
		if at == 0 {
			continue
		}
		for n := range p.base.Tasks {
			if t := &p.base.Tasks[n]; p.holds(i, coord.ExportBacklog) && t.Created <= at && !there[string(t.ID)] {
				p.gone(f.Path, t, nil)
			}
		}
		for n := range p.base.Lessons {
			if l := &p.base.Lessons[n]; p.holds(i, coord.ExportRecord) && l.Created <= at && !there[string(l.ID)] {
				p.gone(f.Path, nil, l)
			}
		}
	}
}

// read are the paths of the files that are applied.
func (p *planner) read() map[string]bool {
	read := map[string]bool{}
	for i, f := range p.files {
		read[f.Path] = p.docs[i] != nil
	}
	return read
}

// holds reports that file i is an export of the document named.
func (p *planner) holds(i int, which coord.ExportFile) bool {
	return p.docs[i] != nil && p.docs[i].front["coord"] == frontName[which]
}

func (p *planner) gone(path string, t *coord.ImportTask, l *coord.ImportLesson) {
	c := coord.ImportChange{State: coord.ImportMissing, Action: coord.ActionNone, Path: path}
	if t != nil {
		c.Kind, c.Task, c.Title = coord.RecordTask, t.ID, t.Title
	} else {
		c.Kind, c.Lesson, c.Title = coord.RecordLesson, l.ID, readOwn([]string{clean(l.Text)}).title
	}
	p.plan.Changes = append(p.plan.Changes, c)
}
