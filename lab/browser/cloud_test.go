package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"foretell/internal/golden"
)

// module opens a page in which the names that a module of the front end exports are
// global.
func module(t *testing.T, b *Browser, name string) *Page {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("..", "web", "src", name))
	if err != nil {
		t.Fatal(err)
	}
	server := site(t, map[string]string{
		"/":        head + `<body><script type="module" src="a.js"></script>`,
		"/a.js":    "import * as all from './" + name + "'\nObject.assign(globalThis, all, {ready: true})",
		"/" + name: string(source),
	}, policy)
	p := b.Open(t, server+"/", Views[0])
	waitFor(p, "ready")
	return p
}

// cloudOf is JavaScript that makes a cloud of n points in a triangle, some of them
// outside of the canvas or nowhere. The colour of a point is its number.
const cloudOf = `const cloudOf = (n, vertices) => {
	let seed = 1
	const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647
	const at = new Float32Array(2 * n), colours = new Uint8Array(3 * n)
	for (let i = 0; i < n; i++) {
		at[2 * i] = random() * 1.2 - 0.1
		at[2 * i + 1] = i % 97 === 5 ? (vertices ? NaN : 0) : random() * 1.1 - 0.1
		colours.set([i & 255, i >> 8 & 255, i >> 16], 3 * i)
	}
	return {points: n, vertices, layers: [{at}], colours}
};`

// Under the cursor is the point that is drawn there, or one that is nearer: whatever the
// size of points, and also if points are outside of the canvas.
func TestNearestIsDrawn(t *testing.T) {
	p := module(t, Start(t), "points.js")
	for _, c := range []struct{ points, width int }{{20, 300}, {1000, 301}, {10000, 640}, {100000, 320}} {
		for _, vertices := range []string{`["a", "b", "c"]`, "undefined"} {
			got := Eval[struct {
				Lit, Wrong int
				First      string
			}](p, fmt.Sprintf(`(() => {
			%s
			const cloud = cloudOf(%d, %s), layer = cloud.layers[0], width = %d
			const canvas = document.createElement("canvas")
			canvas.width = canvas.height = width
			const places = placed(cloud, layer, width)
			draw(canvas, cloud, places)
			const data = canvas.getContext("2d").getImageData(0, 0, width, width).data
			const {scale, x, y} = frame(cloud, layer, width)
			const far = (i, px, py) => Math.hypot(x + scale * layer.at[2 * i] - px, y - scale * layer.at[2 * i + 1] - py)
			let lit = 0, wrong = 0, first = ""
			for (let row = 0; row < width; row += 3) for (let column = row %% 7; column < width; column += 7) {
				const k = 4 * (row * width + column)
				if (!data[k + 3]) continue
				lit++
				const drawn = data[k] | data[k + 1] << 8 | data[k + 2] << 16
				const px = column + 0.5, py = row + 0.5, i = nearest(places, px, py, 8)
				if (i >= 0 && far(i, px, py) <= far(drawn, px, py) && far(drawn, px, py) < 5) continue
				wrong++
				first ||= column + ", " + row + ": point " + drawn + " is drawn, " + far(drawn, px, py) + " away, and " + i + " is found"
			}
			return {lit, wrong, first}
		})()`, cloudOf, c.points, vertices, c.width))
			if got.Lit == 0 || got.Wrong > 0 {
				t.Errorf("%+v, vertices %s: %+v", c, vertices, got)
			}
		}
	}
}

// A measurement, not a test of speed: the time to redraw many points.
func TestRedraw(t *testing.T) {
	p := module(t, Start(t), "points.js")
	for _, n := range []int{100_000, 1_000_000} {
		for _, width := range []int{320, 640} {
			times := Eval[[]float64](p, fmt.Sprintf(`(async () => {
				%s
				const cloud = cloudOf(%d, ["a", "b", "c"]), canvas = document.createElement("canvas"), times = []
				canvas.width = canvas.height = %d
				document.body.append(canvas)
				for (let i = 0; i < 30; i++) {
					await new Promise(requestAnimationFrame)
					const begun = performance.now()
					draw(canvas, cloud, placed(cloud, cloud.layers[0], canvas.width))
					times.push(performance.now() - begun)
				}
				canvas.remove()
				return times
			})()`, cloudOf, n, width))
			first := times[0]
			slices.Sort(times)
			t.Logf("%d points on %d × %d pixels: median %.1f ms, least %.1f, first %.1f", n, width, width, times[len(times)/2], times[0], first)
			if len(times) != 30 || times[0] <= 0 {
				t.Errorf("the times are %v", times)
			}
		}
	}
}

// underCursor is JavaScript that asks the laboratory for clouds, and returns a place of
// the first canvas, from its upper left corner, where each cloud has another label than
// the one before, with these labels. The rule is that the triangle fills 88 % of the
// width and that a label belongs to the nearest point within 8 pixels, the last of
// several.
const underCursor = `async list => {
	const width = document.querySelector(".clouds canvas").width, side = 0.88 * width
	const low = width * 0.94 - side * (1 - Math.sqrt(3) / 2) / 2
	const clouds = await Promise.all(list.map(async fields => {
		const response = await fetch("points", {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(fields)})
		const data = await response.arrayBuffer(), size = new DataView(data).getUint32(0, true)
		const head = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, size))), n = head.points
		return {head, n, parents: new Int32Array(data, 4 + size, n), at: new Float32Array(data, 4 + size + 4 * n, 2 * n),
			tokens: new Uint16Array(data, 4 + size + 4 * n + 8 * n * head.layers.length, n)}
	}))
	const label = ({head, n, parents, at, tokens}, x, y) => {
		let best = -1, least = 64
		for (let i = 0; i < n; i++) {
			const d = (width * 0.06 + side * at[2 * i] - x) ** 2 + (low - side * at[2 * i + 1] - y) ** 2
			if (d <= least) [best, least] = [i, d]
		}
		const words = []
		for (let i = best; i >= 0; i = parents[i]) words.unshift(head.tokens[tokens[i]])
		return words.join(" ")
	}
	for (let x = 20; x < width - 20; x += 13) for (let y = 20; y < width - 20; y += 17) {
		const labels = clouds.map(c => label(c, x, y))
		if (labels.every((l, i) => l && l !== labels[i - 1])) return {x, y, labels}
	}
}`

// The label under the cursor belongs to the point that is there now: also after a
// parameter has moved, and more points have come, below a cursor that stands still.
func TestLabelBelongsToThePoint(t *testing.T) {
	b, l := Start(t), startLab(t)
	p := b.Open(t, l.at("page", "process", "process", "mess3"), Views[0])
	waitFor(p, `document.querySelector(".clouds canvas").width > 64 && document.querySelector("input[aria-label='x, number']")`)
	moves := []string{"0.05", "0.09", "0.2"}
	ask := `{process: "mess3", most: 100000}`
	for _, x := range moves {
		ask += `, {process: "mess3", params: {x: "` + x + `"}, most: 100000}`
	}
	found := Eval[struct {
		X, Y   float64
		Labels []string
	}](p, `(`+underCursor+`)([`+ask+`])`)
	if len(found.Labels) != 1+len(moves) {
		t.Fatal("no place has another label after each move")
	}
	Eval[*bool](p, fmt.Sprintf(`void (() => {
		const canvas = document.querySelector(".clouds canvas"), box = canvas.getBoundingClientRect()
		canvas.dispatchEvent(new PointerEvent("pointermove", {bubbles: true, clientX: box.left + %g, clientY: box.top + %g}))
	})()`, found.X, found.Y))
	for i, want := range found.Labels {
		if i > 0 {
			Eval[*bool](p, fmt.Sprintf(`void (() => {
				const field = document.querySelector("input[aria-label='x, number']")
				field.value = %q
				field.dispatchEvent(new Event("change", {bubbles: true}))
			})()`, moves[i-1]))
		}
		waitFor(p, fmt.Sprintf(`document.querySelector(".clouds output.label")?.textContent === %q`, want))
	}
}

// fractal compares the cloud of the last stage of a trained model with the one that was
// looked at: on a grid, the logarithm of the number of sequences in each cell. It returns
// the R² of the stage.
func fractal(t *testing.T, p *Page, model string) float64 {
	t.Helper()
	got := Eval[struct {
		R2    float64
		Stage string
		Rows  []string
	}](p, fmt.Sprintf(`(async () => {
		const response = await fetch("points", {method: "POST", headers: {"Content-Type": "application/json"},
			body: JSON.stringify({model: %q, most: 100000})})
		const data = await response.arrayBuffer(), size = new DataView(data).getUint32(0, true)
		const head = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, size))), n = head.points
		const at = new Float32Array(data, 4 + size + 4 * n + 8 * n * (head.layers.length - 1), 2 * n)
		const wide = 48, high = 24, count = new Array(wide * high).fill(0)
		for (let i = 0; i < n; i++) {
			const column = Math.floor(at[2 * i] * wide), row = high - 1 - Math.floor(at[2 * i + 1] / (Math.sqrt(3) / 2) * high)
			if (column >= 0 && column < wide && row >= 0 && row < high) count[row * wide + column]++
		}
		const digit = c => c ? Math.floor(Math.log2(c)).toString(16) : " "
		const rows = Array.from({length: high}, (_, row) => count.slice(row * wide, (row + 1) * wide).map(digit).join("").trimEnd())
		return {R2: head.layers.at(-1).r2.mean, Stage: head.layers.at(-1).stage + ", " + n + " sequences", Rows: rows}
	})()`, model))
	golden.Compare(t, filepath.Join("testdata", "fractal.txt"), got.Stage+"\n"+strings.Join(got.Rows, "\n")+"\n")
	return got.R2
}
