package markdown

import (
	"regexp"
	"strings"
	"testing"

	"coord"

	"github.com/microcosm-cc/bluemonday"
)

// oracle is an independent reading of what may reach the dashboard: text
// structure and absolute web links, and nothing that loads, styles, names or
// runs anything. It parses the HTML anew, and it must find nothing to change.
var oracle = newOracle()

func newOracle() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "em", "strong", "del", "code", "pre", "blockquote", "ul", "ol", "li",
		"h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td")
	p.AllowAttrs("start").Matching(regexp.MustCompile(`^[0-9]{1,9}$`)).OnElements("ol")
	p.AllowAttrs("href").Matching(regexp.MustCompile(`^(?i:https?)://[^/?#]`)).OnElements("a")
	p.AllowURLSchemes("http", "https")
	p.AllowRelativeURLs(false)
	p.RequireParseableURLs(true)
	p.RequireNoFollowOnLinks(true)
	p.RequireNoReferrerOnLinks(true)
	p.AddTargetBlankToFullyQualifiedLinks(true)
	return p
}

var (
	htmlTag  = regexp.MustCompile(`<[^>]*>`)
	goodHref = regexp.MustCompile(`^<a href="https?://[^"]*" rel="nofollow noreferrer noopener" target="_blank">$`)
	goodTag  = regexp.MustCompile(`^</?(p|br|hr|em|strong|del|code|pre|blockquote|ul|ol|li|h[1-6]|table|thead|tbody|tr|th|td|a)>$|^<ol start="[0-9]+">$`)
)

// checkHTML renders src and holds the result to the oracle, to a list of tags,
// and to being closed where it is opened.
func checkHTML(t interface {
	Helper()
	Errorf(string, ...any)
}, src string,
) {
	t.Helper()
	out, err := RenderHTML([]byte(src))
	if err != nil {
		if coord.CodeOf(err) != coord.CodeBadRequest {
			t.Errorf("%q: %v", src, err)
		}
		return
	}
	if clean := oracle.SanitizeBytes(out); string(clean) != string(out) {
		t.Errorf("%q gives\n%s\nof which the policy leaves\n%s", src, out, clean)
	}
	var open []string
	for _, tag := range htmlTag.FindAllString(string(out), -1) {
		if !goodTag.MatchString(tag) && !goodHref.MatchString(tag) {
			t.Errorf("%q gives %s", src, tag)
		}
		name, _, _ := strings.Cut(strings.Trim(tag, "<>"), " ")
		switch {
		case name == "br" || name == "hr":
		case name[0] != '/':
			open = append(open, name)
		case len(open) == 0 || open[len(open)-1] != name[1:]:
			t.Errorf("%q closes %s, open are %v", src, tag, open)
			return
		default:
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		t.Errorf("%q leaves %v open", src, open)
	}
}

// attacks are ways that others found to get code, styles, loads or deceiving
// links through a Markdown renderer.
var attacks = []string{
	"<script>alert(1)</script>", "<b onclick=x>hi</b>", "<img src=x onerror=alert(1)>", "<svg/onload=alert(1)>", "<svg><script>alert(1)</script></svg>",
	"<iframe src=javascript:alert(1)></iframe>", "<style>@import'//e.test'</style>", "<link rel=stylesheet href=//e.test>", "<base href=//e.test>",
	"<form action=//e.test><input name=a></form>", "<meta http-equiv=refresh content='0;url=//e.test'>", "<a href='javascript:x'>a</a>",
	"<math><mi//xlink:href=\"data:x,<script>alert(1)</script>\">", "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
	"<!--><img src=x onerror=alert(1)>-->", "<![CDATA[<img src=x onerror=alert(1)>]]>", "<?php echo 1 ?>", "</p></div><script>alert(1)</script>",
	"<a\nhref=x\nonclick=y>", "<IMG \"\"\"><SCRIPT>alert(1)</SCRIPT>\">", "<<script>alert(1)//<</script>", "<plaintext>", "<xmp>", "<textarea>", "<title>",
	"[x](javascript:alert(1))", "[x](JaVaScRiPt:alert(1))", "[x](java\tscript:alert(1))", "[x](javascript://a.test/%0aalert(1))", "[x](&#106;avascript:alert(1))", "[x](javascript&colon;alert(1))",
	"[x](&#x6A;avascript&#58;alert(1))", "[x](\\javascript:alert(1))", "[x](<javascript:alert(1)>)", "[x](vbscript:x)", "[x](data:text/html,<script>alert(1)</script>)",
	"[x](file:///etc/passwd)", "[x](//evil.test)", "[x](\\\\evil.test)", "[x](/\\evil.test)", "[x](https:evil.test)", "[x](https:///evil.test)", "[x](http:/evil.test)",
	"[x](https://?q)", "[x](https://#a)", "[x](https://:80)", "[x](https://@)", "[x](https://a@)", "[x](http://a.test/\"onmouseover=alert(1))", "[x](<http://a.test/ \" onclick=\"x>)",
	"[x](http://a.test/'onmouseover='x)", "[x](http://a.test/&quot;onclick=&quot;x)", "[x](http://a.test/&lt;script&gt;)", "[x](http://a.test/%22%3E%3Cscript%3E)",
	"[x](http://a.test \"a\\\" onclick=\\\"x\")", "[x](http://a.test 'title')", "[x](http://a.test\\@evil.test)", "[x](http://a.test%2f@evil.test)", "[x](http://a%00.test)",
	"[x](http://[::1]:80/)", "[x](http://[::1%25eth0]/)", "[x](http://ä.test/ü?ö#ß)", "[x](http://a.test/%zz)", "[x](http://a.test/?a=1&b=2&copy=3)", "[x](http://a.test:port/)",
	"[x](http://a.test/\x00)", "[x](http://a.test/\x01)", "[x](http://a.test/\xff)", "[x](http://a.test/\u202e)", "[x](HTTP://A.TEST/A)", "[x](hTTps://a.test)", "[x]( http://a.test )",
	"![x](javascript:alert(1))", "![x](https://a.test/a.png \"t\")", "![<script>](a)", "![a [b](http://b.test) c](http://c.test)", "[![a [b](http://b.test) c](d)](http://e.test)",
	"[a [b](http://b.test) c](http://c.test)", "[a <http://b.test> c](http://c.test)", "![\"onerror=\"alert(1)](x)", "![`a` *b* ~~c~~\\\nd](x)",
	"<javascript:alert(1)>", "<http://a.test>", "<http://a.test/\"onclick=x>", "<http://a.test/<script>>", "<data:text/html,x>", "<a@b.test>", "<mailto:a@b.test>", "<x-y:z>",
	"[a]: javascript:alert(1)\n\n[a]", "[a]: http://a.test \"onclick=x\"\n\n[a][]", "[a]: <javascript:alert(1)>\n\n![a]", "[\n\n]: <x>\n", "[]: x\n[]", "[a]:\n\n<script>",
	"# a {#id .class onclick=x}", "## <script>", "```html\" onclick=\"x\n<script>\n```", "~~~ <script>\n&lt;\n~~~", "    <script>alert(1)</script>", "`<script>`", "``` `<b>` ```",
	"&lt;script&gt;alert(1)&lt;/script&gt;", "&#60;script&#62;", "&#x3c;img src=x&#x3e;", "&amp;lt;script&amp;gt;", "\\<script\\>", "\\&lt;", "&\\#60;", "&#0;&#1;&#13;&#xD800;&#x110000;&#99999999;",
	"&NewLine;&Tab;&quot;&apos;&lt&copy &CounterClockwiseContourIntegral;&x;&;&#;&#x;", "\"'`=\u2028\u2029", "\x00<\x00script>", "<\xff>", "\xc0\xbcscript>",
	"| <script> | a |\n|---|---|\n| <img src=x onerror=y> | `\\|<b>` |", "| a |\n|---|\n", "|a|b|\n|-|-|\n|c|\n|d|e|f|", "a\n|b|\n|:-:|\n|[x](javascript:y)|", "| `a \\| b` | \\| |\n|---|---|", "a | b\n- | -\n\\", "||\n|-|",
	"0. a\n1. b", "999999999. a", "007) a", "- [x] done\n- [ ] <b>", "* * *\n---\n<hr onclick=x>", "> > <script>\n> - `", "a  \nb\\\nc\rd\r\ne", "~~a~~ ~b~ ~~~c~~~ ~~*d~~*",
	"*a **b ***c `d", "__a__*b*_c_", "***", "a\n===\nb\n---", "====\n|-|\n", "<!-- coord:pay-1 -->",
}

func TestRenderHTMLAttacks(t *testing.T) {
	for _, src := range attacks {
		for _, form := range []string{src, "> " + src, "- " + src, "a " + src + " b", "| " + src + " |\n|---|\n| " + src + " |", "[" + src + "](http://a.test)", "![" + src + "](x)"} {
			checkHTML(t, form)
		}
	}
	for _, src := range seeds {
		checkHTML(t, src)
	}
}

// FuzzHTML looks for Markdown of which something reaches the dashboard that
// the oracle would take out.
func FuzzHTML(f *testing.F) {
	for _, src := range append(seeds, attacks...) {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) { checkHTML(t, src) })
}
