package markdown

import (
	"strings"
	"testing"
	"time"

	"coord"

	"pgregory.net/rapid"
)

func TestRenderHTML(t *testing.T) {
	const rel = ` rel="nofollow noreferrer noopener" target="_blank">`
	for _, test := range []struct{ src, want string }{
		{"a *b* `c`", "<p>a <em>b</em> <code>c</code></p>"},
		{"**a** ~~b~~ ~c~", "<p><strong>a</strong> <del>b</del> <del>c</del></p>"},
		{"a\\*b &lt;c&gt; \"d\"", "<p>a*b &lt;c&gt; &#34;d&#34;</p>"},
		{"\\&lt; &amp;lt; &copy; &copy", "<p>&amp;lt; &amp;lt; © &amp;copy</p>"},
		{"a  \nb\nc", "<p>a<br>\nb\nc</p>"},
		{"a \r\nb\rc", "<p>a\nb\nc</p>"},
		{"[x](https://ok.test/a)", `<p><a href="https://ok.test/a"` + rel + `x</a></p>`},
		{"[x](HTTPS://ok.test/a?b=1&c=2 \"title\")", `<p><a href="https://ok.test/a?b=1&amp;c=2"` + rel + `x</a></p>`},
		{"<https://ok.test/a>", `<p><a href="https://ok.test/a"` + rel + `https://ok.test/a</a></p>`},
		{"[a <http://b.test> c](http://c.test)", `<p><a href="http://c.test"` + rel + `a http://b.test c</a></p>`},
		{"[x](//evil.test)", "<p>x</p>"},
		{"[x](/local) [y](javascript:alert(1)) [z](mailto:a@b.c) <d@e.f>", "<p>x y z d@e.f</p>"},
		{"![a *b* [c](http://d.test)](https://ok.test/a.png)", "<p>a b c</p>"},
		{"[![a](b)](http://c.test)", `<p><a href="http://c.test"` + rel + `a</a></p>`},
		{"<script>alert(1)</script>\n\n<b>hi</b>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n<p>&lt;b&gt;hi&lt;/b&gt;</p>"},
		{"# Title", "<h1>Title</h1>"},
		{"a\n---\n***", "<h2>a</h2>\n<hr>"},
		{"> a", "<blockquote>\n<p>a</p>\n</blockquote>"},
		{"```go\na < b\n```", "<pre><code>a &lt; b\n</code></pre>"},
		{"    a\n\n    b", "<pre><code>a\n\nb\n</code></pre>"},
		{"- [x] done\n- [ ] open", "<ul>\n<li>[x] done</li>\n<li>[ ] open</li>\n</ul>"},
		{"- a\n\n  b\n- c", "<ul>\n<li>\n<p>a</p>\n<p>b</p>\n</li>\n<li>\n<p>c</p>\n</li>\n</ul>"},
		{"3. a\n   - b", "<ol start=\"3\">\n<li>a\n<ul>\n<li>b</li>\n</ul>\n</li>\n</ol>"},
		{"[a]\n\n[a]: http://b.test", `<p><a href="http://b.test"` + rel + `a</a></p>`},
	} {
		got, err := RenderHTML([]byte(test.src))
		if err != nil || strings.TrimSpace(string(got)) != test.want {
			t.Errorf("%q:\n got %s (%v)\nwant %s", test.src, got, err, test.want)
		}
	}
	for _, src := range []string{strings.Repeat(">", 64<<10), strings.Repeat("- ", 40) + "a", strings.Repeat("a", 65<<10)} {
		if _, err := RenderHTML([]byte(src)); coord.CodeOf(err) != coord.CodeBadRequest {
			t.Errorf("%.20q…: %v", src, err)
		}
	}
}

// Tables are written here without line ends, one cell per tag.
func TestRenderHTMLTables(t *testing.T) {
	for _, test := range []struct{ src, want string }{
		{"| a |\n|:-:|\n| b |", "<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>b</td></tr></tbody></table>"},
		{"a | b\n--|--", "<table><thead><tr><th>a</th><th>b</th></tr></thead></table>"},
		{"c\n\n|a|b|\n|-|-|\n|1|\n|1|2|3|\n\nd", "<p>c</p><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td></tr><tr><td>1</td><td>2</td></tr></tbody></table><p>d</p>"},
		{"c\n|a|\n|-|", "<p>c</p><table><thead><tr><th>a</th></tr></thead></table>"},
		{"|a \\| b|`c \\| d`|\n|-|-|", "<table><thead><tr><th>a | b</th><th><code>c | d</code></th></tr></thead></table>"},
		{"|a|\n|-|-|", "<p>|a||-|-|</p>"},
		{"|a|\n|--:x|", "<p>|a||--:x|</p>"},
		{"|a|\n|::|", "<p>|a||::|</p>"},
		{"a\n---", "<h2>a</h2>"},
		{"`c \\| d`", "<p><code>c \\| d</code></p>"},
	} {
		got, err := RenderHTML([]byte(test.src))
		if err != nil || strings.ReplaceAll(string(got), "\n", "") != test.want {
			t.Errorf("%q:\n got %s (%v)\nwant %s", test.src, got, err, test.want)
		}
	}
}

// A full text of the worst kind is rendered in a fraction of a second.
func TestRenderHTMLIsQuick(t *testing.T) {
	fill := func(s string) string { return strings.Repeat(s, maxHTMLSource/2/len(s)) }
	for _, src := range []string{
		strings.Repeat("|", 9000) + "|\n" + strings.Repeat("|-", 9000) + "|\n" + fill("a\n"), strings.Repeat("|a", 64) + "|\n" + strings.Repeat("|-", 64) + "|\n" + fill("a\n"),
		fill("|\n|-|\n"), fill("|-\n"), fill("["), fill("![a]("), fill("~~a "), fill("*a _b "), fill("&amp"), fill("\\"), fill("`a"), fill("<a:"), fill("[a](<b"), fill("[a]: b\n"),
		fill("> a\n"), fill("a\n=\n"), fill("~"), fill("&#"), fill("```\n"), fill("[![a](b)](c)"),
	} {
		began := time.Now()
		out, err := RenderHTML([]byte(src))
		if d := time.Since(began); err != nil || d > 3*time.Second || len(out) > 40*maxHTMLSource {
			t.Errorf("%.20q…: %v, %d bytes, %v", src, d, len(out), err)
		}
	}
}

// Nothing but what the policy allows leaves the renderer.
func TestRenderHTMLAllowsNothingElse(t *testing.T) {
	pieces := append([]string{
		"<img src=x onerror=y>", "[a](javascript:x)", "[a](//e.test)", "![a](http://a.test)", "<a href='http://a.test' style=x>", "http://a.test",
		"<style>", "</style>", "<svg/onload=x>", "\n", "\n\n", "[a](http://a.test \"t\")", "<http://a.test>", "{#id .class}",
		"![", "](http://a.test/", "](http://", ")", "|\n|-|\n|", "|-|-|", "\\|", "&quot;", "&#34;", "%", "%41", "@", ":", "?", "\"", "'", "  \n",
	}, nastyPieces...)
	rapid.Check(t, func(t *rapid.T) {
		checkHTML(t, strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces"), ""))
	})
}
