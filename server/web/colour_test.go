package web

import (
	"io/fs"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"coord/templates"
)

// TestContrast holds every text colour to 4.5:1 on every surface (WCAG 2.2,
// success criterion 1.4.3), in both schemes.
func TestContrast(t *testing.T) {
	css, err := fs.ReadFile(templates.Static, "static/coord.css")
	if err != nil {
		t.Fatal(err)
	}
	light, rest, _ := strings.Cut(string(css), "@media (prefers-color-scheme: dark)")
	dark, _, _ := strings.Cut(rest, "* { box-sizing")
	for scheme, text := range map[string]string{"light": light, "dark": dark} {
		c := colours(text)
		for _, ink := range []string{"ink", "dim", "accent", "ok", "go", "wait", "warn", "bad", "idle"} {
			for _, surface := range []string{"bg", "panel", "sunk"} {
				if r := contrast(c[ink], c[surface]); r < 4.5 {
					t.Errorf("%s: %s on %s is %.2f:1", scheme, ink, surface, r)
				}
			}
		}
		for ink, surface := range map[string]string{"ok": "ok-soft", "bad": "bad-soft", "accent": "accent-soft"} {
			if r := contrast(c[ink], c[surface]); r < 4.5 {
				t.Errorf("%s: %s on %s is %.2f:1", scheme, ink, surface, r)
			}
		}
		if r := contrast(c["dim"], c["bad-soft"]); r < 4.5 {
			t.Errorf("%s: dim on bad-soft is %.2f:1", scheme, r)
		}
	}
}

func colours(css string) map[string]float64 {
	out := map[string]float64{}
	for _, m := range regexp.MustCompile(`--([a-z-]+): #([0-9a-f]{3,6})\b`).FindAllStringSubmatch(css, -1) {
		hex := m[2]
		if len(hex) == 3 {
			hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
		}
		out[m[1]] = luminance(hex)
	}
	return out
}

// luminance is the relative luminance of WCAG 2.2.
func luminance(hex string) float64 {
	n, err := strconv.ParseUint(hex, 16, 32)
	if err != nil {
		return math.NaN()
	}
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		v := float64(n>>(16-8*i)&0xff) / 255
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		sum += weight * v
	}
	return sum
}

func contrast(a, b float64) float64 { return (max(a, b) + 0.05) / (min(a, b) + 0.05) }
