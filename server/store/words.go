package store

import (
	"fmt"
	"strings"
)

// counted is a number with its noun, as event texts and refusals say it.
func counted(n int, noun string) string { return fmt.Sprintf("%d %s", n, pluralOf(n, noun)) }

func pluralOf(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// escapeLike is s as LIKE takes it literally.
func escapeLike(s string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(s)
}
