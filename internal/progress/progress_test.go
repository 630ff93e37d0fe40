package progress

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// nowhere is the terminal that there is not.
func nowhere(io.Writer) (int, bool) { return 0, false }

// clocked returns a progress without a terminal whose clock the test sets.
func clocked(total int) (p *Bar, out *bytes.Buffer, clock *time.Time) {
	out = &bytes.Buffer{}
	p = New(out, nowhere, total, "steps", "")
	now := p.since
	p.now = func() time.Time { return now }
	return p, out, &now
}

// clockedWithTests is clocked for steps and tests.
func clockedWithTests(steps, tests int) (p *Bar, out *bytes.Buffer, clock *time.Time) {
	out = &bytes.Buffer{}
	p = NewWithTests(out, nowhere, steps, float64(steps), tests, "steps", func(time.Duration, func()) func() { return func() {} })
	now := p.since
	p.now = func() time.Time { return now }
	return p, out, &now
}

// estimated is what is known of the steps: a second and the time left.
func estimated(p *Bar, now time.Time) (rate float64, left time.Duration, known bool) {
	if rate, known = p.steps.pace(p.steps.spent + now.Sub(p.since)); !known || p.steps.done == p.steps.total {
		return 0, 0, false
	}
	return rate, p.steps.left(rate), true
}

// TestPlainProgress holds the rate of lines and when they estimate.
func TestPlainProgress(t *testing.T) {
	p, out, clock := clocked(1000)
	for step := 1; step <= 500; step++ { // 10 steps a second
		p.Advance(step, "training")
		*clock = clock.Add(100 * time.Millisecond)
	}
	p.Say("done %d", 1)
	p.Advance(500, "testing")
	want := `training: 1 of 1000 steps (0 %)
training: 101 of 1000 steps (10 %), 1m29s left, 10 steps/s
training: 201 of 1000 steps (20 %), 1m20s left, 10 steps/s
training: 301 of 1000 steps (30 %), 1m10s left, 10 steps/s
training: 401 of 1000 steps (40 %), 1m0s left, 10 steps/s
done 1
testing: 500 of 1000 steps (50 %), 50s left, 10 steps/s
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

func TestProgressWithoutSteps(t *testing.T) {
	p, out, _ := clocked(0)
	p.Advance(0, "testing M1")
	if out.String() != "testing M1\n" {
		t.Errorf("%q", out.String())
	}
}

// TestLabelsThatComeAndGo holds that models which train by the hundred, or side by side,
// do not fill the screen with lines.
func TestLabelsThatComeAndGo(t *testing.T) {
	p, out, clock := clocked(0)
	for i := range 100 { // 40 labels a second
		p.Advance(0, []string{"training A", "training B"}[i%2])
		*clock = clock.Add(25 * time.Millisecond)
	}
	if want := "training A\ntraining B\ntraining A\n"; out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

// TestEstimate counts only what this call did, in the time that it took.
func TestEstimate(t *testing.T) {
	p, _, clock := clocked(1000)
	*clock = clock.Add(time.Hour) // something before the first step
	p.Advance(901, "training")    // a run that was resumed at step 900
	if _, _, known := estimated(p, *clock); known {
		t.Error("an estimate from no time")
	}
	*clock = clock.Add(time.Second)
	p.Advance(911, "training") // nine of these were done before, too
	if _, _, known := estimated(p, *clock); known {
		t.Error("an estimate after a second")
	}
	*clock = clock.Add(time.Second)
	p.Advance(912, "training")
	rate, left, known := estimated(p, *clock)
	if rate != 1.5 || left.Round(time.Millisecond) != 58667*time.Millisecond || !known { // 88 steps
		t.Errorf("%v, %v, %v", rate, left, known)
	}
	*clock = clock.Add(time.Hour)
	p.Advance(1000, "testing")
	if _, _, known := estimated(p, *clock); known {
		t.Error("an estimate when all is done")
	}
}

// TestBarFits holds that the bar and its text fill at most a line, and that the
// time left comes before the rate and the count.
func TestBarFits(t *testing.T) {
	const label = "training x = 0.15, α = 0.6, LN"
	for _, c := range []struct {
		width int
		want  string
	}{
		{40, "training x = 0.15, …"},
		{60, label},
		{80, label + ", 15m0s left, 10 steps/s"},
		{120, label + ", 15m0s left, 10 steps/s"},
		{200, label + ", 15m0s left, 10 steps/s, 1000 of 10000 steps"},
	} {
		p, _, clock := clocked(10000)
		p.width = c.width
		for step := range 1000 {
			p.Advance(step+1, label)
		}
		*clock = clock.Add(100 * time.Second)
		got := p.besideBar(*clock)
		if got != c.want {
			t.Errorf("width %d: %q, want %q", c.width, got, c.want)
		}
		if n := utf8.RuneCountInString(" 100% |" + strings.Repeat("█", p.barWidth()) + "|  " + got); n > c.width {
			t.Errorf("width %d: %d columns", c.width, n)
		}
	}
}

// The bar and its lines show a label escaped.
func TestHostileLabels(t *testing.T) {
	var out strings.Builder
	now := time.Unix(0, 0)
	p := New(&out, nowhere, 100, "steps", "")
	p.now = func() time.Time { now = now.Add(time.Hour); return now }
	p.Advance(1, "a\nb\x1b[2J")
	p.Say("%s: %d", "c\u202e", 3)
	p.SayBriefly("%s", "d\r")
	p.width = 200
	beside := p.besideBar(now)
	if text := out.String(); !strings.Contains(text, `a\nb\x1b[2J: 1 of 100 steps`) || !strings.Contains(text, "\nc\\u202e: 3\nd\\r\n") {
		t.Errorf("%q", text)
	}
	if !strings.HasPrefix(beside, `a\nb\x1b[2J`) {
		t.Errorf("%q", beside)
	}
}

// Steps and tests have rates of their own, and the time left is that of each at its own:
// 1,000 steps take 10 s, and a test, whose work says that it takes as long as 500 of
// them, two minutes.
func TestTestsHaveTheirOwnRate(t *testing.T) {
	p, _, clock := clockedWithTests(4000, 1500)
	after := func(seconds float64) { *clock = clock.Add(time.Duration(seconds * float64(time.Second))) }
	says := func(when string, want ...string) {
		t.Helper()
		if got := p.estimates(*clock); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", when, got, want)
		}
	}
	train := func(from, to int) {
		for step := from + 1; step <= to; step++ {
			p.Advance(step, "training")
			after(0.01)
		}
	}
	train(0, 1000)
	says("no test was timed", "30s of training left", "100 steps/s")
	p.BeginTest("testing A")
	after(100)
	says("the first test is under way", "30s of training left")
	after(20)
	p.AdvanceTests(500, "testing A")
	says("a test was timed", "4m30s left") // 30 s, and two tests of 120 s
	p.BeginTest("testing nothing")
	after(500)
	train(1000, 2000)
	says("a test without work is not timed", "4m20s left", "100 steps/s")
	p.BeginTest("testing B")
	after(60)
	says("half of a test is over", "3m20s left")
	after(62)
	p.AdvanceTests(1000, "testing B")
	train(2000, 4000)
	says("steps are all taken", "2m1s left")
	p.BeginTest("testing C")
	after(100)
	says("the last test is under way", "21s left")
	after(100)
	says("it takes longer than expected")
	p.AdvanceTests(1500, "testing C")
	says("all is done")
}

// The time left follows the cost of steps, not their number. A model that was trained
// before counts with its own cost and no time.
func TestUnevenSteps(t *testing.T) {
	var out bytes.Buffer
	p := NewWithTests(&out, nowhere, 500, 100+300+600, 0, "steps", func(time.Duration, func()) func() { return func() {} })
	now := p.since
	p.now = func() time.Time { return now }
	p.AdvanceUneven(100, 100, "trained")
	for step := 1; step <= 300; step++ { // 10 steps a second
		p.AdvanceUneven(100+step, 100+float64(step), "training a small model")
		now = now.Add(100 * time.Millisecond)
	}
	if got, want := p.estimates(now), []string{"1m0s left", "10 steps/s"}; !slices.Equal(got, want) {
		t.Errorf("before the large model: %q, want %q", got, want)
	}
	for step := 1; step <= 50; step++ {
		p.AdvanceUneven(400+step, 400+6*float64(step), "training a large model")
		now = now.Add(600 * time.Millisecond)
	}
	if got, want := p.estimates(now), []string{"30s left", "6 steps/s"}; !slices.Equal(got, want) {
		t.Errorf("within the large model: %q, want %q", got, want)
	}
}

// The bar is shown again while nothing advances, until it is taken away.
func TestBarBeats(t *testing.T) {
	p, out, clock := clockedWithTests(100, 100)
	var beat func()
	stopped := 0
	p.keepBeating(func(_ time.Duration, f func()) func() {
		beat = f
		return func() { stopped++ }
	})
	p.BeginTest("testing A")
	for range 25 {
		*clock = clock.Add(time.Second)
		beat()
	}
	p.Finish()
	beat()
	want := strings.Repeat("testing A: 0 of 200 steps (0 %)\n", 3) // at once, after 11 and after 21 seconds
	if out.String() != want || stopped != 1 {
		t.Errorf("%q, want %q; stopped %d times", out.String(), want, stopped)
	}
}

// A label longer than the line leaves room for the time left.
func TestLongLabel(t *testing.T) {
	p, _, clock := clocked(1000)
	p.width = 80
	for step := range 100 {
		p.Advance(step+1, "training seed 1")
	}
	p.Advance(100, "training 3 models: Beta(1, 1), seed 1; Beta(1, 1), seed 2; Beta(1, 1), seed 3")
	*clock = clock.Add(50 * time.Second)
	if got, want := p.besideBar(*clock), "training 3 models: Beta(1, 1), seed 1; Beta(1, …, 7m30s left"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// screen shows the line that a terminal of a width has after a text, with its cursor.
// What does not fit is cut while wrapping is off, and an error while it is on. Characters
// beyond U+2E7F are two columns wide.
func screen(t *testing.T, text string, width int) (line string) {
	t.Helper()
	var cells []rune
	at, wrap := 0, true
	for text != "" {
		for code, do := range map[string]func(){
			"\x1b[2K":  func() { cells = nil },
			"\x1b[0K":  func() { cells = cells[:min(at, len(cells))] },
			"\x1b[?7l": func() { wrap = false },
			"\x1b[?7h": func() { wrap = true },
			"\n":       func() { cells, at = nil, 0 },
			"\r":       func() { at = 0 },
		} {
			if rest, ok := strings.CutPrefix(text, code); ok {
				do()
				text = rest
			}
		}
		if text == "" || text[0] < ' ' {
			continue
		}
		r, size := utf8.DecodeRuneInString(text)
		text = text[size:]
		columns := 1
		if r > 0x2e7f {
			columns = 2
		}
		switch {
		case at+columns <= width:
			cells = append(cells[:min(at, len(cells))], append([]rune{r, 0}[:columns], cells[min(at+columns, len(cells)):]...)...)
			at += columns
		case wrap:
			t.Errorf("%q does not fit into %d columns", r, width)
		}
	}
	if !wrap {
		t.Error("wrapping stays off")
	}
	return strings.TrimRight(strings.ReplaceAll(string(cells), "\x00", ""), " ")
}

// A bar is one line of the terminal, whatever its labels and after the window is
// resized. It covers the bar before, and leaves nothing once it is finished.
func TestBarOnATerminal(t *testing.T) {
	var out strings.Builder
	width := 80
	p := New(&out, func(io.Writer) (int, bool) { return width, true }, 100, "steps", "")
	now := p.since
	p.now = func() time.Time { return now }
	at := func(done int, label, want string) {
		t.Helper()
		out.Reset()
		now = now.Add(barEvery)
		p.Advance(done, label)
		if got := screen(t, "an older bar of as many as 42 columns ....\r"+out.String(), width); got != want {
			t.Errorf("%d of 100: %q, want %q", done, got, want)
		}
	}
	at(0, "training", "   0% |          |  training, 0 of 100 steps")
	at(9, "training", "   9% |          |  training, 9 of 100 steps")
	at(50, "training", "  50% |█████     |  training, 50 of 100 steps")
	at(99, "training", "  99% |█████████ |  training, 99 of 100 steps")
	at(100, "testing", " 100% |██████████|  testing, 100 of 100 steps")
	width = 42
	at(50, "訓練訓練訓練訓練訓練訓練訓練訓練", "  50% |█████     |  訓練訓練訓練訓練訓練訓")
	width = 120
	at(50, "training", "  50% |"+strings.Repeat("█", 20)+strings.Repeat(" ", 20)+"|  training, 50 of 100 steps")
	bar := out.String()
	out.Reset()
	p.Say("done")
	if said, again, _ := strings.Cut(out.String(), "\n"); screen(t, bar+said, width) != "done" || again != bar {
		t.Errorf("%q, then %q", said, again)
	}
	p.Finish()
	if got := screen(t, out.String(), width); got != "" {
		t.Errorf("%q is left of the bar", got)
	}
	out.Reset()
	p.Finish()
	p.Say("over")
	if out.String() != "over\n" {
		t.Errorf("%q after the bar is gone", out.String())
	}
}
