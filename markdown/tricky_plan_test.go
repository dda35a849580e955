package markdown

import (
	"fmt"
	"strings"
	"testing"

	"coord"

	"github.com/google/go-cmp/cmp"
)

// told is a plan, one line for each change: where, what, and of which task.
func told(plan coord.ImportPlan) []string {
	var out []string
	for _, c := range plan.Changes {
		s := fmt.Sprintf("%d %s %s", c.Line, c.State, c.Task)
		if c.MovedFrom != "" {
			s += " from " + c.MovedFrom
		}
		out = append(out, strings.TrimSpace(s))
	}
	return out
}

func TestTrickyNumbers(t *testing.T) {
	for _, test := range []struct {
		row, text, want string
	}{
		{"14 numbered items", "Next:\n\n2. first thing\n3. second thing\n", "2 3"},
		{"14 numbered boxes over steps", "1) [ ] a\n\n    10. [ ] b\n\n11) [x] c\n", "1 11"},
		{"14 bullets", "- [ ] 2 things\n", ""},
	} {
		t.Run(test.row, func(t *testing.T) {
			var got []string
			for _, r := range readAs(t, coord.AsBacklog, test.text).Records {
				got = append(got, r.Number)
			}
			if s := strings.Join(got, " "); s != test.want {
				t.Errorf("numbered %q", s)
			}
		})
	}
}

// The rows of the design's table of tricky inputs that are about which item is
// which: before was imported, and after is the next version of the file. Rows
// that are not here have their number in other tables of this package.
func TestTrickyIdentities(t *testing.T) {
	const (
		one      = "- [ ] one thing\n"
		dated    = "## 2026-10-02\n\n### Next steps\n\n" + one + "\n## 2026-09-28\n\n### Next steps\n\n"
		siblings = "## Log\n\n### Next steps\n\n" + one + "\n### Next steps\n\n"
	)
	for _, test := range []struct {
		row, before, after string
		want               []string
	}{
		{"15 one number and text in two sections", "## A\n1. [ ] x\n\n## B\n1. [ ] x\n", "## A\n1. [ ] x\n\n## B\n1. [x] x\n", []string{"2 unchanged pay-1", "5 closed_in_source pay-2"}},
		{"16 two equals that stay", "- [ ] x marks it\n- [ ] x marks it\n", "- [ ] x marks it\n\n- [ ] x marks it\n", []string{"1 unchanged pay-1", "3 unchanged pay-2"}},
		{"16 two equals, the first is ticked", "- [ ] x marks it\n- [ ] x marks it\n", "- [x] x marks it\n- [ ] x marks it\n", []string{"1 closed_in_source pay-1", "2 unchanged pay-2"}},
		{"17 one heading under two dates", dated + one, "## 2026-10-05\n\n### Next steps\n\n- [ ] another\n\n" + dated + one, []string{"5 new", "11 unchanged pay-1", "17 unchanged pay-2"}},
		{"17 one heading twice under one", siblings + one, siblings, []string{"5 unchanged pay-1", "0 missing_in_source pay-2"}},
		{"18 an item comes before all others", "## Next\n\n1. [ ] Rotate the key\n2. [ ] Count sign-ins\n", "## Next\n\n1. [ ] Send receipts\n2. [ ] Rotate the key\n3. [ ] Count sign-ins\n", []string{"3 new", "4 unchanged pay-1", "5 unchanged pay-2"}},
		{"21 an item without a box grows an outcome", "## Next\n\n- Count sign-ins per hour\n", "## Next\n\n- Count sign-ins per hour — DONE 2026-08-06, see notes\n", []string{"3 closed_in_source pay-1"}},
		{"21 a heading grows an outcome", "## B-1 Count sign-ins per hour\n\nText.\n", "## B-1 Count sign-ins per hour — DONE 2026-08-06\n\nText.\n", []string{"1 closed_in_source pay-1"}},
		{"48 a marker that a person spelled out", "- [ ] Rotate the key\n", "- [ ] Rotate the key\n- [ ] Explain \\<!-- coord:pay-1 --> to all\n- [ ] Explain `<!-- coord:pay-1 -->` again\n", []string{"1 unchanged pay-1", "2 new", "3 new"}},
	} {
		t.Run(test.row, func(t *testing.T) {
			s := imported(t, test.before)
			if diff := cmp.Diff(test.want, told(s.plan(t, backlog(test.after)))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			settles(t, s, []coord.SourceFile{backlog(test.after)})
		})
	}
}

// What happens to tasks that stand in no line any more, in a line that is
// behind, or in one that a person opened again.
func TestTrickyEnds(t *testing.T) {
	const text = "- [ ] Rotate the key\n- [ ] Count sign-ins\n"
	ticked := strings.Replace(text, "[ ] Rotate", "[x] Rotate", 1)
	t.Run("19 one moved to the archive and closed there, one deleted", func(t *testing.T) {
		s := imported(t, text+"- [ ] Send receipts\n")
		files := []coord.SourceFile{backlog("- [ ] Count sign-ins\n"), file("BACKLOG-archive.md", coord.AsBacklog, "- [x] Rotate the key\n")}
		want := []string{"1 unchanged pay-2", "1 closed_in_source pay-1 from BACKLOG.md", "0 missing_in_source pay-3"}
		plan := s.plan(t, files...)
		if diff := cmp.Diff(want, told(plan)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		s.apply(t, plan)
		if x := s.task("pay-3"); x.Lifecycle.Closed() {
			t.Errorf("what was deleted from a file is %s", x.Lifecycle)
		}
	})
	t.Run("20 deleted", func(t *testing.T) {
		s := imported(t, text)
		plan := s.plan(t, backlog("- [ ] Rotate the key\n"))
		if diff := cmp.Diff([]string{"1 unchanged pay-1", "0 missing_in_source pay-2"}, told(plan)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if s.apply(t, plan); s.task("pay-2").Lifecycle != coord.LifecyclePlanned {
			t.Errorf("it is %s", s.task("pay-2").Lifecycle)
		}
	})
	t.Run("23 closed here, open in the file: an export ticks it", func(t *testing.T) {
		s := broughtIn(t, text)
		s.finish("pay-1", coord.LifecycleDone, "")
		if diff := cmp.Diff([]string{"1 closed_here pay-1", "2 unchanged pay-2"}, told(s.plan(t, backlog(text)))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if u := s.into(t, text, MarkersNone); string(u.Text) != ticked {
			t.Errorf("the export is %q", u.Text)
		}
	})
	t.Run("24 opened again after it was closed in both", func(t *testing.T) {
		s := imported(t, text)
		s.apply(t, s.plan(t, backlog(ticked)))
		again := backlog(text + "\nAnd more.\n")
		if diff := cmp.Diff([]string{"1 reopen_requested pay-1", "2 unchanged pay-2"}, told(s.plan(t, again))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		settles(t, s, []coord.SourceFile{again})
		if x := s.task("pay-1"); x.Lifecycle != coord.LifecycleDone {
			t.Errorf("it is %s", x.Lifecycle)
		}
	})
}

// What a first import makes of a file, when it is asked to make ready whatever
// is plainly open.
func TestTrickyFirstImports(t *testing.T) {
	long := "- [ ] Tidy up the ledger" + strings.Repeat(", which was done, blocked, deferred, rejected, superseded, in progress, closed, open, shipped and obsolete", 100)
	for _, test := range []struct {
		row   string
		file  coord.SourceFile
		want  []string // lifecycle and state of each record
		notes []string
	}{
		{"52 a retired file", file("docs/OLD.md", coord.AsBacklog, "# Old\n\nThis file is deprecated, see ../BACKLOG.md\n\n- [ ] a\n- [x] b\n"), []string{"5 historical none", "6 historical none"}, []string{"redirect 1", "retired_file 1"}},
		{"53 an open box under Declined", backlog("## Declined\n\n- [ ] a\n"), []string{"3 conflict none"}, nil},
		{"55 ten kilobytes of statuses in one line", backlog(long + "\n"), []string{"1 new create_task open"}, nil},
		{"55 and one of them at the edge", backlog(strings.Replace(long, "[ ]", "[x]", 1) + " — ❌ rejected\n"), []string{"1 historical create_task canceled"}, nil},
		{"57 nothing", backlog(""), nil, nil},
		{"57 white space", backlog(" \n\n\t\n"), nil, nil},
		{"58 a deep list", backlog(strings.Repeat("- ", 4000) + "a\n"), []string{"0 unreadable none"}, nil},
	} {
		t.Run(test.row, func(t *testing.T) {
			s := newState()
			s.base.Admit = true
			plan := s.plan(t, test.file)
			var got []string
			for _, c := range plan.Changes {
				got = append(got, strings.TrimSpace(fmt.Sprintf("%d %s %s %s", c.Line, c.State, c.Action, c.Lifecycle)))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.notes, codes(Document{Diagnostics: plan.Diagnostics})); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
			if s.apply(t, plan); plan.Files[0].State == "" && test.file.As == coord.AsBacklog {
				if u, err := Into(test.file, s.plan(t, test.file), s.data, MarkersTouched); err != nil || string(u.Text) != string(test.file.Content) {
					t.Errorf("an export of it is not byte for byte the same: %v\n%s", err, u.Diff)
				}
			}
		})
	}
}

// A title that a person made look like a marker is written so that it is text.
func TestTrickyTitlesAreWritten(t *testing.T) {
	for _, test := range []struct{ row, title, want string }{
		{"48 the end of a comment", "Show --> in the log", "- [ ] Show --&gt; in the log <!-- coord:pay-1 -->\n"},
		{"48 a marker", "Read <!-- coord:pay-9 --> well", "- [ ] Read &lt;!-- coord:pay-9 --&gt; well <!-- coord:pay-1 -->\n"},
	} {
		t.Run(test.row, func(t *testing.T) {
			s := newState()
			s.addTask(coord.ExportTask{Title: test.title, Priority: coord.PriorityNormal, Lifecycle: coord.LifecyclePlanned})
			files := s.export()
			if !strings.Contains(string(files[0].Content), test.want) {
				t.Errorf("%s\nlacks %q", files[0].Content, test.want)
			}
			if got := brief(s.plan(t, files...)); got != nil {
				t.Errorf("the export plans %v", got)
			}
		})
	}
}

// A path that leads somewhere only from the top of the repository is followed,
// and said.
func TestTrickyLinks(t *testing.T) {
	for _, test := range []struct {
		row, link string
		problems  []string
		notes     []string
	}{
		{"50 beside the file", "[x](b.md)", nil, nil},
		{"50 only from the top", "[x](docs/a.md)", nil, []string{"link_from_root 1"}},
		{"50 nowhere", "[x](docs/c.md)", []string{"unresolved_link: docs/c.md: there is no such file"}, nil},
	} {
		t.Run(test.row, func(t *testing.T) {
			s := newState()
			s.base.Paths = []string{"plans/BACKLOG.md", "plans/b.md", "docs/a.md"}
			plan := s.plan(t, file("plans/BACKLOG.md", coord.AsBacklog, "- [ ] Read "+test.link+"\n"))
			if diff := cmp.Diff(test.problems, kinds(plan)) + cmp.Diff(test.notes, codes(Document{Diagnostics: plan.Diagnostics})); diff != "" {
				t.Error(diff)
			}
		})
	}
}
