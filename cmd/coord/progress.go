package main

// progress reports a step of long work: one line per step, on the error
// stream, and nothing with --json.
func (a *app) progress(format string, args ...any) {
	if !a.json {
		a.say("… "+format, args...)
	}
}
