package web

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"mime"
	"path"
	"strings"

	"github.com/go-chi/chi/v5"

	"coord/templates"
)

// assets are the files under static/, by the name that pages link to: with
// the hash of their content, so that they may be cached for ever.
type assets struct {
	served map[string]asset
	names  map[string]string // plain name to served name
}

type asset struct {
	kind string
	body []byte
}

func readAssets() assets {
	a := assets{served: map[string]asset{}, names: map[string]string{}}
	entries, err := fs.ReadDir(templates.Static, "static")
	if err != nil {
		panic(err) // embedded: there or not built
	}
	for _, e := range entries {
		body, err := fs.ReadFile(templates.Static, "static/"+e.Name())
		if err != nil {
			panic(err)
		}
		sum, ext := sha256.Sum256(body), path.Ext(e.Name())
		name := strings.TrimSuffix(e.Name(), ext) + "." + hex.EncodeToString(sum[:6]) + ext
		a.served[name], a.names[e.Name()] = asset{kind: kindOf(ext), body: body}, name
	}
	return a
}

// kindOf does not ask the system's table of types, which differs by machine.
func kindOf(ext string) string {
	switch ext {
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	}
	return mime.TypeByExtension(ext)
}

// url is the address of an asset by its plain name; a name that is not there
// is a mistake in a template.
func (a assets) url(name string) string {
	served, ok := a.names[name]
	if !ok {
		panic("no asset " + name)
	}
	return "/static/" + served
}

func (s *site) static(v *visit) error {
	f, ok := s.assets.served[chi.URLParam(v.r, "name")]
	if !ok {
		if err := s.enter(v, operator); err != nil {
			return err
		}
		return s.notFound(v)
	}
	v.w.Header().Set("Content-Type", f.kind)
	v.w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	_, err := v.w.Write(f.body)
	return ignoreGone(err)
}

// ignoreGone drops the error of writing to a client that went away: there is
// nobody left to tell.
func ignoreGone(error) error { return nil }
