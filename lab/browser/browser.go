// Package browser opens pages in a headless Chromium, for the tests of the laboratory in
// the browser. It is in a separate module, so that the program does not depend on the
// driver.
//
// A test opens a page in a width and a theme. The test fails if anything goes wrong in
// the page: an error on the console, an exception, a violation of the page's
// Content-Security-Policy, or a request to another server. A test that expects such a
// [Fault] takes it with [Page.Faults]. It can also check the page by the rules of
// axe-core ([Page.Audit]), read what a screen reader says ([Page.Tree]) and take a
// picture ([Page.Screenshot]).
//
// The browser reaches only this machine. Requests of workers are not seen. Without
// Chromium the test is skipped by foretell/internal/needs.
package browser

import (
	"context"
	"strings"
	"testing"
	"time"

	"foretell/internal/chromium"
	"foretell/internal/needs"

	"github.com/chromedp/chromedp"
)

// patience is how long a test waits for a browser that hangs.
const patience = 5 * time.Minute

// Browser is a running Chromium.
type Browser struct {
	ctx context.Context
	t   testing.TB
}

// Start starts a browser that ends with the test. It reaches only 127.0.0.1, [::1] and
// localhost. More rules can give them other names, as Chromium's host-resolver-rules has
// them: "MAP a.example 127.0.0.1".
func Start(t testing.TB, rules ...string) *Browser {
	t.Helper()
	program, err := chromium.Find()
	if err != nil {
		program = needs.Program(t, "chromium", "chromium")
	}
	rules = append(rules, "EXCLUDE 127.0.0.1", "EXCLUDE [::1]", "EXCLUDE localhost")
	options := []chromedp.ExecAllocatorOption{chromedp.ExecPath(program)}
	for _, option := range append(chromium.Options(t.TempDir(), rules...), "--disable-dev-shm-usage") {
		options = append(options, flag(option))
	}
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, cancel := chromedp.NewContext(ctx, chromedp.WithErrorf(t.Logf), chromedp.WithLogf(t.Logf))
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("%s does not start: %v", program, err)
	}
	return &Browser{ctx, t}
}

// flag is a command line option such as --name or --name=value.
func flag(option string) chromedp.ExecAllocatorOption {
	name, value, given := strings.Cut(strings.TrimPrefix(option, "--"), "=")
	if !given {
		return chromedp.Flag(name, true)
	}
	return chromedp.Flag(name, value)
}
