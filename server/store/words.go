package store

import "fmt"

// counted is a number with its noun, as event texts and refusals say it.
func counted(n int, noun string) string { return fmt.Sprintf("%d %s", n, pluralOf(n, noun)) }

func pluralOf(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}
