package main

import (
	"context"
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"
)

// version is set by a release build: -ldflags "-X main.version=1.2.0".
var version = "0.1.0-dev"

type versionData struct {
	Version string `json:"version"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
}

func newVersion(a *app) *cobra.Command {
	return a.verb("version", "Print the version", cobra.NoArgs, func(context.Context, []string) (output, error) {
		v := versionData{Version: version, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
		return output{kind: "version", data: v, text: func(w io.Writer) {
			fmt.Fprintf(w, "coord %s %s %s/%s\n", v.Version, v.Go, v.OS, v.Arch)
		}}, nil
	})
}
