package browser

import (
	"context"
	"net/url"
	"os"
	"testing"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// Theme is the theme that a page is asked for (prefers-color-scheme).
type Theme string

// The themes.
const (
	Light Theme = "light"
	Dark  Theme = "dark"
)

// View is how a page is shown.
type View struct {
	Width, Height int // CSS pixels; below 600 wide it is a telephone
	Theme         Theme
}

// Views are the widths and themes in which every page of the laboratory has to work.
var Views = []View{{1280, 800, Light}, {1280, 800, Dark}, {390, 844, Light}, {390, 844, Dark}}

// Page is an open page, with cookies and storage that no other page has.
type Page struct {
	ctx  context.Context
	t    testing.TB
	seen seen
}

// Open opens a page and waits until it is loaded: until its scripts have run, not until
// what they fetch is there. The page closes at the end of the test, which then fails for
// every fault that was not taken by [Page.Faults].
func (b *Browser) Open(t testing.TB, address string, view View) *Page {
	t.Helper()
	server, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	p := &Page{t: t, seen: seen{server: server.Scheme + "://" + server.Host}}
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	t.Cleanup(cancel)
	p.ctx, cancel = chromedp.NewContext(ctx, chromedp.WithNewBrowserContext(), chromedp.WithListener(p.seen.listen))
	t.Cleanup(cancel)
	t.Cleanup(func() {
		for _, fault := range p.Faults() {
			t.Errorf("%s: %s: %s", address, fault.Kind, fault.Text)
		}
	})
	p.Do(shown(view), chromedp.Navigate(address))
	return p
}

// shown sets the size and the theme of a page, and asks for reports of violations.
func shown(view View) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, audits.Enable, cdp.Empty{})
		if err == nil {
			_, err = cdp.Call(ctx, t, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
				Width: int64(view.Width), Height: int64(view.Height), DeviceScaleFactor: 1, Mobile: view.Width < 600,
			})
		}
		if err == nil {
			_, err = cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
				Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: string(view.Theme)}},
			})
		}
		return err
	})
}

// Do does something in the page, as a person would, and fails the test if it cannot:
//
//	p.Do(chromedp.Click(chromedp.CSS("button")), chromedp.WaitVisible(chromedp.CSS("output")))
func (p *Page) Do(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, actions...); err != nil {
		p.t.Fatal(err)
	}
}

// Get does something in the page that has a result, such as
// chromedp.Text(chromedp.CSS("h1")), and fails the test if it cannot.
func Get[T any](p *Page, action chromedp.Action[T]) T {
	p.t.Helper()
	value, err := chromedp.Run(p.ctx, action)
	if err != nil {
		p.t.Fatal(err)
	}
	return value
}

// Eval returns the value of a JavaScript expression in the page, after its promise if it
// is one.
func Eval[T any](p *Page, expression string) T {
	p.t.Helper()
	return Get(p, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// Screenshot writes a PNG of the whole page, with the part below the edge of the window.
func (p *Page) Screenshot(path string) {
	p.t.Helper()
	if err := os.WriteFile(path, Get(p, chromedp.FullScreenshot(100)), 0o666); err != nil {
		p.t.Fatal(err)
	}
}
