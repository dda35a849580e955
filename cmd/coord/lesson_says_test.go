package main

import (
	"testing"
	"time"
)

func TestUntil(t *testing.T) {
	now := time.Date(2030, 1, 2, 3, 4, 5, 6, time.UTC)
	for s, want := range map[string]string{
		"": "none", "never": "0001-01-01T00:00:00Z", "now": "2030-01-02T03:04:00Z", "30d": "2030-02-02T00:00:00Z", "90m": "2030-01-02T04:35:00Z",
		"2031-05-06": "2031-05-06T00:00:00Z", "2031-05-06T07:08:09Z": "2031-05-06T07:08:09Z", "0d": "refused", "-1h": "refused", "soon": "refused", "99999d": "refused",
	} {
		got := "none"
		at, err := until(s, now)
		if err != nil {
			got = "refused"
		} else if at != nil {
			got = at.Format(time.RFC3339)
		}
		if got != want {
			t.Errorf("%q is %s, want %s", s, got, want)
		}
	}
	first, _ := until("30d", now)
	again, _ := until("30d", now.Add(20*time.Second))
	if !first.Equal(*again) {
		t.Error("the same command again is another request")
	}
}
