package markdown

import (
	"strings"
	"testing"
	"time"

	"coord"

	"github.com/google/go-cmp/cmp"
)

// finish closes a task in the service.
func (s *state) finish(id coord.TaskID, l coord.Lifecycle, reason string) {
	s.edit(id, func(t *coord.ImportTask) { t.Lifecycle = l })
	for i := range s.data.Tasks {
		if t := &s.data.Tasks[i]; t.ID == id {
			t.Closed, t.Reason = time.Date(2026, 11, 29, 8, 0, 0, 0, time.UTC), reason
		}
	}
}

// into brings a file up to date that was imported as it is.
func (s *state) into(t *testing.T, text string, markers Markers) Update {
	t.Helper()
	f := backlog(text)
	for i := range s.data.Tasks {
		for _, a := range s.base.Records {
			if a.Task == s.data.Tasks[i].ID {
				s.data.Tasks[i].Source = a.Path
			}
		}
	}
	s.data.AsOf = s.base.AsOf
	u, err := Into(f, s.plan(t, f), s.data, markers)
	if err != nil {
		t.Fatal(err)
	}
	if plan := s.plan(t, backlog(string(u.Text))); plan.Actions() > 0 {
		t.Errorf("an import of the result plans %v\n%s", brief(plan), u.Text)
	}
	return u
}

func broughtIn(t *testing.T, text string) *state {
	t.Helper()
	s := newState()
	s.apply(t, s.plan(t, backlog(text)))
	return s
}

const handWritten = `# Work of the ledger team

Some words about it.

* [ ] **B-1 Rotate the key**: every month — P1
* [ ] B-2 Count sign-ins
    + a note
* [ ] ~~B-3 Drop the table~~
* [ ] B-4 Move to the queue (P2)

## Later
| ID  | What     | State |
|:----|----------|------:|
| B-5 | Receipts | open  |
`

func TestInto(t *testing.T) {
	s := broughtIn(t, handWritten)
	if u := s.into(t, handWritten, MarkersTouched); string(u.Text) != handWritten || u.Diff != "" || len(u.Lines)+len(u.Left) > 0 {
		t.Errorf("an untouched file became\n%s\n%+v", u.Text, u)
	}
	s.finish("pay-1", coord.LifecycleDone, "")
	s.finish("pay-3", coord.LifecycleCanceled, "the queue stays")
	s.finish("pay-4", coord.LifecycleDone, "")
	u := s.into(t, handWritten, MarkersTouched)
	want := `--- BACKLOG.md
+++ BACKLOG.md
@@ -2,13 +2,13 @@
 
 Some words about it.
 
-* [ ] **B-1 Rotate the key**: every month — P1
+* [x] **B-1 Rotate the key**: every month — P1 <!-- coord:pay-1 -->
 * [ ] B-2 Count sign-ins
     + a note
 * [ ] ~~B-3 Drop the table~~
-* [ ] B-4 Move to the queue (P2)
+* [x] B-4 Move to the queue (P2) — ❌ rejected: the queue stays <!-- coord:pay-3 -->
 
 ## Later
 | ID  | What     | State |
 |:----|----------|------:|
-| B-5 | Receipts | open  |
+| B-5 | Receipts | done <!-- coord:pay-4 -->  |
`
	if diff := cmp.Diff(want, u.Diff); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What a person would have to judge is left alone, with why.
func TestIntoLeaves(t *testing.T) {
	text := "- [ ] a\n- [ ] b\n"
	s := broughtIn(t, text)
	s.finish("pay-1", coord.LifecycleDone, "")
	closed := strings.Replace(text, "[ ] a", "[x] a", 1)
	s.apply(t, s.plan(t, backlog(closed)))
	u := s.into(t, closed+"\nagain\n", MarkersTouched)
	if u.Diff != "" {
		t.Errorf("nothing is behind, but:\n%s", u.Diff)
	}
	again := text + "\nagain\n"
	u = s.into(t, again, MarkersTouched)
	if u.Diff != "" || len(u.Left) != 1 || u.Left[0].Task != "pay-1" || !strings.Contains(u.Left[0].Why, "stays closed") {
		t.Errorf("%+v", u)
	}
}

// Lines that an export does not change get no marker, unless it is asked to.
func TestIntoMarkers(t *testing.T) {
	text := "- [ ] a\n- [ ] b — P1, after a\n- [ ] c\n"
	for markers, want := range map[Markers]string{
		MarkersTouched: "- [x] a <!-- coord:pay-1 -->\n- [ ] b — P1, after a\n- [ ] c\n",
		MarkersNone:    "- [x] a\n- [ ] b — P1, after a\n- [ ] c\n",
		MarkersAll:     "- [x] a <!-- coord:pay-1 -->\n- [ ] b — P1, after a <!-- coord:pay-2 -->\n- [ ] c <!-- coord:pay-3 -->\n",
	} {
		s := broughtIn(t, text)
		s.finish("pay-1", coord.LifecycleDone, "")
		if u := s.into(t, text, markers); string(u.Text) != want {
			t.Errorf("%s: %s", markers, cmp.Diff(want, string(u.Text)))
		}
	}
}

func TestIntoRefuses(t *testing.T) {
	s := broughtIn(t, "- [ ] a\n")
	plan := s.plan(t, backlog("- [ ] a\n"))
	for name, f := range map[string]coord.SourceFile{
		"another version": backlog("- [ ] a\n\n"),
		"another role":    {Path: "F.md", As: coord.AsRecord, Content: []byte("- [ ] a\n")},
		"an export":       {Path: "F.md", As: coord.AsBacklog, Content: Export(s.data, coord.ExportBacklog)},
	} {
		if u, err := Into(f, plan, s.data, MarkersTouched); err == nil || string(u.Text) != string(f.Content) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A line that cannot say it alone is left with how it could read, also where its
// status stands below it.
func TestIntoPastesALine(t *testing.T) {
	text := "- [ ] Next:\n\n  Status: in progress\n"
	s := broughtIn(t, text)
	s.finish("pay-1", coord.LifecycleDone, "")
	u := s.into(t, text, MarkersTouched)
	if string(u.Text) != text || len(u.Left) != 1 || u.Left[0].Paste != "- [x] Next: <!-- coord:pay-1 -->" {
		t.Errorf("%s%+v", u.Diff, u.Left)
	}
}
