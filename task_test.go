package coord_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"coord"
)

func TestPriorities(t *testing.T) {
	order := []coord.Priority{coord.PriorityUrgent, coord.PriorityHigh, coord.PriorityNormal, coord.PriorityLow}
	for rank, p := range order {
		if p.Rank() != rank || coord.PriorityOf(rank) != p {
			t.Errorf("%s has rank %d; rank %d is %s", p, p.Rank(), rank, coord.PriorityOf(rank))
		}
	}
	if coord.Priority("").Rank() >= 0 || coord.Priority("Urgent").Rank() >= 0 {
		t.Error("an unknown priority has no rank")
	}
	for _, rank := range []int{-1, 4} {
		if p := coord.PriorityOf(rank); p != coord.PriorityNormal {
			t.Errorf("rank %d is %s", rank, p)
		}
	}
}

// TestDigestSeparatesItsParts: moving text between the judged parts, or
// between criteria, is another task to judge.
func TestDigestSeparatesItsParts(t *testing.T) {
	base := coord.Digest(coord.KindCode, "title", "outcome", []string{"a", "b"})
	if again := coord.Digest(coord.KindCode, "title", "outcome", []string{"a", "b"}); again != base || len(base) != 64 {
		t.Error("a digest is stable")
	}
	for name, other := range map[string]string{
		"kind":            coord.Digest(coord.KindReview, "title", "outcome", []string{"a", "b"}),
		"title":           coord.Digest(coord.KindCode, "title2", "outcome", []string{"a", "b"}),
		"outcome":         coord.Digest(coord.KindCode, "title", "", []string{"a", "b"}),
		"moved text":      coord.Digest(coord.KindCode, "titleout", "come", []string{"a", "b"}),
		"criterion":       coord.Digest(coord.KindCode, "title", "outcome", []string{"a", "c"}),
		"order":           coord.Digest(coord.KindCode, "title", "outcome", []string{"b", "a"}),
		"joined criteria": coord.Digest(coord.KindCode, "title", "outcome", []string{"ab"}),
		"fewer criteria":  coord.Digest(coord.KindCode, "title", "outcome", []string{"a"}),
	} {
		if other == base {
			t.Errorf("another %s has the same digest", name)
		}
	}
}

func TestDigestIsInjective(t *testing.T) {
	text := rapid.SampledFrom([]string{"", "a", "b", "ab", `"`, `","`, "a,b"})
	draw := func(t *rapid.T, name string) (string, string, []string) {
		return text.Draw(t, name+" title"), text.Draw(t, name+" outcome"), rapid.SliceOfN(text, 1, 3).Draw(t, name+" criteria")
	}
	rapid.Check(t, func(t *rapid.T) {
		t1, o1, c1 := draw(t, "first")
		t2, o2, c2 := draw(t, "second")
		same := t1 == t2 && o1 == o2 && fmt.Sprintf("%q", c1) == fmt.Sprintf("%q", c2)
		if (coord.Digest(coord.KindCode, t1, o1, c1) == coord.Digest(coord.KindCode, t2, o2, c2)) != same {
			t.Fatalf("digests do not tell %q %q %q from %q %q %q", t1, o1, c1, t2, o2, c2)
		}
	})
}

func TestCreateTaskValidate(t *testing.T) {
	long := func(n int) string { return strings.Repeat("x", n) }
	for _, c := range []struct {
		name string
		task coord.CreateTask
		ok   bool
	}{
		{"title alone", coord.CreateTask{Title: "x"}, true},
		{"all of it", coord.CreateTask{Title: "x", Outcome: "o", Criteria: []string{"c"}, Priority: coord.PriorityLow, Target: "release/1"}, true},
		{"longest title", coord.CreateTask{Title: long(200)}, true},
		{"no title", coord.CreateTask{}, false},
		{"blank title", coord.CreateTask{Title: " \n\t"}, false},
		{"title too long", coord.CreateTask{Title: long(201)}, false},
		{"title not UTF-8", coord.CreateTask{Title: "a\xff"}, false},
		{"title with NUL", coord.CreateTask{Title: "a\x00"}, false},
		{"outcome too long", coord.CreateTask{Title: "x", Outcome: long(16<<10 + 1)}, false},
		{"51 criteria", coord.CreateTask{Title: "x", Criteria: strings.Split(strings.Repeat("c ", 50)+"c", " ")}, false},
		{"empty criterion", coord.CreateTask{Title: "x", Criteria: []string{"a", ""}}, false},
		{"101 dependencies", coord.CreateTask{Title: "x", DependsOn: make([]coord.TaskID, 101)}, false},
		{"unknown priority", coord.CreateTask{Title: "x", Priority: "highest"}, false},
		{"option as branch", coord.CreateTask{Title: "x", Target: "--upload-pack=x"}, false},
	} {
		checkValid(t, c.name, c.task.Validate(), c.ok)
	}
}

// checkValid wants no error, or a bad request.
func checkValid(t *testing.T, name string, err error, ok bool) {
	t.Helper()
	if ok && err != nil {
		t.Errorf("%s: refused: %v", name, err)
	}
	if !ok && coord.CodeOf(err) != coord.CodeBadRequest {
		t.Errorf("%s: got %v, want a bad request", name, err)
	}
}

func TestOneLineFieldsCannotForgeASecondLine(t *testing.T) {
	forged := "pay rent\n- [x] pay-9 done"
	digest := strings.Repeat("a", 64)
	for name, err := range map[string]error{
		"title":     coord.CreateTask{Title: forged}.Validate(),
		"criterion": coord.CreateTask{Title: "t", Criteria: []string{forged}}.Validate(),
		"session":   coord.OpenSession{ID: "0123456789abcdef", Verifier: digest, Name: forged, Machine: "m"}.Validate(),
		"machine":   coord.OpenSession{ID: "0123456789abcdef", Verifier: digest, Name: "n", Machine: "m\r"}.Validate(),
		"project":   coord.CreateProject{Project: "pay", Name: forged}.Validate(),
		"check":     coord.Run{Check: forged, Definition: digest}.Validate(),
	} {
		if coord.CodeOf(err) != coord.CodeBadRequest || !strings.Contains(err.Error(), "line break") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
