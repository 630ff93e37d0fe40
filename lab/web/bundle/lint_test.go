package main

import (
	"strings"
	"testing"
	"testing/fstest"
)

var refusedLines = map[string][]string{
	"x.js": {
		"a.innerHTML = b", "a.outerHTML = b", `a["innerHTML"] = b`, "a.insertAdjacentHTML('beforeend', b)",
		"document.write(a)", "document . writeln(a)", "eval(a)", "eval (a)", "new Function(a)", "Function('return 1')",
		"setTimeout('a()', 1)", "setInterval( `a()`, 1)", "a.href = 'javascript:b()'", "range.createContextualFragment(a)",
		"new DOMParser().parseFromString(a, b)", "a.setHTMLUnsafe(b)", "frame.srcdoc = a",
		"html`<p dangerouslySetInnerHTML=${{ __html: a }} />`",
		"html`<p style=\"color: red\">`", "html`<p style='color: red'>`", "html`<p style=${`left: ${x}px`}>`", "html`<p STYLE = \"\">`",
		`a.setAttribute("style", b)`, "a.style.cssText = b",
	},
	"x.html": {
		"<style>", "<script>a()</script>", "<script type=\"module\">\na()</script>", `<p onclick="a()">`, `<p style="color: red">`,
		`<a href="javascript:a()">`, `<base href="/">`,
	},
	"x.css": {"a { background: url(https://a/b.png) }", `a { background: url("//a/b.png") }`, `@import "http://a/b.css";`},
}

var allowedLines = map[string][]string{
	"x.js": {
		"a.textContent = b", "html`<p style=${{ left: `${x}px` }} class=\"a\">`", "a.style.setProperty('left', b)", "setTimeout(() => a(), 1)",
		"function evaluate(a) {}", "evaluate(a)", `new Intl.NumberFormat("en", { style: "percent" })`, "isFunction(a)", "html`<svg xmlns=\"http://www.w3.org/2000/svg\">`",
	},
	"x.html": {`<script type="module" src="app.js"></script>`, `<link rel="stylesheet" href="app.css">`, `<p class="on">`},
	"x.css":  {"a { background: url(./b.png) }", "/* http://a */", "a { color: red }"},
}

// Each line of the tables is refused once or not at all.
func TestLint(t *testing.T) {
	for name, lines := range refusedLines {
		for _, line := range lines {
			err := lint(fstest.MapFS{"src/deep/" + name: {Data: []byte("\n" + line + "\n")}}, "src")
			if err == nil || !strings.HasPrefix(err.Error(), "src/deep/"+name+":2:") || !strings.Contains(err.Error(), "is refused; want ") ||
				strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: %q: %v", name, line, err)
			}
		}
	}
	for name, lines := range allowedLines {
		for _, line := range lines {
			if err := lint(fstest.MapFS{"src/" + name: {Data: []byte(line)}}, "src"); err != nil {
				t.Errorf("%s: %q: %v", name, line, err)
			}
		}
	}
}

// All faults of all files are listed, and a file of another type is refused.
func TestLintListsAll(t *testing.T) {
	const want = `src/a.js:1:1: "eval(" is refused; want a function
src/b.js:2:3: "srcdoc" is refused; want htm's html` + "`…`" + `
src/c.ts: want a file .js, .css or .html`
	err := lint(fstest.MapFS{
		"src/a.js": {Data: []byte("eval(a)")}, "src/b.js": {Data: []byte("\na.srcdoc")}, "src/c.ts": {},
	}, "src")
	if err == nil || err.Error() != want {
		t.Errorf("%v, want\n%s", err, want)
	}
}
