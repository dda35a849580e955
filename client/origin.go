package client

import (
	"net/url"
	"strings"

	"coord"
)

// Origin is the scheme, host and port of a server URL in one spelling
// (RFC 6454): lower case, without a default port. Tokens and sessions are kept
// by it.
func Origin(server string) (string, error) {
	u, err := serverURL(server)
	if err != nil {
		return "", err
	}
	return originOf(u), nil
}

// serverURL checks a base URL. Credentials, queries and fragments in it are
// refused: they would end up in logs.
func serverURL(server string) (*url.URL, error) {
	u, err := url.Parse(server)
	switch {
	case server == "":
		return nil, coord.Errorf(coord.CodeSetup, "no server is configured for this directory").WithNext("coord up", "coord init --server URL")
	case err != nil, u.Host == "", u.Scheme != "http" && u.Scheme != "https":
		return nil, coord.Errorf(coord.CodeSetup, "server %q is not an http or https URL such as https://coord.example.com", server).WithNext("coord doctor")
	case u.User != nil, u.RawQuery != "", u.Fragment != "":
		return nil, coord.Errorf(coord.CodeSetup, "the server URL of host %s must be without user, query and fragment", u.Host).WithNext("coord doctor")
	}
	u.Path = strings.TrimRight(u.Path, "/")
	u.RawPath = ""
	return u, nil
}

func originOf(u *url.URL) string {
	scheme, host := strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	switch {
	case scheme == "http":
		host = strings.TrimSuffix(host, ":80")
	case scheme == "https":
		host = strings.TrimSuffix(host, ":443")
	}
	return scheme + "://" + host
}
