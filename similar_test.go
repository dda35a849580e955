package coord_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"coord"
)

func TestWords(t *testing.T) {
	for text, want := range map[string][]string{
		"Refuse the expired tokens":          {"refu", "expir", "token"},
		"refused: expiry, TOKEN; token!":     {"refu", "expir", "token"},
		"Parsers parse what a parser parsed": {"pars", "what"},
		"the a of":                           nil,
		"API v2 (HTTP/2)":                    {"api", "v2", "http", "2"},
		"größere Schlüssel":                  {"größ", "schlüssel"},
		"":                                   nil,
	} {
		if got := coord.Words(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestWordsAreTokens: whatever the text, its words are short, different, and
// made of what the index takes for one token.
func TestWordsAreTokens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := coord.Words(rapid.String().Draw(t, "text"))
		for i, w := range words {
			if w == "" || len(w) > 40 || strings.ContainsAny(w, " .'\"\x00") || strings.ToValidUTF8(w, "") != w || slices.Contains(words[:i], w) {
				t.Fatalf("word %q of %q", w, words)
			}
		}
		if len(words) > 200 {
			t.Fatalf("%d words", len(words))
		}
	})
}

func TestClosest(t *testing.T) {
	among := []coord.Task{
		{ID: "pay-1", Title: "Refuse expired tokens"},
		{ID: "pay-2", Title: "Expired tokens are refused with 401", Outcome: "x"},
		{ID: "pay-3", Title: "Write the manual", Outcome: "It says that expired tokens are refused."},
		{ID: "pay-4", Title: "Draw a logo"},
		{ID: "pay-5", Title: "Refuse expired tokens"},
		{ID: "pay-6", Title: "Tokens expire"},
	}
	var got []string
	for _, r := range coord.Closest("Refuse an expired token", among) {
		got = append(got, fmt.Sprint(r.ID))
	}
	if want := []string{"pay-5", "pay-1", "pay-2"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if like := coord.Likeness("Refuse an expired token", "The token's expiry is refused", ""); like != 1 {
		t.Errorf("the same words are %v alike", like)
	}
	if got := coord.Closest("the", among); got != nil {
		t.Errorf("words that say nothing find %v", got)
	}
}
