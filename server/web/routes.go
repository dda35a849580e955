package web

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"coord"
)

// access says who may use a route.
type access int

const (
	operator access = iota // a person who signed in
	public                 // anybody
)

// action answers one request. What it returns as an error becomes the error
// page, unless it wrote an answer before.
type action func(*site, *visit) error

// route is one row of the table from which the router is built: what is not
// here does not exist.
type route struct {
	method, pattern string
	access          access
	serve           action
}

var routes = []route{
	{http.MethodGet, "/", operator, (*site).overview},
	{http.MethodGet, "/p/{project}", operator, (*site).board},
	{http.MethodGet, "/p/{project}/landing", operator, (*site).landing},
	{http.MethodGet, "/p/{project}/knowledge", operator, (*site).knowledge},
	{http.MethodGet, "/p/{project}/t/{n}", operator, (*site).task},
	{http.MethodGet, "/events", operator, (*site).events},
	{http.MethodPost, "/logout", operator, (*site).logout},
	{http.MethodGet, "/login", public, (*site).loginPage},
	{http.MethodPost, "/login", public, (*site).login},
	{http.MethodGet, "/setup-help", public, (*site).setupHelp},
	{http.MethodGet, "/static/{name}", public, (*site).static},
}

func (s *site) router() http.Handler {
	r := chi.NewRouter()
	r.Use(s.headers)
	for _, rt := range routes {
		h := s.handle(rt.access, rt.serve)
		r.Method(rt.method, rt.pattern, h)
		if rt.method == http.MethodGet && rt.pattern != "/events" {
			r.Method(http.MethodHead, rt.pattern, h)
		}
	}
	r.NotFound(s.handle(operator, (*site).notFound))
	r.MethodNotAllowed(s.handle(operator, (*site).notAllowed))
	return r
}

func (s *site) notFound(v *visit) error {
	return coord.Errorf(coord.CodeNotFound, "There is no page %q.", v.r.URL.Path)
}

// notAllowed answers a known path with another method, as 405 says (RFC 9110,
// section 15.5.6).
func (s *site) notAllowed(v *visit) error {
	allow := ""
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		if chi.RouteContext(v.ctx()).Routes.Match(chi.NewRouteContext(), method, v.r.URL.Path) {
			allow += ", " + method
		}
	}
	if len(allow) > 2 {
		v.w.Header().Set("Allow", allow[2:])
	}
	return s.failure(v, http.StatusMethodNotAllowed, coord.Errorf(coord.CodeBadRequest, "This page does not take %s.", v.r.Method))
}
