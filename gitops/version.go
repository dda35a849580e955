package gitops

import (
	"context"
	"strings"

	"coord"
)

// Version is what the installed git says it is ("git version 2.43.0"). Code
// setup when there is none that is new enough.
func (g *Git) Version(ctx context.Context) (string, error) {
	out, err := g.run(ctx, call{args: []string{"version"}, limit: quick})
	if err != nil {
		return "", wrap(coord.CodeSetup, err, "git does not say its version")
	}
	return strings.TrimSpace(firstLine(string(out))), nil
}
