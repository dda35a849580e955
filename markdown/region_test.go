package markdown

import (
	"regexp"
	"strings"
	"testing"

	"coord"

	"github.com/google/go-cmp/cmp"
)

// born records a task here that stands in no file.
func (s *state) born(title string, p coord.Priority) {
	s.addTask(coord.ExportTask{Title: title, Priority: p, Lifecycle: coord.LifecycleOpen, Status: coord.StatusReady})
	s.base.AsOf++
	s.touch(s.base.Tasks[len(s.base.Tasks)-1].ID, s.base.AsOf)
}

var regionHead = regexp.MustCompile(`as_of=\d+ sum=[0-9a-f]{8}`)

func TestRegion(t *testing.T) {
	const first, both = "<!-- coord:begin open v1 * -->\n- [ ] Rotate — high <!-- coord:pay-2 -->\n<!-- coord:end open -->", "<!-- coord:begin open v1 * -->\n- [ ] Rotate — high <!-- coord:pay-2 -->\n- [ ] Count <!-- coord:pay-3 -->\n<!-- coord:end open -->"
	for _, test := range []struct{ name, src, head, tail string }{
		{"behind a blank line", "- [ ] a\n", "- [ ] a\n\n", "\n"},
		{"behind one that is there", "- [ ] a\n\n", "- [ ] a\n\n", "\n"},
		{"56 no last line end", "- [ ] a", "- [ ] a\n\n", ""},
		{"behind a text", "- [ ] a\n\nb", "- [ ] a\n\nb\n\n", ""},
	} {
		for _, eol := range []string{"\n", "\r\n"} {
			t.Run(test.name, func(t *testing.T) {
				lines := func(text string) string { return strings.ReplaceAll(text, "\n", eol) }
				s := broughtIn(t, lines(test.src))
				s.born("Rotate", coord.PriorityHigh)
				u := s.into(t, lines(test.src), MarkersTouched)
				if eol == "\r\n" && !strings.Contains(test.src, "\n") {
					lines = func(text string) string { return text } // nothing says that the file ends lines so
				}
				if diff := cmp.Diff(lines(test.head+first+test.tail), regionHead.ReplaceAllString(string(u.Text), "*")); diff != "" || len(u.Left) > 0 {
					t.Fatalf("(-want +got):\n%s%+v", diff, u.Left)
				}
				again := string(u.Text)
				if u = s.into(t, again, MarkersTouched); u.Diff != "" {
					t.Errorf("written again:\n%s", u.Diff)
				}
				s.born("Count", coord.PriorityNormal)
				u = s.into(t, again, MarkersTouched)
				if diff := cmp.Diff(lines(test.head+both+test.tail), regionHead.ReplaceAllString(string(u.Text), "*")); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				s.finish("pay-2", coord.LifecycleDone, "")
				s.finish("pay-3", coord.LifecycleDone, "")
				u = s.into(t, string(u.Text), MarkersTouched)
				if strings.Contains(string(u.Text), "pay-") {
					t.Errorf("what is closed stays open in the region:\n%s", u.Text)
				}
			})
		}
	}
}

// What a person wrote into a region is never overwritten, and where a region
// would be read as something else there is none.
func TestRegionIsNotWritten(t *testing.T) {
	s := broughtIn(t, "- [ ] a\n")
	s.born("Rotate", coord.PriorityHigh)
	text := string(s.into(t, "- [ ] a\n", MarkersTouched).Text)
	s.born("Count", coord.PriorityNormal)
	for name, edited := range map[string]string{
		"a word":         strings.Replace(text, "Rotate", "Rotate it", 1),
		"a new line":     strings.Replace(text, "<!-- coord:end", "- [ ] mine\n<!-- coord:end", 1),
		"no end":         strings.Replace(text, "<!-- coord:end open -->", "", 1),
		"another region": text + strings.TrimPrefix(text, "- [ ] a\n"),
		"open code":      "- [ ] a\n\n```\ncode\n",
		"open comment":   "- [ ] a\n\n<!--\n",
	} {
		f := backlog(edited)
		u, err := Into(f, s.plan(t, f), s.data, MarkersTouched)
		if err != nil || string(u.Text) != edited || len(u.Left) != 1 || len(u.Open) != 0 {
			t.Errorf("%s: %v\n%s%+v", name, err, u.Diff, u.Left)
		}
	}
}
