package markdown

import (
	"regexp"
	"strings"
	"testing"

	"coord"

	"pgregory.net/rapid"
)

func TestRenderHTML(t *testing.T) {
	for _, test := range []struct{ src, want string }{
		{"a *b* `c`", "<p>a <em>b</em> <code>c</code></p>"},
		{"[x](https://ok.test/a)", `<p><a href="https://ok.test/a" rel="nofollow noreferrer noopener" target="_blank">x</a></p>`},
		{"[x](//evil.test)", "<p>x</p>"},
		{"[x](/local) [y](javascript:alert(1)) [z](mailto:a@b.c)", "<p>x y z</p>"},
		{"![x](https://ok.test/a.png)", "<p></p>"},
		{"<script>alert(1)</script>\n\n<b onclick=x>hi</b>", "<p>hi</p>"},
		{"# Title", "<h1>Title</h1>"},
		{"- [x] done", "<ul>\n<li> done</li>\n</ul>"},
		{"| a |\n|:-:|\n| b |", "<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>b</td>\n</tr>\n</tbody>\n</table>"},
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

var (
	htmlTag  = regexp.MustCompile(`<[^>]*>`)
	goodHref = regexp.MustCompile(`^<a href="https?://[^"]*" rel="nofollow noreferrer noopener" target="_blank">$`)
	goodTag  = regexp.MustCompile(`^</?(p|br|hr|em|strong|del|code|pre|blockquote|ul|ol|li|h[1-6]|table|thead|tbody|tr|th|td|a)/?>$|^<ol start="[0-9]+">$`)
)

// Nothing but the tags of the policy leaves the renderer.
func TestRenderHTMLAllowsNothingElse(t *testing.T) {
	pieces := append([]string{
		"<img src=x onerror=y>", "[a](javascript:x)", "[a](//e.test)", "![a](http://a.test)", "<a href='http://a.test' style=x>", "http://a.test",
		"<style>", "</style>", "<svg/onload=x>", "\n", "\n\n", "[a](http://a.test \"t\")", "<http://a.test>", "{#id .class}",
	}, nastyPieces...)
	rapid.Check(t, func(t *rapid.T) {
		src := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces"), "")
		out, err := RenderHTML([]byte(src))
		if err != nil {
			t.Fatal(err)
		}
		for _, tag := range htmlTag.FindAllString(string(out), -1) {
			if !goodTag.MatchString(tag) && !goodHref.MatchString(tag) {
				t.Errorf("%q gives %s", src, tag)
			}
		}
	})
}
