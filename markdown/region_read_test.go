package markdown

import (
	"strings"
	"testing"

	"coord"

	"github.com/google/go-cmp/cmp"
)

// A region that nobody edited is no source; one that a person edited plans
// exactly that.
func TestEditsOfARegion(t *testing.T) {
	for _, test := range []struct {
		name, old, new string
		want           []string
	}{
		{"none", "", "", nil},
		{"title", "Rotate the key", "Rotate the old key", []string{"changed_in_source update_task pay-2 [title]"}},
		{"priority", " — high", " — urgent", []string{"changed_in_source update_task pay-2 [priority]"}},
		{"criterion", "accept: logged", "accept: written down", []string{"changed_in_source update_task pay-2 [criteria]"}},
		{"box", "- [ ] Rotate", "- [x] Rotate", []string{"closed_in_source close_task pay-2 done"}},
		{"new item", "<!-- coord:end", "- [ ] Send receipts\n<!-- coord:end", []string{"new create_task  planned"}},
		{"item gone", "- [ ] Count <!-- coord:pay-3 -->\n", "", nil},
		{"line ends", "\n", "\r\n", nil},
	} {
		for _, head := range []string{"# Work\n\n- [ ] a\n", "## B-1 a\n\ntext\n"} {
			t.Run(test.name, func(t *testing.T) {
				s := broughtIn(t, head)
				s.born("Rotate the key", coord.PriorityHigh)
				s.edit("pay-2", func(t *coord.ImportTask) { t.Criteria = []string{"logged"} })
				s.born("Count", coord.PriorityNormal)
				text := string(s.into(t, head, MarkersTouched).Text)
				n := 1
				if test.name == "line ends" {
					n = -1
				}
				text = strings.Replace(text, test.old, test.new, n)
				if diff := cmp.Diff(test.want, brief(s.plan(t, backlog(text)))); diff != "" {
					t.Errorf("plan (-want +got):\n%s\n%s", diff, text)
				}
			})
		}
	}
}

// After a region was edited and imported, a later change in the service wins
// over the lines that nobody touched.
func TestOldRegion(t *testing.T) {
	s := broughtIn(t, "- [ ] a\n")
	s.born("Rotate the key", coord.PriorityHigh)
	s.born("Count", coord.PriorityNormal)
	text := string(s.into(t, "- [ ] a\n", MarkersTouched).Text)
	s.edit("pay-3", func(t *coord.ImportTask) { t.Title = "Count sign-ins" })
	s.edit("pay-2", func(t *coord.ImportTask) { t.Lifecycle = coord.LifecycleDone })
	edited := strings.Replace(text, "<!-- coord:end", "- [ ] mine\n<!-- coord:end", 1)
	want := []string{"closed_here none pay-2", "conflict none pay-3", "new create_task  planned"}
	if diff := cmp.Diff(want, brief(s.plan(t, backlog(edited)))); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
}
