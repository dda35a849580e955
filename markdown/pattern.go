package markdown

import (
	"regexp"
	"sync"
)

// pattern compiles an expression when it is first needed: every run of the
// binary would pay for it otherwise, and few of them read Markdown.
func pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
