package browser

import "testing"

// mostTransferred is the largest number of bytes that the first page may transfer.
const mostTransferred = 150_000

// The first page transfers few bytes, its files compressed. When it is painted is printed
// and not judged, because it depends on the machine.
func TestFirstPage(t *testing.T) {
	b, l := Start(t), startLab(t)
	for range 3 {
		p := b.Open(t, l.link, Views[0])
		waitFor(p, `performance.getEntriesByName("first-contentful-paint").length && document.querySelector("select option:nth-child(2)")`)
		got := Eval[struct {
			Paint, Script float64
			Bytes, Whole  int
		}](p, `(() => {
			const all = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
			const sum = field => all.reduce((sum, one) => sum + one[field], 0)
			return {Paint: performance.getEntriesByName("first-contentful-paint")[0].startTime,
				Script: all.find(one => one.name.endsWith("/app.js")).encodedBodySize,
				Bytes: sum("transferSize"), Whole: sum("decodedBodySize")}
		})()`)
		t.Logf("first paint after %.0f ms; %d bytes transferred of %d", got.Paint, got.Bytes, got.Whole)
		if got.Bytes > mostTransferred || got.Bytes == 0 || got.Bytes > got.Whole/2 {
			t.Errorf("the first page transfers %d bytes, app.js %.0f", got.Bytes, got.Script)
		}
	}
}
