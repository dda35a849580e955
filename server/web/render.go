package web

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"html/template"
	"net/http"
	"strconv"
	"time"

	"coord"
	"coord/templates"
)

// frame is what every page tells the layout.
type frame struct {
	Page    string
	Title   string
	Caller  string // empty: nobody is signed in
	Version string
	Project coord.ProjectKey // empty: none in particular
	Feed    string           // event stream that says when the page is out of date
	AsOf    coord.Seq
	Now     time.Time // the server's clock, for ages
}

func (s *site) frame(v *visit, page, title string) frame {
	f := frame{Page: page, Title: title, Now: s.Now()}
	if v.caller.Role == coord.RoleOperator {
		f.Caller, f.Version = v.caller.Name, s.Version
		if f.Caller == "" {
			f.Caller = string(v.caller.Principal)
		}
	}
	return f
}

// live makes the page follow the events of a project, or of all for "".
func (f frame) live(p coord.ProjectKey, asOf coord.Seq, now time.Time) frame {
	f.Project, f.AsOf, f.Now, f.Feed = p, asOf, now, "/events"
	if p != "" {
		f.Feed += "?project=" + string(p)
	}
	return f
}

type pages map[string]*template.Template

// parsePages reads every page with the layout. A mistake in a template ends
// the start: they are embedded.
func parsePages(a assets) pages {
	base := template.Must(template.New("layout").Funcs(funcs(a)).ParseFS(templates.HTML, "html/layout.html", "html/parts.html"))
	p := pages{}
	for _, name := range []string{"overview", "board", "landing", "knowledge", "task", "login", "setup", "error"} {
		p[name] = template.Must(template.Must(base.Clone()).ParseFS(templates.HTML, "html/"+name+".html"))
	}
	return p
}

// render writes a page only once it is whole.
func (s *site) render(v *visit, status int, page string, data any) error {
	var b bytes.Buffer
	if err := s.pages[page].ExecuteTemplate(&b, "layout", data); err != nil {
		return err
	}
	h := v.w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(b.Len()))
	v.w.WriteHeader(status)
	_, err := v.w.Write(b.Bytes())
	return ignoreGone(err)
}

type errorData struct {
	Frame   frame
	Status  int
	Code    coord.Code
	Heading string
	Message string
	Actor   string
	Next    []string
	Request string // log entry of an internal error
}

// fail answers with the one error page, or with the 401 page when the login
// is missing or over. It does nothing without an error or for a client that
// went away.
func (s *site) fail(v *visit, err error) {
	switch code := coord.CodeOf(err); {
	case err == nil, errors.Is(err, context.Canceled) && v.ctx().Err() != nil:
		return
	case code == coord.CodeUnauthenticated, code == coord.CodeSessionUnknown:
		err = s.refuse(v, false)
	default:
		err = s.failure(v, code.HTTPStatus(), err)
	}
	if err != nil {
		s.Log.Error("the page for a failure failed", "path", v.r.URL.Path, "error", err.Error())
		http.Error(v.w, "The page could not be made. Nothing was changed.", http.StatusInternalServerError)
	}
}

func (s *site) failure(v *visit, status int, err error) error {
	d := errorData{Frame: s.frame(v, "error", headingOf(status)), Status: status, Code: coord.CodeOf(err), Heading: headingOf(status)}
	var e *coord.Error
	if errors.As(err, &e) && e.Code != coord.CodeInternal {
		d.Message, d.Actor, d.Next = e.Message, e.RequiredActor, e.Next
	} else {
		d.Request = rand.Text()
		d.Message = "The server made a mistake. Nothing was changed."
		s.Log.Error("request failed", "request", d.Request, "method", v.r.Method, "path", v.r.URL.Path, "error", err.Error())
	}
	return s.render(v, status, "error", d)
}

func headingOf(status int) string {
	switch {
	case status == http.StatusNotFound:
		return "Not found"
	case status == http.StatusForbidden:
		return "Refused"
	case status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable:
		return "Not now"
	case status >= 500:
		return "Something went wrong"
	}
	return "That did not work"
}
