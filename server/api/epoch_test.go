package api

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"coord"
)

// TestK7_AnotherEpochIsRefused states the epoch on every keyed route: another
// one is refused before the role, the session, the key and the body are looked
// at, and the backend is not called.
func TestK7_AnotherEpochIsRefused(t *testing.T) {
	keyed := 0
	for _, rt := range routes() {
		if !rt.keyed {
			continue
		}
		keyed++
		for _, token := range []string{agentToken, setupToken, operatorToken} {
			for _, stated := range []int64{1, fakeEpoch - 1, fakeEpoch + 1} {
				b := newBench()
				path := strings.NewReplacer("{", "", "}", "").Replace(rt.pattern)
				w := b.send(rt.method, path, "not even JSON", with("Authorization", "Bearer "+token), with("Coord-Epoch", strconv.FormatInt(stated, 10)),
					with("Coord-Session", "an.old.one"), with("Idempotency-Key", ""))
				p := wantProblem(t, w, 409, coord.CodeEpochChanged)
				if p.Retry != coord.RetryAfterReread || len(p.Next) == 0 || p.Next[0] != "coord status" {
					t.Errorf("%s: %+v", rt.id, p)
				}
				if len(b.calls) > 0 {
					t.Errorf("%s: the backend was called: %v", rt.id, b.calls)
				}
			}
		}
	}
	if keyed < 10 {
		t.Errorf("only %d keyed routes", keyed)
	}
}

func TestK7_TheEpochIsStatedAndChecked(t *testing.T) {
	create := `{"title":"x"}`
	for name, c := range map[string]struct {
		edit   func(*http.Request)
		status int
		code   coord.Code
	}{
		"the server's": {with("Coord-Epoch", fmt.Sprint(fakeEpoch)), 201, ""},
		"none":         {func(*http.Request) {}, 201, ""},
		"no number":    {with("Coord-Epoch", "one"), 400, coord.CodeBadRequest},
		"a fraction":   {with("Coord-Epoch", "1.0"), 400, coord.CodeBadRequest},
		"zero":         {with("Coord-Epoch", "0"), 400, coord.CodeBadRequest},
		"negative":     {with("Coord-Epoch", "-1"), 400, coord.CodeBadRequest},
		"too large":    {with("Coord-Epoch", "9223372036854775808"), 400, coord.CodeBadRequest},
		"two": {func(r *http.Request) {
			r.Header.Add("Coord-Epoch", fmt.Sprint(fakeEpoch))
			r.Header.Add("Coord-Epoch", fmt.Sprint(fakeEpoch))
		}, 400, coord.CodeBadRequest},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench()
			w := b.send("POST", "/projects/pay/tasks", create, with("Idempotency-Key", fakeKey), c.edit)
			if got := w.Header().Get("Coord-Epoch"); got != fmt.Sprint(fakeEpoch) {
				t.Errorf("the answer carries epoch %q", got)
			}
			if c.code != "" {
				wantProblem(t, w, c.status, c.code)
			} else if w.Code != c.status {
				t.Errorf("%d %s", w.Code, w.Body)
			}
		})
	}
	b := newBench()
	if w := b.send("GET", "/whoami", "", with("Authorization", "")); w.Header().Get("Coord-Epoch") != "" {
		t.Error("W6: a stranger is told the epoch")
	}
}
