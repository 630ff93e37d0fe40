package lab

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http/httptest"
	"testing"
)

// The files of the pages are the same for a client that takes compressed answers and for
// one that does not, with the same type.
func TestFilesAreCompressed(t *testing.T) {
	h := newTestServer(t)
	c := cookie(t, h, testHost)
	get := func(path, accept string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("GET", path, nil)
		r.Host = testHost
		r.AddCookie(c)
		r.Header.Set("Accept-Encoding", accept)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	for _, path := range []string{"/", "/app.js", "/app.css", "/LICENSES.txt"} {
		plain := get(path, "")
		want := plain.Body.Bytes()
		for accept, zipped := range map[string]bool{
			"gzip": true, "br, gzip;q=0.5": true, "deflate, gzip": true, "gzip;q=0": false, "gzip;q=0.000": false, "br": false, "xgzip": false,
		} {
			w := get(path, accept)
			got := w.Body.Bytes()
			if encoding := w.Header().Get("Content-Encoding"); (encoding == "gzip") != zipped {
				t.Errorf("%s, %q: the encoding is %q", path, accept, encoding)
			}
			if zipped {
				r, err := gzip.NewReader(bytes.NewReader(got))
				if err == nil {
					got, err = io.ReadAll(r)
				}
				if err != nil {
					t.Errorf("%s: %v", path, err)
				}
			}
			if !bytes.Equal(got, want) || len(got) == 0 {
				t.Errorf("%s, %q: %d bytes, want %d", path, accept, len(got), len(want))
			}
			if a, b := w.Header().Get("Content-Type"), plain.Header().Get("Content-Type"); a != b {
				t.Errorf("%s, %q: the type is %q, and %q without compression", path, accept, a, b)
			}
		}
	}
	if w := get("/nothing.js", "gzip"); w.Code != 404 {
		t.Errorf("a file that is not there answers %d", w.Code)
	}
}
