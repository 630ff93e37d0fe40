package browser_test

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"foretell/lab/browser"
	"foretell/lab/web"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func Example() {
	_ = func(t *testing.T) { // TestSlider
		server := httptest.NewServer(http.FileServerFS(web.Files))
		defer server.Close()
		b := browser.Start(t)
		for _, view := range browser.Views {
			p := b.Open(t, server.URL, view)
			p.Do(chromedp.SendKeys(chromedp.CSS("input"), kb.ArrowRight), chromedp.WaitVisible(chromedp.CSS("output")))
			if found := p.Audit(); len(found) > 0 {
				t.Errorf("%+v", found)
			}
			p.Screenshot(filepath.Join(t.TempDir(), "slider.png"))
		}
	}
}
