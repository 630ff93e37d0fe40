package browser

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
)

const samplesPerSecond = 44100

// pitches returns the frequency at the beginning, in the middle and at the end of what a
// context plays: JavaScript that gives a promise of samples.
func pitches(t *testing.T, p *Page, samples string) (list [3]float64) {
	t.Helper()
	const window = samplesPerSecond / 20
	parts := Eval[[][]float64](p, fmt.Sprintf(`(async () => {
		const all = await (%s), n = all.length
		return [0, (n - %d) / 2, n - %d].map(from => [...all.subarray(from, from + %[2]d)])
	})()`, samples, window, window))
	for i, part := range parts {
		list[i] = crossings(part)
		loudest := 0.0
		for _, x := range part {
			loudest = max(loudest, math.Abs(x))
		}
		if loudest < 0.1 || loudest > 0.2 {
			t.Errorf("the sound has the amplitude %.3f", loudest)
		}
	}
	return list
}

// crossings returns the frequency of a tone by its first and last upward crossing of 0.
func crossings(samples []float64) float64 {
	var first, last float64
	n := -1
	for i := 1; i < len(samples); i++ {
		if a, b := samples[i-1], samples[i]; a < 0 && b >= 0 {
			if last = float64(i) - b/(b-a); n < 0 {
				first = last
			}
			n++
		}
	}
	return float64(n) / (last - first) * samplesPerSecond
}

// near compares frequencies by a fiftieth: a third of a semitone.
func near(t *testing.T, what string, got [3]float64, want ...float64) {
	t.Helper()
	for i := range want {
		if math.IsNaN(got[i]) || math.Abs(got[i]/want[i]-1) > 0.02 {
			t.Errorf("%s sounds at %.1f Hz, want %.1f", what, got, want)
			return
		}
	}
}

// A curve sounds as it looks: two octaves from the least value to the largest.
func TestSoundFollowsTheCurve(t *testing.T) {
	p := module(t, Start(t), "sound.js")
	play := func(values string) [3]float64 {
		return pitches(t, p, fmt.Sprintf(`(() => {
			const context = new OfflineAudioContext(1, seconds * %d, %[1]d)
			sing(context, %s)
			return context.startRendering().then(buffer => buffer.getChannelData(0))
		})()`, samplesPerSecond, values))
	}
	const ends = 1.025 // the ends are heard over a fortieth of the time, in which the pitch moves
	near(t, "a rising line", play("Array.from({length: 200}, (_, i) => i)"), 220*1.018, 440, 880/1.018)
	near(t, "a falling line", play("Array.from({length: 200}, (_, i) => -3 * i)"), 880/ends, 440, 220*ends)
	near(t, "a step", play("[...new Array(40).fill(1), ...new Array(60).fill(2)]"), 220, 880, 880)
	near(t, "a constant", play("[3, 3, 3]"), 220, 220, 220)
}

// Nothing sounds before the button below a curve is pressed. Then the losses do.
func TestSoundOfTheLoss(t *testing.T) {
	b, l := Start(t), trained(t)
	p := b.Open(t, l.at("page", "train", "run", "first"), Views[0])
	waitFor(p, `document.querySelector(".sound")`)
	Eval[*bool](p, fmt.Sprintf(`void (globalThis.AudioContext = function () {
		return globalThis.heard = new OfflineAudioContext(1, 2 * %d, %[1]d)
	})`, samplesPerSecond))
	if text := textOf(p, ".sound"); text != "Hear loss (high is large)" || Eval[bool](p, "globalThis.heard !== undefined") {
		t.Errorf("the button is %q", text)
	}
	press(p, "Hear loss (high is large)")
	got := pitches(t, p, `(() => { heard.close = () => {}; return heard.startRendering().then(buffer => buffer.getChannelData(0)) })()`)
	waitFor(p, `!document.querySelector(".sound").disabled`)
	table := Eval[[]string](p, `[...[...document.querySelectorAll("table")].find(t => t.caption.textContent === "Loss: numbers").tBodies[0].rows].map(r => r.cells[1].textContent)`)
	var losses []float64
	for _, text := range table {
		x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil {
			t.Fatal(err)
		}
		losses = append(losses, x)
	}
	least, largest := math.Inf(1), math.Inf(-1)
	for _, x := range losses {
		least, largest = min(least, x), max(largest, x)
	}
	pitch := func(x float64) float64 { return 220 * math.Pow(4, (x-least)/(largest-least)) }
	var want []float64
	for _, share := range []float64{0.0125, 0.5, 0.9875} { // the middle of each window
		at := share * float64(len(losses)-1)
		i := int(at)
		want = append(want, pitch(losses[i])+(at-float64(i))*(pitch(losses[i+1])-pitch(losses[i])))
	}
	near(t, "the loss", got, want...)
}
