package markdown

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A text that is spared the search for remarks has none.
func TestRemarksAreFoundWhereTheyAre(t *testing.T) {
	words := strings.Fields("need needs a b2 decision approval permission sign off discussion before implementing decide whether if on agree to be decided " +
		"confirmed tbd confirm still rerun remains remain remaining pending blocked by until wait waits for waiting do not start only after once when is " +
		"are has have requires c first sobald erst nach wenn zu klären entscheiden por decidir à décider confirmer нужно решить после того как 待确认 需要决定 " +
		"lands merged it exists ships adds launch go live the ready next time then re analyze reanalyze consider consider2 下次 إطلاق é")
	check := func(t interface{ Fatalf(string, ...any) }, text string) {
		for name, r := range map[string]remarks{"hold": hold, "later": later} {
			if is := matches(r.all, text); r.in(text) != is {
				t.Fatalf("%s: %q: searched through it says %v", name, text, is)
			}
		}
	}
	for _, a := range words {
		for _, b := range words {
			check(t, "b2 "+a+" "+b+" lands")
			check(t, a+" "+b+" b2 first")
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		between := rapid.SampledFrom([]string{" ", " ", " ", ""}).Draw(t, "between")
		check(t, strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 8).Draw(t, "words"), between))
	})
}
