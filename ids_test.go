package coord_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"coord"
)

func TestFault28_FenceReadsExactlyItsWireForm(t *testing.T) {
	good := map[string]coord.Fence{
		"1.3":                    {Epoch: 1, Generation: 3},
		"0.0":                    {},
		"2.9007199254740993":     {Epoch: 2, Generation: 1<<53 + 1},
		"1.9223372036854775807":  {Epoch: 1, Generation: 1<<63 - 1},
		"9223372036854775807.10": {Epoch: 1<<63 - 1, Generation: 10},
	}
	for text, want := range good {
		var f coord.Fence
		if err := f.UnmarshalText([]byte(text)); err != nil || f != want || f.String() != text {
			t.Errorf("%q gave %v, %v", text, f, err)
		}
	}
	for _, text := range []string{
		"", ".", "1", "1.", ".3", "01.3", "1.03", "1e3", "1.1e3", "-1.3", "1.-3", "+1.3", "1.+3", "1.3.4", " 1.3", "1.3\n",
		"1,3", "1.9223372036854775808", "-0.1", "1_0.3", "0x1.3", "١.٣",
	} {
		f := coord.Fence{Epoch: 7, Generation: 7}
		if err := f.UnmarshalText([]byte(text)); coord.CodeOf(err) != coord.CodeBadRequest {
			t.Errorf("%q was read as %v, %v", text, f, err)
		}
		if f != (coord.Fence{Epoch: 7, Generation: 7}) {
			t.Errorf("%q was refused and still changed the fence", text)
		}
	}
}

func TestFenceIsAStringInJSON(t *testing.T) {
	b, err := json.Marshal(coord.Renew{Fence: coord.Fence{Epoch: 1, Generation: 1<<53 + 1}})
	if err != nil || string(b) != `{"fence":"1.9007199254740993"}` {
		t.Errorf("got %s, %v", b, err)
	}
	for _, body := range []string{`{"fence":1.3}`, `{"fence":13}`, `{"fence":["1.3"]}`, `{"fence":{"Epoch":1,"Generation":3}}`} {
		var r coord.Renew
		if err := json.Unmarshal([]byte(body), &r); err == nil {
			t.Errorf("%s was read as %v", body, r.Fence)
		}
	}
}

func TestSeqIsAStrictDecimalString(t *testing.T) {
	b, err := json.Marshal(coord.Seq(1<<53 + 1))
	if err != nil || string(b) != `"9007199254740993"` {
		t.Errorf("got %s, %v", b, err)
	}
	var s coord.Seq
	if err := json.Unmarshal(b, &s); err != nil || s != 1<<53+1 {
		t.Errorf("read back %d, %v", s, err)
	}
	for _, text := range []string{"", "-1", "01", "1.0", "1e3", "+1", " 1", "9223372036854775808"} {
		if err := s.UnmarshalText([]byte(text)); coord.CodeOf(err) != coord.CodeBadRequest {
			t.Errorf("%q was read as %d, %v", text, s, err)
		}
	}
}

func TestProjectKeys(t *testing.T) {
	for key, ok := range map[coord.ProjectKey]bool{
		"pay": true, "p": true, "p2": true, "a234567890123456": true,
		"a2345678901234567": false, "": false, "2p": false, "Pay": false, "pay-x": false, "pay_x": false, "pay\n": false, "päy": false,
	} {
		if got := key.Validate() == nil; got != ok {
			t.Errorf("key %q accepted: %v", key, got)
		}
	}
}

func TestTaskIDs(t *testing.T) {
	p, n, err := coord.TaskID("pay-42").Split()
	if p != "pay" || n != 42 || err != nil || coord.TaskID("pay-42").Project() != "pay" {
		t.Errorf("pay-42 is %q %d %v", p, n, err)
	}
	for _, id := range []coord.TaskID{"", "pay", "pay-", "-1", "pay-0", "pay-01", "pay--1", "pay-1e3", "pay-4-2", "Pay-1", "pay-1.a1", "pay-9223372036854775808", "pay-1 "} {
		if _, _, err := id.Split(); coord.CodeOf(err) != coord.CodeBadRequest {
			t.Errorf("%q was split: %v", id, err)
		}
		if id.Project() != "" {
			t.Errorf("%q has project %q", id, id.Project())
		}
	}
}

func TestIDsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := coord.ProjectKey(rapid.StringMatching(`[a-z][a-z0-9]{0,15}`).Draw(t, "project"))
		number := rapid.Int64Min(1).Draw(t, "number")
		n := rapid.Int64Min(0).Draw(t, "n")
		id := coord.NewTaskID(key, number)
		if p, got, err := id.Split(); p != key || got != number || err != nil {
			t.Fatalf("%s split into %s and %d, %v", id, p, got, err)
		}
		if a := coord.NewAttemptID(id, n); a.Task() != id {
			t.Fatalf("%s is of %s", a, a.Task())
		}
		if s := coord.NewSubmissionID(id, n); s.Task() != id {
			t.Fatalf("%s is of %s", s, s.Task())
		}
		if l := coord.NewLandingID(id, n); l.Task() != id {
			t.Fatalf("%s is of %s", l, l.Task())
		}
		fence := coord.Fence{Epoch: number, Generation: n}
		var back coord.Fence
		if err := back.UnmarshalText([]byte(fence.String())); err != nil || back != fence {
			t.Fatalf("%v came back as %v, %v", fence, back, err)
		}
	})
}

func TestOIDs(t *testing.T) {
	sha1, sha256 := strings.Repeat("0a", 20), strings.Repeat("0a", 32)
	for oid, ok := range map[string]bool{
		sha1: true, sha256: true,
		"": false, sha1[:39]: false, sha1 + "a": false, strings.ToUpper(sha1): false, sha1[:7]: false,
		"g" + sha1[1:]: false, sha1[:20] + "-" + sha1[21:]: false, sha1[:39] + "\n": false,
	} {
		if got := coord.OID(oid).Valid(); got != ok {
			t.Errorf("object id %q valid: %v", oid, got)
		}
	}
	if coord.OID(sha1).Short() != "0a0a0a0" || coord.OID("abc").Short() != "abc" {
		t.Error("Short is the first seven digits, or all of them")
	}
}
