package api

import (
	"testing"

	"coord"
)

// TestFault28 states generations in every way but the one that is exact.
func TestFault28_GenerationsInBodies(t *testing.T) {
	for fence, status := range map[string]int{
		`"1.1"`: 200, `"1.9007199254740993"`: 200,
		`1.1`: 400, `9007199254740993`: 400, `1e3`: 400, `"7"`: 400, `"1.1e3"`: 400, `"1.-1"`: 400, `-1`: 400, `null`: 400, `{"epoch":1,"generation":1}`: 400,
	} {
		w := newBench().send("POST", "/attempts/pay-1.a1/renewals", `{"fence":`+fence+`}`)
		if w.Code != status {
			t.Errorf("%s: %d %s, want %d", fence, w.Code, w.Body, status)
		}
	}
}

// TestFault35 shows the first of the two readings of a body alone. The typed
// one after it would refuse some of these too, and mend others.
func TestFault35_TheFirstReadingRefuses(t *testing.T) {
	for _, body := range []string{`{"a":1}{}`, `{"a":1} x`, `{"a":1}]`, `{"a":1,"a":1}`, `{"a":{"b":1,"b":2}}`, `{"a":[{"b":1,"b":2}]}`, "{\"a\":\"\xff\"}", `{"a":"\ud800"}`, `[]`, `1`, ``} {
		if err := checkJSON([]byte(body)); err == nil {
			t.Errorf("%q was accepted", body)
		}
	}
	if err := checkJSON([]byte(` {"a":[1,{"b":"\ud83d\ude00"}]} `)); err != nil {
		t.Error(err)
	}
}

// TestFault57: when a run was is the server's to say, so that no receipt comes
// from the future or ends before it starts.
func TestFault57_TheServerSaysWhenAReceiptIsRecorded(t *testing.T) {
	run := func(extra string) string {
		return `{"fence":"1.1","run":{"check":"test","definition":"d","tree":"t","result":"passed","exit_status":0,"machine":"m","toolchain":"go"` + extra + `}}`
	}
	for name, extra := range map[string]string{
		"its own time":   `,"duration_ms":1,"at":"2999-01-01T00:00:00Z"`,
		"no time":        `,"duration_ms":1,"started_at":"yesterday","ended_at":"2020-01-01T00:00:00Z"`,
		"an end earlier": `,"duration_ms":-1`,
	} {
		b := newBench()
		wantProblem(t, b.send("POST", "/attempts/pay-1.a1/receipts", run(extra)), 400, coord.CodeBadRequest)
		if len(b.calls) != 0 {
			t.Errorf("%s: the service was called: %q", name, b.calls)
		}
	}
}
