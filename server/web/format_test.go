package web

import (
	"strings"
	"testing"
)

func TestProse(t *testing.T) {
	cases := []struct{ text, html, plain string }{
		{"**bold** `a<b`", "<p><strong>bold</strong> <code>a&lt;b</code></p>", ""},
		{"a List<T> of it", "<p>a List&lt;T&gt; of it</p>", ""},
		{"<div>\nwhole\n</div>", "<p>&lt;div&gt;\nwhole\n&lt;/div&gt;</p>", ""},
		{strings.Repeat("> ", 60) + "deep", "", strings.Repeat("> ", 60) + "deep"},
	}
	for _, c := range cases {
		p := prose(3000, c.text)
		if got := strings.TrimSpace(string(p.HTML)); got != c.html || c.html == "" && p.Text != c.plain {
			t.Errorf("prose(%q) = %q, %q", c.text, got, p.Text)
		}
	}
	if p := prose(4, "ab cdef"); p.Text != "ab c" || p.More != 3 {
		t.Errorf("cut to 4: %q and %d more", p.Text, p.More)
	}
	if prose(4, " \n") != nil {
		t.Error("blank text is shown")
	}
}
