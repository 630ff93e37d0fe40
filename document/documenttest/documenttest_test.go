package documenttest

import "testing"

// What loads is found by its address, its element or its attribute, and nothing is found
// in namespaces, titles and texts.
func TestLoading(t *testing.T) {
	for page, want := range map[string]bool{
		`<script defer src="a.js">`:                      true,
		"<video\nsrc=a.mp4>":                             true,
		`<a title="a > b" src='c'>`:                      true,
		`<link href="a.css">`:                            true,
		`<style>p { background: url(a.png) }</style>`:    true,
		`<style>@import "a.css"</style>`:                 true,
		`<p>http://example.org</p>`:                      true,
		`<svg xmlns="http://www.w3.org/2000/svg"></svg>`: false,
		`<p title="an img src=a.png">src=a.png</p>`:      false,
	} {
		if got := loading([]byte(page)); (got != nil) != want {
			t.Errorf("%s: %q", page, got)
		}
	}
}
