// Package templates carries the texts that coord ships with: the dashboard's
// pages and assets, and the briefs that agents read. It is embedded text
// without behaviour; who renders a text says what goes into it.
package templates

import "embed"

// HTML holds the dashboard's html/template sources under html/. Every page
// is layout.html and parts.html with one file of its own.
//
//go:embed html
var HTML embed.FS

// Static holds the dashboard's assets under static/, served as they are.
//
//go:embed static
var Static embed.FS

// Briefs holds the text/template sources of what agents read, under briefs/.
//
//go:embed all:briefs
var Briefs embed.FS
