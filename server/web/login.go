package web

import (
	"net/http"
	"regexp"
	"strings"
	"sync"

	"coord"
)

type loginData struct {
	Frame  frame
	Failed bool
}

// loginPage is for those who come by its address; a signed-in person goes on
// to the overview.
func (s *site) loginPage(v *visit) error {
	if _, err := s.signedIn(v.r); err == nil {
		http.Redirect(v.w, v.r, "/", http.StatusSeeOther)
		return nil
	}
	return s.render(v, http.StatusOK, "login", loginData{Frame: s.frame(v, "login", "Sign in")})
}

// refuse is the one answer to whoever is not signed in. Its bytes depend on
// nothing in the request.
func (s *site) refuse(v *visit, failed bool) error {
	v.caller = coord.Caller{}
	v.w.Header().Set("WWW-Authenticate", `Cookie realm="coord"`)
	return s.render(v, http.StatusUnauthorized, "login", loginData{Frame: s.frame(v, "refused", "Sign in"), Failed: failed})
}

// login opens a session. A wrong password, an unknown name and a try during
// a delay, right or wrong, get one answer.
func (s *site) login(v *visit) error {
	if err := v.r.ParseForm(); err != nil {
		return coord.Errorf(coord.CodeBadRequest, "The form could not be read.")
	}
	name, password := strings.TrimSpace(v.r.PostForm.Get("name")), v.r.PostForm.Get("password")
	if name == "" || len(name) > 80 || password == "" || len(password) > 1024 || !s.Throttle.Try(name) {
		return s.refuse(v, true)
	}
	caller, err := s.Backend.CheckPassword(v.ctx(), name, password)
	if coord.CodeOf(err) == coord.CodeUnauthenticated || err == nil && caller.Role != coord.RoleOperator {
		return s.refuse(v, true)
	}
	if err != nil {
		return err
	}
	s.Throttle.Success(name)
	return s.open(v, caller)
}

// open starts a new session and ends the one that the browser had.
func (s *site) open(v *visit, caller coord.Caller) error {
	if old := sessionToken(v.r); old != "" {
		if err := s.Backend.CloseWebSession(v.ctx(), old); err != nil {
			return err
		}
	}
	token, err := s.Backend.OpenWebSession(v.ctx(), caller)
	if err != nil {
		return err
	}
	setCookie(v.w, token, 0)
	http.Redirect(v.w, v.r, localPath(v.r.PostForm.Get("next")), http.StatusSeeOther)
	return nil
}

func (s *site) logout(v *visit) error {
	if err := s.Backend.CloseWebSession(v.ctx(), sessionToken(v.r)); err != nil {
		return err
	}
	setCookie(v.w, "", -1)
	http.Redirect(v.w, v.r, "/login", http.StatusSeeOther)
	return nil
}

// setCookie writes the login cookie; the store ends the session, so it has no
// age of its own. A negative age deletes it.
func setCookie(w http.ResponseWriter, token string, age int) {
	http.SetCookie(w, &http.Cookie{
		Name: cookieName, Value: token, Path: "/", MaxAge: age,
		Secure: true, HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
}

// ownPath is compiled at the first login, not in every run of the binary.
var ownPath = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^/(p/[a-z0-9]+(/landing|/t/[0-9]+)?)?(\?[A-Za-z0-9=&%+._~-]*)?$`)
})

// localPath is where a login goes on to: a page of this dashboard or the
// overview, never another site.
func localPath(next string) string {
	if len(next) > 500 || !ownPath().MatchString(next) {
		return "/"
	}
	return next
}

type setupData struct {
	Frame     frame
	PublicURL string
}

// setupHelp says how a person configures access, and nothing of what exists.
func (s *site) setupHelp(v *visit) error {
	return s.render(v, http.StatusOK, "setup", setupData{s.frame(v, "setup", "How access is set up"), s.PublicURL})
}
