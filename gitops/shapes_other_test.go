//go:build !unix

package gitops

const isUnix = false

func pipe(f *fixture, _ string) { f.t.Skip("no pipes here") }
