package browser

import (
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// spot is a word and its place in a picture, in pixels.
type spot struct {
	word string
	x, y float64
}

// componentsOf returns the words of a run with the three coordinates of a stage, as
// `foretell probe` writes them.
func componentsOf(t *testing.T, l *laboratory, stage string) (words []string, at [][3]float64) {
	t.Helper()
	l.foretell(t, "probe", "runs/first", "--components", "--out", "points.csv")
	f, err := os.Open(filepath.Join(l.dir, "points.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		var one [3]float64
		for k := range one {
			for i, name := range rows[0] {
				if name == fmt.Sprintf("%s PC %d", stage, k+1) {
					if one[k], err = strconv.ParseFloat(row[i], 64); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		words, at = append(words, strings.ReplaceAll(row[0], ",", " ")), append(at, one)
	}
	return words, at
}

// spots returns where the words are in a picture of a width, after turns by degrees:
// first around the vertical axis, then around the horizontal one.
func spots(words []string, at [][3]float64, width, across, up float64) (list []spot) {
	a, b, most := across*math.Pi/180, up*math.Pi/180, 0.0
	for _, p := range at {
		most = max(most, math.Sqrt(p[0]*p[0]+p[1]*p[1]+p[2]*p[2]))
	}
	scale := width * 0.88 / 2 / most
	for i, p := range at {
		x, z := math.Cos(a)*p[0]+math.Sin(a)*p[2], math.Cos(a)*p[2]-math.Sin(a)*p[0]
		y := math.Cos(b)*p[1] - math.Sin(b)*z
		list = append(list, spot{words[i], width/2 + scale*x, width/2 - scale*y})
	}
	return list
}

// The label under the cursor is the word of the point that is there, after any turn and
// filter, by coordinates that do not come from the page.
func TestLabelsBelongToTheirPoints(t *testing.T) {
	b, l := Start(t), trained(t)
	const stage = "blocks.0.hook_resid_post"
	words, at := componentsOf(t, l, stage)
	for _, c := range []struct {
		turn string
		only int
	}{{"0,0", 0}, {"37,-50", 0}, {"-120,65", 0}, {"0,90", 0}, {"37,-50", 3}, {"-120,65", 4}} {
		p := b.Open(t, l.at("page", "inside", "view", "probe", "model", "first", "tokens", "0,1", "stage", stage,
			"cloud", "space", "turn", c.turn, "only", strconv.Itoa(c.only)), Views[0])
		waitFor(p, `(c => c.width === Math.round(c.getBoundingClientRect().width) && c.getContext("2d").getImageData(0, 0, c.width, c.width).data.some(x => x))(document.querySelectorAll(".turns canvas")[1])`)
		across, up, _ := strings.Cut(c.turn, ",")
		var angles [2]float64
		for i, text := range []string{across, up} {
			angle, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			angles[i] = angle
		}
		width := Eval[float64](p, `document.querySelectorAll(".turns canvas")[1].width`)
		checked, absent := 0, 0
		all := spots(words, at, width, angles[0], angles[1])
		for _, s := range all {
			label := Eval[string](p, fmt.Sprintf(`(async () => {
				const canvas = document.querySelectorAll(".turns canvas")[1], box = canvas.getBoundingClientRect()
				canvas.dispatchEvent(new PointerEvent("pointermove", {clientX: box.left + %g, clientY: box.top + %g, bubbles: true}))
				await new Promise(done => setTimeout(done))
				return canvas.parentElement.querySelector(".label")?.textContent ?? ""
			})()`, s.x, s.y))
			shown := func(word string) bool { return c.only == 0 || len(strings.Fields(word)) == c.only }
			near, labelled := math.Inf(1), math.Inf(1) // distances of the nearest other word, and of the label's
			for _, other := range all {
				distance := math.Hypot(other.x-s.x, other.y-s.y)
				if other.word != s.word && shown(other.word) {
					near = min(near, distance)
				}
				if other.word == label {
					labelled = distance
				}
			}
			switch {
			case shown(s.word):
				checked++
				if !shown(label) || labelled > 2 || near > 3 && label != s.word {
					t.Errorf("turn %s, only %d: the point of %q has the label %q, %.1f pixels from it", c.turn, c.only, s.word, label, labelled)
				}
			case near > 10:
				absent++
				if label != "" {
					t.Errorf("turn %s, only %d: %q is not shown, and has the label %q", c.turn, c.only, s.word, label)
				}
			}
		}
		if checked < 5 || c.only > 0 && absent == 0 {
			t.Errorf("turn %s, only %d: only %d labels and %d without were checked", c.turn, c.only, checked, absent)
		}
	}
}

// A cloud turns by keys and by dragging; the address has the turn, and a reload keeps it.
func TestCloudTurns(t *testing.T) {
	b, l := Start(t), trained(t)
	p := b.Open(t, l.at("page", "inside", "view", "probe", "model", "first", "tokens", "0,1", "cloud", "space", "turn", "10,20"), Views[0])
	waitFor(p, `document.querySelectorAll(".turns canvas").length === 4`)
	p.Do(chromedp.Focus(chromedp.CSS(".turns canvas")), chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowDown))
	waitFor(p, `new URLSearchParams(location.search).get("turn") === "15,25"`)
	const pixels = `(canvas => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.join(","))(document.querySelectorAll(".turns canvas")[3])`
	before := Eval[string](p, pixels)
	Eval[*bool](p, `void document.querySelectorAll(".turns canvas")[3].scrollIntoView({block: "center"})`)
	at := Eval[[2]float64](p, `(b => [b.left + b.width / 2, b.top + b.height / 2])(document.querySelectorAll(".turns canvas")[3].getBoundingClientRect())`)
	drag(p, at, [2]float64{at[0] + 40, at[1] - 20})
	waitFor(p, `new URLSearchParams(location.search).get("turn") === "35,15"`)
	if Eval[string](p, pixels) == before {
		t.Error("the picture has not turned")
	}
	if got := Eval[string](p, `new URLSearchParams(location.search).get("tokens")`); got != "0,1" {
		t.Errorf("to drag has chosen the point of %s", got)
	}
	after := Eval[string](p, pixels)
	p.Do(chromedp.Reload())
	waitFor(p, `document.querySelectorAll(".turns canvas").length === 4 && `+pixels+` === `+strconv.Quote(after))
	for _, view := range Views {
		p := b.Open(t, l.at("page", "inside", "view", "probe", "model", "first", "tokens", "0,1", "cloud", "space"), view)
		waitFor(p, `document.querySelectorAll(".turns canvas").length === 4`)
		audited(t, p, view, "three dimensions")
	}
}

// A figure is saved as SVG, as a PNG of the width of a slide, and as CSV.
func TestSaveFigures(t *testing.T) {
	b, l := Start(t), trained(t)
	for _, c := range []struct {
		ready, figure string // of the figure's box
		at            []string
	}{
		{`document.querySelectorAll(".turns canvas").length === 4`, ".cloud", []string{"page", "inside", "view", "probe", "cloud", "space"}},
		{`document.querySelectorAll(".clouds canvas").length === 4`, ".cloud", []string{"page", "inside", "view", "probe"}},
		{`document.querySelector(".triangle")`, "#view", []string{"page", "inside", "view", "steer"}},
		{`document.querySelector(".pattern")`, "#view", []string{"page", "inside"}},
		{`document.querySelector("figure img")`, "figure:has(img)", []string{"page", "inside", "view", "ablate"}},
		{`document.querySelector("figure img")`, "figure:has(img)", []string{"page", "inside", "view", "patch", "corrupt", "1,1,2"}},
		{`document.querySelector("figure img")`, "figure:has(img)", []string{"page", "process"}},
		{`document.querySelector(".clouds canvas")`, ".cloud", []string{"page", "process"}},
		{`document.querySelectorAll(".plot canvas").length === 2`, "section:last-of-type > .save", []string{"page", "train", "run", "first"}},
		{`document.querySelector("figure img")`, "figure:has(img)", []string{"page", "runs", "runs", "first"}},
	} {
		p := b.Open(t, l.at(append([]string{"model", "first", "tokens", "0,1,2"}, c.at...)...), Views[0])
		waitFor(p, c.ready)
		waitFor(p, fmt.Sprintf(`document.querySelector(%q)?.matches("*")`, c.figure))
		for _, ending := range []string{"SVG", "PNG", "CSV"} {
			file := savedBy(p, fmt.Sprintf(`[...document.querySelector(%q).querySelectorAll("button")].find(b => b.textContent === %q).click()`, c.figure, ending))
			data := string(decoded(t, file))
			switch {
			case ending == "SVG" && !strings.Contains(data, "<svg"), ending == "CSV" && strings.Count(data, "\n") < 2:
				t.Errorf("%v: the %s of %s begins %.80q", c.at, ending, c.figure, data)
			case ending == "PNG":
				if !strings.HasPrefix(data, "\x89PNG") || binary.BigEndian.Uint32([]byte(data[16:])) != 1920 {
					t.Errorf("%v: the PNG of %s has %x", c.at, c.figure, data[:24])
				}
			}
			if !strings.HasSuffix(file.Name, "."+strings.ToLower(ending)) {
				t.Errorf("%v: the %s is called %s", c.at, ending, file.Name)
			}
		}
	}
}
