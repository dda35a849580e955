package web

import (
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"coord"
)

// corpus are texts that would become markup, script or another link if any
// template or attribute let them through.
var corpus = []string{
	`<script>alert(1)</script>`,
	`"><img src=x onerror=alert(1)>`,
	`' onmouseover='alert(1)`,
	`javascript:alert(1)`,
	`</title></code></main><svg onload=alert(1)>`,
	`{{.Frame}}<%= 1 %>${1}`,
	"`onfocus=alert(1) autofocus",
	`[x](javascript:alert(1)) ![y](https://evil.test/z.png)`,
	"[y](https://elsewhere.test/z) <https://auto.test>",
	`<a href="https://evil.test">x</a><form action=https://evil.test>`,
	"\x00\x1b[31m\u202egnp.exe\u200b\u2028",
}

// allowedMarkup is every kind of tag with every attribute name that the pages
// use; values of links must stay here.
var (
	anyTag    = regexp.MustCompile(`<(/?)([a-zA-Z!][^\s/>]*)([^>]*)>`)
	attribute = regexp.MustCompile(`([a-zA-Z-]+)(?:="([^"]*)")?`)
)

// TestOthersTextStaysText puts every text of the corpus into every text field
// of every record and compares the shape of each page with the shape that
// harmless words give.
func TestOthersTextStaysText(t *testing.T) {
	paths := []string{"/", "/p/pay", "/p/pay?status=ready", "/p/pay/landing", "/p/pay/t/1", "/p/pay/t/1?section=history", "/p/pay/t/2", "/p/pay/t/12", "/p/pay/knowledge", "/p/pay/knowledge?lesson=L2", "/p/pay/knowledge?status=all"}
	harmless := shapes(t, "words", paths)
	for _, text := range corpus {
		for path, shape := range shapes(t, text, paths) {
			if shape != harmless[path] {
				t.Errorf("%q changes the markup of %s: %s", text, path, firstDifference(shape, harmless[path]))
			}
		}
	}
}

func shapes(t *testing.T, text string, paths []string) map[string]string {
	t.Helper()
	h, f, in := door(t)
	poison(reflect.ValueOf(&f.over), text)
	poison(reflect.ValueOf(&f.log), text)
	for k, v := range f.boards {
		poison(reflect.ValueOf(&v), text)
		f.boards[k] = v
	}
	for k, v := range f.landing {
		poison(reflect.ValueOf(&v), text)
		f.landing[k] = v
	}
	for k, v := range f.tasks {
		poison(reflect.ValueOf(&v), text)
		f.tasks[k] = v
	}
	poison(reflect.ValueOf(&f.lessons), text)
	poison(reflect.ValueOf(&f.rules), text)
	poison(reflect.ValueOf(&f.notes), text)
	out := map[string]string{}
	for _, path := range paths {
		w := request(h, "GET", path, "", in)
		if w.Code != 200 {
			t.Fatalf("%s with %q answers %d", path, text, w.Code)
		}
		page := w.Body.String()
		for _, r := range "\x00\x1b\u202e\u200b\u2028" {
			if strings.ContainsRune(page, r) {
				at := strings.IndexRune(page, r)
				t.Errorf("%s shows %q as it is: %q", path, r, page[max(0, at-60):min(len(page), at+20)])
			}
		}
		if text == "words" && !strings.Contains(page, "words") {
			t.Errorf("%s shows none of the text: the test proves nothing", path)
		}
		out[path] = shapeOf(t, path, page)
	}
	return out
}

// rendered is what Markdown became; no div can be in it.
var rendered = regexp.MustCompile(`(?s)<div class="md">(.*?)</div>`)

// plain is the same text where it is not rendered: no tag can be in it.
var plain = regexp.MustCompile(`<div class="prose">[^<]*</div>`)

// checkRendered allows structure, and links elsewhere that tell nobody where
// they were followed from.
func checkRendered(t *testing.T, path, html string) {
	t.Helper()
	link := regexp.MustCompile(`^ href="https?://[^"]*" rel="nofollow noreferrer noopener" target="_blank"$`)
	for _, m := range anyTag.FindAllStringSubmatch(html, -1) {
		ok := m[3] == "" && slices.Contains([]string{"p", "br", "em", "strong", "del", "code", "pre", "a", "ul", "li"}, m[2])
		if !ok && (m[2] != "a" || !link.MatchString(m[3])) {
			t.Errorf("%s: Markdown became %s", path, m[0])
		}
	}
}

// shapeOf is a page without text and without the values of attributes; links
// are checked on the way.
func shapeOf(t *testing.T, path, page string) string {
	t.Helper()
	for _, m := range rendered.FindAllStringSubmatch(page, -1) {
		checkRendered(t, path, m[1])
	}
	page = plain.ReplaceAllString(rendered.ReplaceAllString(page, ""), "")
	var b strings.Builder
	for _, m := range anyTag.FindAllStringSubmatch(page, -1) {
		b.WriteString("<" + m[1] + m[2])
		for _, a := range attribute.FindAllStringSubmatch(m[3], -1) {
			b.WriteString(" " + a[1])
			if a[1] == "href" || a[1] == "src" || a[1] == "action" {
				u, err := url.Parse(a[2])
				if err != nil || u.Scheme != "" || u.Host != "" || strings.HasPrefix(a[2], `//`) {
					t.Errorf("%s links to %q", path, a[2])
				}
			}
		}
		b.WriteString(">\n")
	}
	return b.String()
}

// poison sets every free text in a record: strings that are not an
// identifier of ours, an object id or a word of a closed set.
func poison(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			poison(v.Elem(), text)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				poison(v.Field(i), text)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			poison(v.Index(i), text)
		}
	case reflect.String:
		switch v.Interface().(type) {
		case string, coord.RepositoryID, coord.PrincipalID, coord.SubmissionID, coord.OID:
			if v.String() != "" {
				v.SetString(text)
			}
		}
	}
}

func firstDifference(a, b string) string {
	as, bs := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(as), len(bs)) {
		if as[i] != bs[i] {
			return as[i] + " where " + bs[i] + " was"
		}
	}
	return "one has more"
}

// What comes in by the URL is text as well.
func TestURLTextStaysText(t *testing.T) {
	h, _, in := door(t)
	for _, text := range corpus {
		e := url.QueryEscape(text)
		for _, path := range []string{
			"/p/pay?q=" + e, "/p/pay?status=" + e, "/p/pay?kind=" + e, "/p/pay/landing?stage=" + e, "/p/pay/landing?page=" + e, "/p/pay/knowledge?q=" + e, "/p/pay/knowledge?status=" + e, "/p/pay/knowledge?lesson=" + e,
			"/p/pay/t/1?section=" + e, "/p/" + url.PathEscape(text), "/p/pay/t/" + url.PathEscape(text), "/" + url.PathEscape(text),
		} {
			page := request(h, "GET", path, "", in).Body.String()
			shapeOf(t, path, page)
			for _, bad := range []string{"<script>a", "<img src=x", "<svg onload", "<form action=https", "<a href=\"https"} {
				if strings.Contains(page, bad) {
					t.Errorf("%s holds %s", path, bad)
				}
			}
		}
	}
}
