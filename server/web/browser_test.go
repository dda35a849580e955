package web

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"coord"
)

// browser is one tab of a real Chromium, with what it said and asked for.
type browser struct {
	t   *testing.T
	ctx context.Context
	url string

	mu       sync.Mutex
	console  []string
	requests []string
}

func openBrowser(t *testing.T, url string) *browser {
	t.Helper()
	bin := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			bin = path
			break
		}
	}
	if bin == "" {
		t.Skip("no Chromium found: the pages were not tried in a real browser")
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(bin), chromedp.NoSandbox, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-gpu", true), chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	alloc, stop := chromedp.NewExecAllocator(context.Background(), opts...)
	t.Cleanup(stop)
	ctx, cancel := chromedp.NewContext(alloc)
	t.Cleanup(cancel)
	b := &browser{t: t, ctx: ctx, url: url}
	if err := chromedp.Listen(ctx, b.note); err != nil {
		t.Fatal(err)
	}
	return b
}

// note keeps what the page says and requests.
func (b *browser) note(ev any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := ev.(type) {
	case *log.EventEntryAdded:
		b.console = append(b.console, fmt.Sprintf("%s: %s %s", e.Entry.Level, e.Entry.Text, e.Entry.URL))
	case *runtime.EventExceptionThrown:
		b.console = append(b.console, "exception: "+e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		b.console = append(b.console, "console."+string(e.Type))
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	}
}

// taken returns and forgets what was noted.
func (b *browser) taken() (console, requests []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	console, requests = b.console, b.requests
	b.console, b.requests = nil, nil
	return console, requests
}

func (b *browser) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 30*time.Second)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// wait waits until a JavaScript expression holds.
func (b *browser) wait(expression string) {
	b.t.Helper()
	b.do(chromedp.Poll[chromedp.Void](expression))
}

func get[T any](b *browser, a chromedp.Action[T]) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, a)
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

func (b *browser) open(path string) { b.t.Helper(); b.do(chromedp.Navigate(b.url + path)) }

func (b *browser) signIn() {
	b.t.Helper()
	b.do(
		chromedp.SendKeys(chromedp.CSS("input[name=name]"), "warden"),
		chromedp.SendKeys(chromedp.CSS("input[name=password]"), password+"\r"),
		chromedp.WaitVisible(chromedp.CSS(".who")),
	)
}

func (b *browser) look(width, height int64, scheme string) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(width, height), chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		return err
	}))
}

func (b *browser) shoot(name string) {
	b.t.Helper()
	path := filepath.Join(b.t.ArtifactDir(), name+".png")
	if err := os.WriteFile(path, get(b, chromedp.FullScreenshot(100)), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

func TestBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser is slow")
	}
	f := newFake()
	f.now = time.Now().UTC().Truncate(time.Second) // the browser has the real clock
	f.log, f.over = nil, coord.Overview{}
	f.fill()
	o := optionsOf(t, f)
	o.Secure = false // plain HTTP on loopback, as coord up serves it
	srv := httptest.NewServer(New(o))
	b := openBrowser(t, srv.URL)
	t.Cleanup(srv.CloseClientConnections)

	b.look(1280, 900, "light")
	b.open("/p/pay")
	b.shoot("refused-1280-light")
	b.signIn()
	if at := get(b, chromedp.Location()); at != srv.URL+"/p/pay" {
		t.Errorf("the login went on to %s, not to the page that was asked for", at)
	}
	t.Run("pages", func(t *testing.T) { b.t = t; tryPages(b) })
	b.t = t
	t.Run("live", func(t *testing.T) { b.t = t; tryLive(b, f) })
	b.t = t
	t.Run("link from elsewhere", func(t *testing.T) { b.t = t; tryLink(b) })
}

// tryPages opens every page in every look.
func tryPages(b *browser) {
	paths := map[string]string{
		"overview": "/", "board": "/p/pay", "board-empty": "/p/web", "board-filtered": "/p/pay?status=in_progress&q=refund", "landing": "/p/pay/landing",
		"task": "/p/pay/t/1", "task-history": "/p/pay/t/1?section=history", "setup": "/setup-help", "knowledge": "/p/pay/knowledge", "lesson": "/p/pay/knowledge?lesson=L2",
	}
	for name, path := range paths {
		b.look(1280, 900, "light")
		b.taken()
		b.open(path)
		if name != "setup" {
			b.wait(`document.getElementById('live').dataset.state === 'live'`)
		}
		console, requests := b.taken()
		if len(console) > 0 {
			b.t.Errorf("%s: the console says %v", path, console)
		}
		if len(requests) > 5 {
			b.t.Errorf("%s makes %d requests: %v", path, len(requests), requests)
		}
		b.shoot(name + "-1280-light")
		b.look(1280, 900, "dark")
		b.shoot(name + "-1280-dark")
		for _, scheme := range []string{"light", "dark"} {
			b.look(360, 740, scheme)
			if wide := get(b, chromedp.Evaluate[int](`document.documentElement.scrollWidth`)); wide > 360 {
				b.t.Errorf("%s is %d px wide on a screen of 360", path, wide)
			}
			b.shoot(name + "-360-" + scheme)
		}
	}
	b.look(1280, 900, "light")
	b.open("/p/nope")
	b.shoot("error-1280-light")
}

// tryLive changes the record while the board is open: the page follows, and
// keeps what the reader has in hand.
func tryLive(b *browser, f *fake) {
	b.open("/p/pay")
	b.wait(`document.getElementById('live').dataset.state === 'live'`)
	b.do(chromedp.SendKeys(chromedp.CSS("input[name=q]"), "half typed"), chromedp.Evaluate[chromedp.Void](`scrollTo(0, 120); window.before = document.getElementById('main')`))
	b.taken()
	f.change(func() {
		for i, c := range f.boards["pay"].Columns {
			if c.Status == coord.StatusReady {
				c.Tasks[0].Title = "Renamed while you look"
				f.boards["pay"].Columns[i] = c
			}
		}
	})
	f.emit("pay", "pay-7", coord.EventTaskUpdated, "renamed")
	b.wait(`document.body.textContent.includes('Renamed while you look')`)
	state := get(b, chromedp.Evaluate[map[string]any](`({
		swapped: window.before !== document.getElementById('main'),
		typed: document.querySelector('input[name=q]').value,
		focus: document.activeElement.name,
		scroll: scrollY,
		fresh: [...document.querySelectorAll('.fresh')].map(e => e.dataset.key).join(),
		live: document.getElementById('live').textContent.trim(),
	})`))
	want := map[string]any{"swapped": true, "typed": "half typed", "focus": "q", "scroll": 120.0, "fresh": "pay-7"}
	for k, v := range want {
		if state[k] != v {
			b.t.Errorf("after the live update %s is %v, want %v", k, state[k], v)
		}
	}
	if text := fmt.Sprint(state["live"]); !strings.HasPrefix(text, "live · last heard ") {
		b.t.Errorf("the page says %q", text)
	}
	f.emit("web", "", coord.EventTaskCreated, "not this project")
	if console, _ := b.taken(); len(console) > 0 {
		b.t.Errorf("the console says %v", console)
	}
	b.do(chromedp.Evaluate[chromedp.Void](`document.querySelector('input[name=q]').value = ''`))
	b.shoot("live-1280-light")
}

// tryLink follows a link from another site, with which the strict cookie does
// not travel: the page opens all the same.
func tryLink(b *browser) {
	b.do(chromedp.Navigate(strings.Replace(b.url, "127.0.0.1", "localhost", 1) + "/setup-help"))
	b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`const a = document.createElement('a'); a.href = %q; document.body.append(a); a.click()`, b.url+"/p/pay/t/1")))
	b.do(chromedp.WaitVisible(chromedp.CSS("body[data-page=task] h1")))
}
