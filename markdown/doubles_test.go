package markdown

import (
	"strings"
	"testing"

	"coord"

	"github.com/google/go-cmp/cmp"
)

// What was moved out of a file that says that it is no longer in use is what
// counts, although the old file still has it, in either order.
func TestMovedOutOfARetiredFile(t *testing.T) {
	old := backlog("> This file is deprecated, see docs/work.md.\n\n" + known)
	for _, test := range []struct {
		name, old, new string
		want           []string // of the new file
	}{
		{"as it was", "", "", []string{"moved pay-1", "moved pay-2", "moved pay-3"}},
		{"ticked there", "[ ] **B-1", "[x] **B-1", []string{"closed_in_source pay-1", "moved pay-2", "moved pay-3"}},
		{"more to it there", "Every month.", "Every week.", []string{"changed_in_source pay-1", "moved pay-2", "moved pay-3"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			now := file("docs/work.md", coord.AsBacklog, strings.Replace(known, test.old, test.new, 1))
			for _, files := range [][]coord.SourceFile{{old, now}, {now, old}} {
				s := imported(t, known)
				var got []string
				for _, c := range s.plan(t, files...).Changes {
					if c.Path == now.Path {
						got = append(got, string(c.State)+" "+string(c.Task))
					} else if c.Action != coord.ActionNone {
						t.Errorf("the old file plans %s for line %d", c.Action, c.Line)
					}
				}
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Error(diff)
				}
				settles(t, s, files)
				if len(s.base.Tasks) != 3 {
					t.Errorf("%d tasks", len(s.base.Tasks))
				}
			}
		})
	}
}
