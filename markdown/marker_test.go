package markdown

import (
	"testing"

	"coord"

	"github.com/google/go-cmp/cmp"
)

// A marker on another line than the one that its task was imported from does not
// take that line's place: nothing is recorded twice, and nothing of the task is
// changed for a text that is about something else.
func TestMarkerOnAnotherLine(t *testing.T) {
	const text = "# Work\n\n- [ ] **B-1 Rotate the signing key.** Every month.\n- [ ] **B-2 Count sign-ins per hour.**\n"
	handoff := func(line string) coord.SourceFile {
		return file("HANDOFF.md", coord.AsHandoff, "## Next steps\n\n"+line+" <!-- coord:pay-1 -->\n")
	}
	for _, test := range []struct {
		name  string
		files []coord.SourceFile
		want  []string
	}{
		{"about something else", []coord.SourceFile{backlog(text + "- [ ] Paint the shed <!-- coord:pay-1 -->\n")}, []string{"conflict none pay-1"}},
		{"before the line, about something else", []coord.SourceFile{backlog("- [x] Paint the shed <!-- coord:pay-1 -->\n\n" + text)}, []string{"conflict none pay-1"}},
		{"about much the same", []coord.SourceFile{backlog("- [ ] Rotate the key again <!-- coord:pay-1 -->\n\n" + text)}, []string{"duplicate none pay-1"}},
		{"in a handoff", []coord.SourceFile{backlog(text), handoff("- finish rotating the key")}, []string{"new record_handoff ", "duplicate none pay-1"}},
		{"in a handoff, about something else", []coord.SourceFile{backlog(text), handoff("- ask the auditors")}, []string{"new record_handoff ", "conflict none pay-1"}},
		{"in a handoff alone", []coord.SourceFile{handoff("- finish rotating the key")}, []string{"new record_handoff ", "conflict none pay-1"}},
		{"moved to a handoff", []coord.SourceFile{backlog("# Work\n\n- [ ] **B-2 Count sign-ins per hour.**\n"), handoff("- **B-1 Rotate the signing key.** Every month.")}, []string{"new record_handoff "}},
		{"the line itself, reworded", []coord.SourceFile{backlog("# Work\n\n- [ ] Renew the key <!-- coord:pay-1 -->\n- [ ] **B-2 Count sign-ins per hour.**\n")}, []string{"changed_in_source update_task pay-1 [title body]"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := imported(t, text)
			if diff := cmp.Diff(test.want, brief(s.plan(t, test.files...))); diff != "" {
				t.Error(diff)
			}
			settles(t, s, test.files)
			s.apply(t, s.plan(t, backlog(text)))
			if len(s.base.Tasks) != 2 {
				t.Errorf("%d tasks after the backlog was imported again", len(s.base.Tasks))
			}
		})
	}
}

// A marker is not trusted where the text is about something else, also of a task
// that was never imported and whose line says that it is closed.
func TestMarkerOfATaskBornHere(t *testing.T) {
	for _, life := range []coord.Lifecycle{coord.LifecycleOpen, coord.LifecycleDone} {
		for _, line := range []string{"- [ ] Ask the auditors", "- [x] Ask the auditors"} {
			s := newState()
			s.addTask(coord.ExportTask{Title: "Rotate the signing key", Lifecycle: life})
			text := line + " <!-- coord:pay-1 -->\n"
			if diff := cmp.Diff([]string{"conflict none pay-1"}, brief(s.plan(t, backlog(text)))); diff != "" {
				t.Errorf("%s, %s: %s", life, line, diff)
			}
			if u := s.into(t, text, MarkersTouched); u.Diff != "" {
				t.Errorf("%s: an export writes\n%s", life, u.Diff)
			}
		}
	}
}

// What an import remembered before an export was written is not what the export
// began from: a line of it that was left alone undoes nothing.
func TestAnchorOlderThanAnExport(t *testing.T) {
	s := exampleState()
	files := s.export()[:1]
	change(t, files, "answers 401", "answers 403")
	s.apply(t, s.plan(t, files...))
	s.edit("pay-1", func(x *coord.ImportTask) { x.Priority = coord.PriorityUrgent })
	s.data.AsOf = s.base.AsOf
	files = s.export()[:1]
	s.edit("pay-1", func(x *coord.ImportTask) { x.Priority = coord.PriorityHigh })
	if diff := cmp.Diff([]string{"conflict none pay-1"}, brief(s.plan(t, files...))); diff != "" {
		t.Error(diff)
	}
}
