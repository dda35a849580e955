package api

import (
	"strings"
	"testing"

	"coord"
)

func TestFault35_StrictBodies(t *testing.T) {
	deep := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	bad := map[string]string{
		"no body":                  "",
		"not an object":            `["title"]`,
		"null":                     `null`,
		"cut off":                  `{"title":"T"`,
		"trailing data":            `{"title":"T"}{}`,
		"trailing text":            `{"title":"T"} x`,
		"unknown field":            `{"title":"T","extra":1}`,
		"wrong case":               `{"Title":"T"}`,
		"duplicate":                `{"title":"T","title":"U"}`,
		"duplicate by escape":      `{"title":"T","\u0074itle":"U"}`,
		"both cases":               `{"title":"T","TITLE":"U"}`,
		"invalid UTF-8":            "{\"title\":\"T\xff\"}",
		"half a surrogate":         `{"title":"\ud83d"}`,
		"low half first":           `{"title":"\ude00\ud83d"}`,
		"missing field":            `{"outcome":"x"}`,
		"wrong type":               `{"title":5}`,
		"null for a string":        `{"title":null}`,
		"not in the enumeration":   `{"title":"T","priority":"now"}`,
		"deeper than the limit":    deep(33),
		"comment":                  `{"title":"T" /* x */}`,
		"not a number":             `{"title":NaN}`,
		"byte order mark":          "\ufeff" + `{"title":"T"}`,
		"array in an unknown deep": `{"title":"T","x":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}`,
	}
	for name, body := range bad {
		t.Run(name, func(t *testing.T) {
			b := newBench()
			p := wantProblem(t, b.send("POST", "/projects/pay/tasks", body), 400, coord.CodeBadRequest)
			if len(b.calls) != 0 {
				t.Errorf("the service was called: %q", b.calls)
			}
			if !strings.Contains(p.Detail, "nothing was changed") {
				t.Errorf("detail %q", p.Detail)
			}
		})
	}
	good := map[string]string{
		"plain":            `{"title":"T"}`,
		"a whole pair":     `{"title":"\ud83d\ude00"}`,
		"escaped escape":   `{"title":"\\ud83d"}`,
		"space around":     " \n{\"title\":\"T\"}\n ",
		"all fields":       `{"title":"T","criteria":["a"],"priority":"high","depends_on":["pay-1"],"planned":true}`,
		"same name deeper": `{"title":"title"}`,
	}
	for name, body := range good {
		t.Run(name, func(t *testing.T) {
			if w := newBench().send("POST", "/projects/pay/tasks", body); w.Code != 201 {
				t.Errorf("%d %s", w.Code, w.Body)
			}
		})
	}
}

func TestDepthCountsFromTheBody(t *testing.T) {
	at := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	if err := checkJSON([]byte(at(maxDepth))); err != nil {
		t.Errorf("%d levels: %v", maxDepth, err)
	}
	if err := checkJSON([]byte(at(maxDepth + 1))); err == nil {
		t.Errorf("%d levels were accepted", maxDepth+1)
	}
}

func FuzzCheckJSON(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":[1,{"b":"\ud83d\ude00"}]}`, `{"a":1,"a":2}`, "{\"\xff\":0}", `{"\`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if checkJSON(b) != nil {
			return
		}
		var v map[string]any
		if err := jsonUnmarshal(b, &v); err != nil {
			t.Errorf("accepted what does not decode: %v", err)
		}
	})
}

func TestBodyLimits(t *testing.T) {
	title := func(n int) string { return `{"title":"` + strings.Repeat("a", n-len(`{"title":""}`)) + `"}` }
	if w := newBench().send("POST", "/projects/pay/tasks", title(bodyLimit)); w.Code != 201 {
		t.Errorf("exactly the limit: %d %.200s", w.Code, w.Body)
	}
	wantProblem(t, newBench().send("POST", "/projects/pay/tasks", title(bodyLimit+1)), 413, coord.CodeBadRequest)

	files := func(n int) string {
		return `{"files":[{"path":"BACKLOG.md","as":"backlog","content":"` + strings.Repeat("eHh4", n/4) + `"}]}`
	}
	if w := newBench().send("POST", "/projects/pay/imports/plan", files(2*bodyLimit)); w.Code != 200 {
		t.Errorf("an import of 2 MiB: %d %.200s", w.Code, w.Body)
	}
	wantProblem(t, newBench().send("POST", "/projects/pay/imports/plan", files(importLimit)), 413, coord.CodeBadRequest)
}

func TestContentType(t *testing.T) {
	for value, status := range map[string]int{
		"application/json": 201, "application/json; charset=utf-8": 201,
		"": 415, "text/plain": 415, "application/json; charset=latin1": 415, "application/x-www-form-urlencoded": 415, "application/xml+json": 415,
	} {
		w := newBench().send("POST", "/projects/pay/tasks", `{"title":"T"}`, with("Content-Type", value))
		if w.Code != status {
			t.Errorf("%q: %d, want %d", value, w.Code, status)
		}
	}
	w := newBench().send("POST", "/projects/pay/tasks", `{"title":"T"}`, with("Content-Encoding", "gzip"))
	wantProblem(t, w, 415, coord.CodeBadRequest)
}
