package lab

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const (
	testToken = "a-token-of-this-test"
	testHost  = "127.0.0.1:4711"
)

// newTestServer returns the handler of a server for an empty folder of runs.
func newTestServer(t *testing.T) http.Handler {
	t.Helper()
	e, err := New(Folders{t.TempDir(), t.TempDir()}, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	hosts := HostsOf(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4711})
	return NewServer(e, testToken, hosts).Handler()
}

// cookie returns the cookie that the printed link sets.
func cookie(t *testing.T, h http.Handler, host string) *http.Cookie {
	t.Helper()
	r := httptest.NewRequest("GET", "/?token="+testToken, nil)
	r.Host = host
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	cookies := w.Result().Cookies()
	if w.Code != http.StatusSeeOther || len(cookies) != 1 {
		t.Fatalf("the link answers %d with the cookies %v", w.Code, cookies)
	}
	if to := w.Header().Get("Location"); to != "/" {
		t.Errorf("the link leads to %q; the token must not stay in the address", to)
	}
	if c := cookies[0]; !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || strings.Contains(c.Value, testToken) {
		t.Errorf("the cookie is %v", c)
	}
	return cookies[0]
}

// A request passes only with the right host, from the same origin, with the cookie: all
// other combinations are refused, whatever the route and the method.
func TestGateRefusesAllOtherRequests(t *testing.T) {
	h := newTestServer(t)
	right := cookie(t, h, testHost)
	routes := []string{
		"/", "/app.js", "/ask/processes", "/ask/floor", "/save/process.svg", "/points", "/do/train", "/do/pause",
		"/events?run=x", "/../etc/passwd", "/theme.css",
	}
	methods := []string{"GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD"}
	hosts := map[string]bool{
		testHost: true, "localhost:4711": true, "127.0.0.1": false, "127.0.0.1:4712": false, "127.0.0.1:4711.": false,
		"localhost.:4711": false, "LOCALHOST:4711": false, "[::1]:4711": false, "evil.example:4711": false, "evil.example": false,
		"127.0.0.1.evil.example:4711": false, "0.0.0.0:4711": false, "2130706433:4711": false, "": false,
		"127.0.0.1:4711@evil.example": false, "127.1:4711": false,
	}
	origins := map[string]bool{
		"": true, "same": true, "null": false, "http://evil.example": false, "https://127.0.0.1:4711": false,
		"http://127.0.0.1:4712": false, "http://127.0.0.1": false, "file://": false,
	}
	sites := map[string]bool{"": true, "same-origin": true, "same-site": false, "cross-site": false, "none": false, "NONE": false}
	cookies := map[string]*http.Cookie{
		"none": nil, "right": right, "wrong": {Name: right.Name, Value: strings.Repeat("0", len(right.Value))},
		"token": {Name: right.Name, Value: testToken}, "other port": {Name: "foretell-1", Value: right.Value},
	}
	passed, refused := 0, 0
	for _, route := range routes {
		for _, method := range methods {
			for host, goodHost := range hosts {
				for origin, goodOrigin := range origins {
					for site, goodSite := range sites {
						for name, c := range cookies {
							r := httptest.NewRequest(method, "http://"+testHost+route, strings.NewReader("{}"))
							r.Host = host
							if origin == "same" {
								r.Header.Set("Origin", "http://"+host)
							} else if origin != "" {
								r.Header.Set("Origin", origin)
							}
							if site != "" {
								r.Header.Set("Sec-Fetch-Site", site)
							}
							if c != nil {
								r.AddCookie(c)
							}
							if name == "right" && goodHost && goodOrigin && goodSite {
								passed++ // what these do is tested elsewhere
								continue
							}
							w := httptest.NewRecorder()
							h.ServeHTTP(w, r)
							refused++
							if w.Code != http.StatusForbidden {
								t.Fatalf("%s %s, Host %q, Origin %q, Sec-Fetch-Site %q, cookie %s: %d, want 403",
									method, route, host, origin, site, name, w.Code)
							}
						}
					}
				}
			}
		}
	}
	if refused < 1000 || passed == 0 {
		t.Errorf("%d requests refused and %d allowed", refused, passed)
	}
}

// A link that is typed or clicked in the terminal opens the pages; the token of another
// server does not.
func TestLinkOpensThePages(t *testing.T) {
	h := newTestServer(t)
	for _, host := range []string{testHost, "localhost:4711"} {
		c := cookie(t, h, host)
		r := httptest.NewRequest("GET", "/", nil)
		r.Host = host
		r.AddCookie(c)
		r.Header.Set("Sec-Fetch-Site", "none")
		r.Header.Set("Sec-Fetch-Mode", "navigate")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "<title>foretell</title>") {
			t.Errorf("%s: the page answers %d", host, w.Code)
		}
		for _, header := range []string{"Content-Security-Policy", "X-Content-Type-Options", "Referrer-Policy", "Cross-Origin-Resource-Policy"} {
			if w.Header().Get(header) == "" {
				t.Errorf("the page has no %s", header)
			}
		}
	}
	for _, token := range []string{"", "wrong", testToken + " ", strings.ToUpper(testToken)} {
		r := httptest.NewRequest("GET", "/?token="+strings.ReplaceAll(token, " ", "+"), nil)
		r.Host = testHost
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != http.StatusForbidden {
			t.Errorf("the token %q answers %d", token, w.Code)
		}
	}
}

// call asks the server as a page does.
func call(t *testing.T, h http.Handler, c *http.Cookie, path, body string) (status int, text string) {
	t.Helper()
	r := httptest.NewRequest("POST", path, strings.NewReader(body))
	r.Host = testHost
	r.Header.Set("Content-Type", "application/json")
	r.AddCookie(c)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	data, _ := io.ReadAll(w.Body)
	return w.Code, string(data)
}

// Requests that name files, lead out of the folder of runs, or ask for too much are
// refused in one line, which contains nothing of a file.
func TestHostileQuestionsAreRefused(t *testing.T) {
	h := newTestServer(t)
	c := cookie(t, h, testHost)
	long := strings.Repeat("0,", 3000)
	for _, one := range []struct{ path, body string }{
		{"/ask/process", `{"process":"recording","params":{"signal":"@/etc/passwd"}}`},
		{"/ask/process", `{"yaml":"name: recording\nparams: {signal: \"@/etc/passwd\"}\n"}`},
		{"/ask/process", `{"yaml":"name: /etc/passwd\n"}`},
		{"/ask/process", `{"process":"/etc/passwd"}`},
		{"/ask/process", `{"process":"../../etc/passwd"}`},
		{"/ask/process", `{"run":"../../etc"}`},
		{"/ask/process", `{"run":"/etc"}`},
		{"/ask/process", `{"run":"."}`},
		{"/ask/predict", `{"model":"/etc/passwd","tokens":"0"}`},
		{"/ask/predict", `{"model":"../x","tokens":"0"}`},
		{"/ask/predict", `{"model":"craft:coin","params":{"n_ctx":"100000000"},"tokens":"0"}`},
		{"/ask/floor", `{"process":"mess3","positions":1000000}`},
		{"/ask/floor", `{"process":"mess3","positions":-1}`},
		{"/ask/beliefs", `{"process":"mess3","tokens":"` + long + `0"}`},
		{"/ask/sample", `{"process":"mess3","number":1000000,"length":1000,"seed":1}`},
		{"/ask/floor", `{"process":"mess3","unknown":1}`},
		{"/ask/floor", `{"process":"mess3"}{}`},
		{"/ask/floor", `[]`},
		{"/ask/floor", ``},
		{"/ask/nothing", `{}`},
		{"/save/process.exe", `{"process":"mess3"}`},
		{"/save/process", `{"process":"mess3"}`},
		{"/points", `{"process":"mess3","most":100000000}`},
		{"/points", `{"model":"../x"}`},
		{"/do/train", `{"yaml":"process: {name: mess3}\nmodel: {d_model: 1000000, n_layers: 1, n_heads: 1, n_ctx: 8}\ntrain: {seed: 1, batch_size: 8, num_steps: 5, lr: 1e-3}\n"}`},
		{"/do/train", `{"yaml":"process: ./mine.yaml\nmodel: {d_model: 8, n_layers: 1, n_heads: 1, n_ctx: 8}\ntrain: {seed: 1, batch_size: 8, num_steps: 5, lr: 1e-3}\n"}`},
		{"/do/train", `{"yaml":"process: {name: mess3}\nmodel: {d_model: 8, n_layers: 1, n_heads: 1, n_ctx: 8}\ntrain: {seed: 1, batch_size: 8, num_steps: 5, lr: 1e-3, init: /etc}\n"}`},
		{"/do/train", `{"yaml":"process: {name: mess3}\nmodel: {d_model: 8, n_layers: 1, n_heads: 1, n_ctx: 8}\ntrain: {seed: 1, batch_size: 8, num_steps: 5, lr: 1e-3}\n","set":[" train.init=/etc"]}`},
		{"/do/train", `{"yaml":"process: {name: mess3}\nmodel: {d_model: 8, n_layers: 1, n_heads: 1, n_ctx: 8}\ntrain: {seed: 1, batch_size: 8, num_steps: 5, lr: 1e-3}\n","set":["train={seed: 1, batch_size: 8, num_steps: 5, lr: 1e-3, init: /etc}"]}`},
		{"/do/train", `{"yaml":"process: {name: mess3}\nmodel: {d_model: 8, n_layers: 1, n_heads: 1, n_ctx: 8}\ntrain: {seed: 1, batch_size: 8, num_steps: 5, lr: 1e-3}\n","set":["process=@/etc/passwd"]}`},
		{"/do/pause", `{"run":"x"}`},
		{"/do/resume", `{"run":"../x"}`},
		{"/do/nothing", `{}`},
	} {
		status, text := call(t, h, c, one.path, one.body)
		if status < 400 || status >= 500 || strings.Count(strings.TrimSpace(text), "\n") > 0 || strings.Contains(text, "root:") {
			t.Errorf("%s %.150s: %d %.300s", one.path, one.body, status, text)
		}
		t.Logf("%s %.80s: %d %.160s", one.path, one.body, status, text)
	}
	if status, _ := call(t, h, c, "/ask/floor", strings.Repeat(" ", mostBody+1)); status != http.StatusRequestEntityTooLarge {
		t.Errorf("a body that is too large: %d", status)
	}
}
