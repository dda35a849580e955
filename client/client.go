// Package client is coord.Service over HTTP, with the local state that makes
// an interrupted request harmless: credentials bound to their server, a
// session with its secret proof, and a journal of what was sent and not yet
// answered.
//
// A Client sends a mutation only after it is on disk. If the answer is lost,
// the same call again (in this process or a later one of the same session)
// sends the same idempotency key, so it has exactly one effect and returns its
// first outcome.
package client

import (
	"crypto/rand"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"coord"
)

// Options configure a Client. Server is the base URL without /api/v1. Session
// may be nil for calls that need none. With a Journal a command's Key may be
// empty: then the client makes one. Without, the caller makes the keys, and a
// lost answer is survived by calling again with the same one.
type Options struct {
	Server  string
	Token   string // sent to Server's origin only; redirects are never followed
	Session *Session
	Journal *Journal
	HTTP    *http.Client // its transport and jar-less settings are used; nil means a default
	Version string       // of this client, for the server's log

	// Timeout bounds one request, 30 s when 0. WaitEvents adds its wait.
	Timeout time.Duration
	// OnSettled is told about an earlier interrupted request that was settled
	// on the way to another one. It runs while the session's lock is held.
	OnSettled func(Outcome)

	Now    func() time.Time // nil means the machine's clock
	Random io.Reader        // nil means crypto/rand
}

// Client implements coord.Service for the credential it carries. It is safe
// for concurrent use.
type Client struct {
	base    *url.URL
	invalid error // why Server cannot be used; every call returns it
	opts    Options
	http    *http.Client

	opening       sync.Mutex
	epoch         atomic.Int64 // of the latest answer; 0 before one
	serverVersion atomic.Value // string
}

var _ coord.Service = (*Client)(nil)

// New makes a Client and touches neither disk nor network. An unusable server
// URL is reported by every call.
func New(o Options) *Client {
	if o.Now == nil {
		o.Now = wallClock
	}
	if o.Random == nil {
		o.Random = rand.Reader
	}
	if o.Timeout <= 0 {
		o.Timeout = 30 * time.Second
	}
	c := &Client{opts: o}
	c.base, c.invalid = serverURL(o.Server)
	c.http = withoutRedirects(o.HTTP, c.base)
	return c
}

// ownTransport has the settings of http.DefaultTransport. Without TLS there is
// no HTTP/2 to agree on, and a command that makes one request need not prepare
// for it, as even a copy of the default one would.
func ownTransport(server *url.URL) *http.Transport {
	dialer := net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}
	t := &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, MaxIdleConns: 100, IdleConnTimeout: 90 * time.Second,
		TLSHandshakeTimeout: 10 * time.Second, ExpectContinueTimeout: time.Second, Protocols: new(http.Protocols),
	}
	t.Protocols.SetHTTP1(true)
	t.Protocols.SetHTTP2(server != nil && server.Scheme == "https")
	return t
}

// withoutRedirects copies h so that a redirect is an answer like any other:
// the token must not travel to wherever it points.
func withoutRedirects(h *http.Client, server *url.URL) *http.Client {
	own := http.Client{}
	if h != nil {
		own = *h
	} else {
		own.Transport = ownTransport(server)
	}
	own.Jar = nil
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &own
}

// ServerVersion is the version that the server stated in its latest answer,
// or "" before one.
func (c *Client) ServerVersion() string {
	v, _ := c.serverVersion.Load().(string)
	return v
}

// Close drops idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }
