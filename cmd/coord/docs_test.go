package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

var update = flag.Bool("update", false, "write the generated files")

// TestGeneratedCLI holds docs/cli.md to the command tree.
func TestGeneratedCLI(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "cli.md")
	want := cliReference(newRoot(&app{}))
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("docs/cli.md is not what the command tree says (%v); run make generate", err)
	}
}

// cliReference is every visible command with its flags.
func cliReference(root *cobra.Command) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# The commands\n\n<!-- Written by make generate from the command tree; edit there. -->\n\nEvery command takes:\n\n```text\n%s```\n", root.PersistentFlags().FlagUsages())
	for _, g := range root.Groups() {
		fmt.Fprintf(&b, "\n## %s\n", strings.TrimSuffix(g.Title, ":"))
		for _, c := range root.Commands() {
			if c.GroupID == g.ID {
				writeCommand(&b, c)
			}
		}
	}
	return b.Bytes()
}

func writeCommand(b *bytes.Buffer, c *cobra.Command) {
	if !c.IsAvailableCommand() {
		return
	}
	if c.HasSubCommands() {
		for _, sub := range c.Commands() {
			writeCommand(b, sub)
		}
		return
	}
	fmt.Fprintf(b, "\n### `coord %s`\n\n%s.\n", strings.TrimPrefix(c.CommandPath(), "coord ")+strings.TrimPrefix(c.Use, c.Name()), c.Short)
	if flags := c.LocalNonPersistentFlags().FlagUsages(); flags != "" {
		fmt.Fprintf(b, "\n```text\n%s```\n", flags)
	}
}
