package api

import (
	"io"
	"net/http"
)

// Health returns the handler of /livez and /readyz for whoever supervises the
// server. Both are bare: a word and a status, no reason and no version.
func Health(b Backend) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { word(w, http.StatusOK, "live") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if b.Ready(r.Context()) != nil {
			word(w, http.StatusServiceUnavailable, "not ready")
			return
		}
		word(w, http.StatusOK, "ready")
	})
	return mux
}

func word(w http.ResponseWriter, status int, text string) {
	protect(w.Header())
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text+"\n")
}
