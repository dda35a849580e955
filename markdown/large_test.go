package markdown

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"coord"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

func largeBacklog(size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		if i%50 == 0 {
			fmt.Fprintf(&b, "\n## Section %d\n\n", i)
		}
		fmt.Fprintf(&b, "- [ ] **T-%d Do the thing number %d.** With some words about `code` and [links](http://x/y).\n  - accept: it works\n", i, i)
	}
	return b.String()
}

// imported at once, without the cost of the model's own bookkeeping.
func (s *state) adopt(plan coord.ImportPlan) {
	for _, c := range plan.Changes {
		s.addTask(coord.ExportTask{Title: c.Title, Outcome: c.Body, Criteria: c.Criteria, Priority: c.Priority, Lifecycle: c.Lifecycle})
		a := *c.Anchor
		a.Task = s.base.Tasks[len(s.base.Tasks)-1].ID
		s.base.Records = append(s.base.Records, a)
	}
}

// Thousands of records are planned at once, and a second time against all of
// them: a quadratic step would take minutes.
func TestLargeFile(t *testing.T) {
	text := largeBacklog(2 << 20)
	began := time.Now()
	s := newState()
	first := s.plan(t, backlog(text))
	s.adopt(first)
	again := s.plan(t, backlog(text))
	if again.Actions() != 0 || again.Counts[coord.ImportUnchanged] != len(first.Changes) || len(first.Changes) < 10_000 {
		t.Errorf("second plan of %d records: %v", len(first.Changes), again.Counts)
	}
	if d := time.Since(began); d > time.Minute {
		t.Errorf("2 MB took %v", d)
	}
}

func BenchmarkPlan(b *testing.B) {
	text := largeBacklog(10 << 20)
	s := newState()
	s.adopt(s.plan(b, backlog(text)))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		s.plan(b, backlog(text))
	}
}

// BenchmarkRead takes a large file apart; the parser with the extensions that
// the dashboard's Markdown has is the measure beside it.
func BenchmarkRead(b *testing.B) {
	file := backlog(largeBacklog(10 << 20))
	b.Run("read", func(b *testing.B) {
		b.SetBytes(int64(len(file.Content)))
		for b.Loop() {
			if _, err := Read(file); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("goldmark", func(b *testing.B) {
		b.SetBytes(int64(len(file.Content)))
		parser := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser()
		for b.Loop() {
			parser.Parse(text.NewReader(file.Content))
		}
	})
	b.Run("blocks", func(b *testing.B) {
		b.SetBytes(int64(len(file.Content)))
		for b.Loop() {
			blockParser().Parse(text.NewReader(file.Content))
		}
	})
}

// BenchmarkPlanOfChanges plans a large file of which every tenth line changed,
// moved or is new, against what was imported of it.
func BenchmarkPlanOfChanges(b *testing.B) {
	text := largeBacklog(10 << 20)
	s := newState()
	s.adopt(s.plan(b, backlog(text)))
	lines := strings.SplitAfter(text, "\n")
	for i := 20; i+4 < len(lines); i += 20 {
		switch {
		case !strings.HasPrefix(lines[i], "- [ ]"):
		case i%60 == 0:
			lines[i] = strings.Replace(lines[i], "With some words", "With other words", 1)
		case i%60 == 20:
			lines[i] = strings.Replace(lines[i], "Do the thing", "Do another thing altogether", 1)
		default:
			lines[i], lines[i+2] = lines[i+2], lines[i]
		}
	}
	changed := strings.Join(lines, "")
	b.SetBytes(int64(len(changed)))
	b.ReportAllocs()
	for b.Loop() {
		s.plan(b, backlog(changed))
	}
}
