package markdown

import (
	"os"
	"testing"

	"coord"

	"github.com/google/go-cmp/cmp"
)

func fixture(t *testing.T, name string, as coord.SourceRole) coord.SourceFile {
	t.Helper()
	src, err := os.ReadFile("../testdata/markdown/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return coord.SourceFile{Path: name, As: as, Content: src}
}

func readFixture(t *testing.T, name string, as coord.SourceRole) (Document, []string) {
	t.Helper()
	f := fixture(t, name, as)
	doc := readAs(t, as, string(f.Content))
	var got []string
	for _, r := range doc.Records {
		s := seen(r)
		if r.Kind != coord.RecordTask {
			s = string(r.Kind) + s
		}
		got = append(got, s)
	}
	return doc, got
}

func TestBacklogFixture(t *testing.T) {
	doc, got := readFixture(t, "BACKLOG.md", coord.AsBacklog)
	want := []string{
		`ready open "B-12 Reject tokens past their expiry" B-12`,
		`ready open "B-13 Rotate the import key every month" B-13`,
		"ready open \"Show `3~5` retries, then give up; the text may hold `<!-- no marker -->`\"",
		`ready open "[Receipts by mail](docs/receipts.md): one per payment"`,
		`open "[ ]no space, so only a list item"`,
		`unknown "B-14 Faster search, half of it is in" B-14`,
		`blocked "B-15 Split the ledger table" B-15`,
		`parked "B-16 Move to the new queue" B-16`,
		`active "B-17 Write the migration guide" B-17`,
		`parked "B-20 Dark theme" B-20`,
		`parked "B-21 Offline mode" B-21`,
		`disputed rejected "B-30 Support for the old protocol" B-30`,
		`rejected "B-31 A plug-in system" B-31`,
		`done "B-1 Count sign-ins per hour" B-1`,
		`done "Ask the auditors?"`,
		`done "B-2 Drop the old table" B-2`,
		`disputed done "B-40 Alert routing" B-40`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	notes := []string{"hidden_in_html 1", "box_without_space 1", "unknown_mark 1", "hidden_in_code 1", "hidden_in_quote 1"}
	if diff := cmp.Diff(notes, codes(doc)); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	first := coord.RecordFacets{
		Title: "B-12 Reject tokens past their expiry", Priority: coord.PriorityHigh, After: []string{"B-9"}, Status: coord.SourceOpen,
		Body:     "after B-9 The check must use the server's clock.",
		Criteria: []string{"an expired token answers 401", "a test covers the minute around the expiry"},
	}
	if diff := cmp.Diff(first, doc.Records[0].Facets); diff != "" {
		t.Error(diff)
	}
	guide := doc.Records[8].Facets
	if guide.Body != "Two pages, for operators." || len(guide.Criteria) != 2 {
		t.Errorf("the heading's task: %+v", guide)
	}
}

func TestHandoffFixture(t *testing.T) {
	doc, got := readFixture(t, "HANDOFF.md", coord.AsHandoff)
	want := []string{
		`handoff "2026-10-02 — the expiry check"`,
		`handoff "2026-09-28 — receipts"`,
		`handoff "How to run it"`,
		`open "Write the test for the minute around the expiry"`,
		`open "Ask for a review"`,
		`open "Remove the debug output"`,
		`open "Decide about bounced mails"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"plain_item 2", "hidden_in_code 1"}, codes(doc)); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

func TestRecordFixture(t *testing.T) {
	_, got := readFixture(t, "DURABLE-RECORD.md", coord.AsRecord)
	want := []string{
		`lesson "A clock in a test is a fake clock"`,
		`lesson "Fixtures are built by code, not copied from production."`,
		`lesson "Never retry a payment without its key"`,
		`lesson "A plug-in system: three weeks of work, no user. Look again when a second team asks."`,
		`lesson "Why the ledger is append-only"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

func TestMixedFixture(t *testing.T) {
	doc, got := readFixture(t, "mixed.md", coord.AsBacklog)
	want := []string{`ready open "Write it"`, `open "not an item in every parser"`, "done \"Caf\ufffd menu\"", `ready open "after a lone CR"`, `ready open "no newline at the end"`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	if doc.Records[0].Facets.Body != "  - [ ] a step after a tab" {
		t.Errorf("step: %q", doc.Records[0].Facets.Body)
	}
}
