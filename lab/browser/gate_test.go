package browser

import (
	"net/url"
	"strings"
	"testing"
)

// A name that its owner points at this machine, as in DNS rebinding, reaches the server
// and is refused, with the token or without.
func TestRebindingIsRefused(t *testing.T) {
	l := startLab(t)
	link, err := url.Parse(l.link)
	if err != nil {
		t.Fatal(err)
	}
	b := Start(t, "MAP rebound.example 127.0.0.1")
	for _, path := range []string{"/" + "?" + link.RawQuery, "/", "/app.js"} {
		p := b.Open(t, "http://rebound.example:"+link.Port()+path, Views[0])
		if text := Eval[string](p, "document.body.innerText"); !strings.Contains(text, "is not this server's") {
			t.Errorf("%s answers %.200q", path, text)
		}
		for _, f := range p.Faults() {
			if !strings.Contains(f.Text, "403") && !strings.Contains(f.Text, "Cross-Origin-Opener-Policy") { // the browser notes that the name has no TLS
				t.Errorf("%+v", f)
			}
		}
	}
}

// A page of another origin cannot read from the laboratory, nor change anything in it.
func TestOtherPagesAreRefused(t *testing.T) {
	l := startLab(t)
	b := Start(t)
	evil := site(t, map[string]string{"/": head + "evil"}, "default-src * 'unsafe-inline'")
	p := b.Open(t, evil+"/", Views[0])
	server := strings.TrimSuffix(l.link[:strings.Index(l.link, "?")], "/")
	for _, script := range []string{
		`fetch("` + server + `/ask/processes", {method: "POST", body: "{}", credentials: "include"}).then(r => r.text(), () => "refused")`,
		`fetch("` + server + `/do/train", {method: "POST", mode: "no-cors", body: "{}", credentials: "include"}).then(r => r.type === "opaque" ? "refused" : r.text(), () => "refused")`,
		`new Promise(done => { const i = new Image(); i.onerror = () => done("refused"); i.onload = () => done("loaded"); i.src = "` + server + `/theme.css" })`,
		`new Promise(done => { const e = new EventSource("` + server + `/events?run=x"); e.onerror = () => done("refused"); e.onopen = () => done("open") })`,
		`new Promise(done => { const s = new WebSocket("` + strings.Replace(server, "http", "ws", 1) + `/events"); s.onerror = () => done("refused"); s.onopen = () => done("open") })`,
	} {
		if got := Eval[string](p, script); got != "refused" {
			t.Errorf("%s: %.200q", script, got)
		}
	}
	p.Faults() // the refusals
	if runs := l.foretell(t, "runs", "list", "runs", "--json"); strings.TrimSpace(runs) != "[]" {
		t.Errorf("the other page has made runs: %s", runs)
	}
}
