package browser

import (
	"bytes"
	"cmp"
	"fmt"
	"image/png"
	"mime"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"foretell/internal/vendored"

	"github.com/chromedp/chromedp"
)

// policy is what the documentation of lab/web promises that the pages work with.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types 'none'"

// serve serves files under a policy.
func serve(t *testing.T, files http.Handler, policy string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// site serves files from a table of paths. A file "location ADDRESS" redirects.
func site(t *testing.T, files map[string]string, policy string) string {
	t.Helper()
	return serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, ok := files[r.URL.EscapedPath()]
		if !ok {
			http.NotFound(w, r)
			return
		}
		if location, ok := strings.CutPrefix(text, "location "); ok {
			http.Redirect(w, r, location, http.StatusFound)
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		kind := mime.TypeByExtension(path.Ext(r.URL.Path))
		w.Header().Set("Content-Type", cmp.Or(kind, "text/html; charset=utf-8"))
		fmt.Fprint(w, text)
	}), policy)
}

// head begins a page without faults.
const head = `<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>page</title><link rel="icon" href="data:,">` +
	`<meta name="viewport" content="width=device-width">`

// Every page works under the server's policy, in every view: it has a heading, asks
// nothing of another server, and has no serious fault of accessibility.
func TestFrontEnd(t *testing.T) {
	b, l := Start(t), trained(t)
	server := strings.TrimSuffix(l.link[:strings.Index(l.link, "?")], "/")
	for _, name := range []string{"train", "process", "inside", "walk", "runs", "papers", "reproduce", "lessons"} {
		for _, view := range Views {
			t.Run(fmt.Sprintf("%s %d %s", name, view.Width, view.Theme), func(t *testing.T) {
				p := b.Open(t, l.at("page", name), view)
				waitFor(p, `document.querySelector("h1")`)
				if got := Eval[bool](p, `matchMedia("(prefers-color-scheme: `+string(view.Theme)+`)").matches`); !got {
					t.Errorf("the theme is not %s", view.Theme)
				}
				audited(t, p, view, name)
				want := `    heading "` + strings.ToUpper(name[:1]) + name[1:] + `" level=1`
				if tree := strings.Join(p.Tree(), "\n"); !strings.Contains(tree, strings.TrimSpace(want)) {
					t.Errorf("no %s in\n%s", want, tree)
				}
				for _, address := range p.Requests() {
					if !strings.HasPrefix(address, server+"/") {
						t.Errorf("the page requests %s", address)
					}
				}
				checkPicture(t, p, view)
			})
		}
	}
}

// checkPicture takes a picture of a page, and compares its size with the view.
func checkPicture(t *testing.T, p *Page, view View) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "page.png")
	p.Screenshot(name)
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil || picture.Width != view.Width || picture.Height < view.Height {
		t.Errorf("the picture is %d×%d, %v, want %d×%d", picture.Width, picture.Height, err, view.Width, view.Height)
	}
}

// open opens a page with one script, which may leave a promise in done; the page has what
// the script did when open returns.
func open(t *testing.T, b *Browser, server, path string) *Page {
	t.Helper()
	p := b.Open(t, server+path, Views[0])
	Eval[*bool](p, "Promise.resolve(window.done).then(() => true)")
	return p
}

// wants compares faults of a page with those that a test wants: of the same kinds in that
// order, with texts that contain those wanted. The console repeats violations of the
// policy.
func wants(t *testing.T, got, want []Fault) {
	t.Helper()
	violated := slices.ContainsFunc(want, func(f Fault) bool { return f.Kind == Policy })
	got = slices.DeleteFunc(got, func(f Fault) bool { return violated && f.Kind == Console })
	if !slices.EqualFunc(got, want, func(a, b Fault) bool { return a.Kind == b.Kind && strings.Contains(a.Text, b.Text) }) {
		t.Errorf("%q, want %q", got, want)
	}
}

// What goes wrong in a page is reported once, and a page without faults has none.
func TestFaults(t *testing.T) {
	b := Start(t)
	const other = "http://127.0.0.1:1"
	cases := map[string][]Fault{
		"":                                             nil,
		"console.log('a'); console.warn('a')":          nil,
		"document.body.style.color = 'red'":            nil,
		"console.error('a', 1, {b: 2}, '%d')":          {{Console, "a 1 Object %d"}},
		"console.assert(false, 'a')":                   {{Console, "a"}},
		"throw new TypeError('a')":                     {{Exception, "TypeError: a"}},
		"Promise.reject(new Error('a'))":               {{Exception, "Error: a"}},
		"Promise.reject(3)":                            {{Exception, "(in promise) 3"}},
		"done = fetch('missing')":                      {{Console, "404 (Not Found) http"}},
		"document.body.innerHTML = 'a'":                {{Policy, "require-trusted-types-for: "}, {Exception, "TrustedHTML"}},
		"trustedTypes.createPolicy('a', {})":           {{Policy, "trusted-types: "}, {Exception, "Policy"}},
		"setTimeout('a()')":                            {{Policy, "require-trusted-types-for: "}, {Exception, "TrustedScript"}},
		"document.body.setAttribute('style','')":       {{Policy, "style-src-attr: "}},
		"done = fetch('" + other + "').catch(() => 0)": {{Policy, "connect-src: kURLViolation " + other}},
		"done = new Promise(r => new EventSource('/missing').onerror = r)": {{Console, "404"}},
	}
	files := map[string]string{}
	for script := range cases {
		files["/"+url.PathEscape(script)+"/a.js"] = script
		files["/"+url.PathEscape(script)+"/"] = head + `<body><script src="a.js"></script>`
	}
	server := site(t, files, policy)
	for script, want := range cases {
		p := open(t, b, server, "/"+url.PathEscape(script)+"/")
		t.Log(script)
		wants(t, p.Faults(), want)
		wants(t, p.Faults(), nil)
	}
}

// A request to another server is a fault, by whatever way, also if that server is on this
// machine and the policy allows it.
func TestRequests(t *testing.T) {
	b := Start(t)
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer other.Close()
	socket := "ws" + strings.TrimPrefix(other.URL, "http") + "/a"
	files := map[string]string{}
	server := site(t, files, "")
	for script, want := range map[string][]Fault{
		"done = fetch('a.js'); fetch('data:,'); fetch(URL.createObjectURL(new Blob([])))": nil,
		"done = fetch('" + other.URL + "/a', {mode: 'no-cors'})":                          {{Request, other.URL + "/a"}},
		"done = fetch('redirect', {mode: 'no-cors'})":                                     {{Request, other.URL + "/b"}},
		"done = new Promise(r => new WebSocket('" + socket + "').onerror = r)":            {{Request, "http" + socket[2:]}, {Console, "WebSocket"}},
	} {
		files["/"], files["/a.js"] = head+`<body><script src="a.js"></script>`, script
		files["/redirect"] = "location " + other.URL + "/b"
		p := open(t, b, server, "/")
		t.Log(script)
		if got := p.Requests(); !slices.Contains(got, server+"/a.js") || slices.Contains(got, "data:,") {
			t.Errorf("requests %q", got)
		}
		wants(t, p.Faults(), want)
	}
}

// The browser reaches this machine alone: neither names nor numbers elsewhere. A rule can
// give this machine another name.
func TestOnlyThisMachine(t *testing.T) {
	files := map[string]string{"/": head + `<body><script src="a.js"></script>`}
	server := site(t, files, "")
	_, port, _ := strings.Cut(strings.TrimPrefix(server, "http://"), ":")
	for _, other := range []string{"http://a.example:" + port + "/", "http://192.0.2.1/"} {
		files["/a.js"] = "done = fetch('" + other + "', {mode: 'no-cors'}).catch(() => 0)"
		p := open(t, Start(t), server, "/")
		wants(t, p.Faults(), []Fault{{Request, other}, {Console, "ERR_NAME_NOT_RESOLVED"}})
	}
	files["/a.js"] = ""
	p := open(t, Start(t, "MAP a.example 127.0.0.1"), "http://a.example:"+port, "/")
	if got := Get(p, chromedp.Title()); got != "page" {
		t.Errorf("the title is %q", got)
	}
}

// What is not accessible is found by axe-core, which the page does not see and its policy
// does not stop.
func TestAudit(t *testing.T) {
	server := site(t, map[string]string{
		"/":      head + `<link rel="stylesheet" href="a.css"><main><h1>page</h1><img src="data:,"><p>hardly visible</p></main>`,
		"/a.css": "p { color: #ccc; background: #fff }",
	}, policy)
	p := Start(t).Open(t, server+"/", Views[0])
	var got []string
	for _, v := range p.Audit() {
		got = append(got, fmt.Sprintf("%s %s %s", v.Rule, v.Impact, strings.Fields(v.Elements[0])[0]))
	}
	slices.Sort(got)
	if want := []string{"color-contrast serious p:", "image-alt critical img:"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if Eval[string](p, "typeof axe") != "undefined" {
		t.Error("the page sees axe-core")
	}
}

// The tree has what a screen reader says, and nothing else.
func TestTree(t *testing.T) {
	const want = `RootWebArea "page"
  main
    heading "one two" level=1
    paragraph
      StaticText "a"
      strong
        StaticText "b"
    slider "rate" value=3 valuemin=0 valuemax=9
    checkbox "on" checked=true
    button "go" description="starts it" disabled=true
    status live=polite`
	server := site(t, map[string]string{"/": head + `<main><div><h1>one <span>two</span></h1></div><p>a <strong>b</strong></p>
		<input type="range" aria-label="rate" min="0" max="9" value="3"><input type="checkbox" aria-label="on" checked>
		<button disabled title="starts it">go</button><div hidden>hidden</div><div role="status"></div></main>`}, policy)
	p := Start(t).Open(t, server+"/", Views[0])
	if got := strings.Join(p.Tree(), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// axe-core is the file of its project.
func TestAxeIsUnmodified(t *testing.T) {
	if err := vendored.Check(os.DirFS("testdata/axe")); err != nil {
		t.Error(err)
	}
}
