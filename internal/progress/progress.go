// Package progress shows the progress of a long computation: a bar on a terminal, or an
// occasional line elsewhere.
package progress

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"foretell/internal/text"
)

// Bar shows the progress of a computation, its rate and the time left. Create it with
// [New] or [NewWithTests] and remove it with [Bar.Finish].
type Bar struct {
	mu       sync.Mutex // guards all other fields; exported methods and beat hold it
	stop     func()     // stops the timer of beat; may be nil
	out      io.Writer
	terminal Terminal
	now      func() time.Time
	drawn    bool // whether out is a terminal with a bar that is redrawn
	width    int  // width of the terminal

	steps, tests work
	testing      bool      // whether tests are running instead of steps
	since        time.Time // time at which the last unit ended, or the first one began
	unit, label  string
	shown        string    // the label on display
	next         time.Time // time of the next update of the display
	turn         time.Time // time at which another label is shown, if there is one
}

// work counts units of one kind, and their costs, to which the times that they take are
// proportional. Each kind has its own pace.
type work struct {
	total, done, skipped         int           // skipped units were done before and took no time
	totalCost, cost, skippedCost float64       // of these units
	spent                        time.Duration // time taken by the units that were not skipped
}

// even returns units of cost 1.
func even(total int) work { return work{total: total, totalCost: float64(total)} }

// pace returns the cost of the units done per second, once the sample is large enough:
// two seconds and two per cent of the cost.
func (w work) pace(spent time.Duration) (perSecond float64, known bool) {
	worked := w.cost - w.skippedCost
	if spent < 2*time.Second || worked <= 0 || 50*worked < w.totalCost-w.skippedCost {
		return 0, false
	}
	return worked / spent.Seconds(), true
}

// left returns the time that the remaining units will take at the given pace.
func (w work) left(perSecond float64) time.Duration {
	return time.Duration((w.totalCost - w.cost) / perSecond * float64(time.Second))
}

// skip records that all but the last of the units up to done took no time.
func (w *work) skip(done int, cost float64) {
	if more := done - w.done; more > 1 {
		w.skipped += more - 1
		w.skippedCost += (cost - w.cost) * float64(more-1) / float64(more)
	}
}

const (
	plainEvery = 10 * time.Second       // time between two plain lines
	labelEvery = time.Second            // time between two plain lines with different labels
	barEvery   = 100 * time.Millisecond // time between two drawings of the bar
	beatEvery  = time.Second            // time between checks for an update
)

// shortest is the number of characters to which a label is shortened if the time left
// needs its room.
const shortest = 30

// Terminal returns the current width of a writer; ok is false unless the writer is a
// terminal that can redraw a line.
type Terminal func(out io.Writer) (width int, ok bool)

// New shows the progress of total units (such as "steps") on out. total may be 0 if only
// the labels matter. Each label after the first starts a new line, unless it is replaced
// within a second.
func New(out io.Writer, terminal Terminal, total int, unit, label string) *Bar {
	p := &Bar{out: out, terminal: terminal, now: time.Now, unit: unit, label: label, shown: label}
	p.steps = even(total)
	p.open()
	return p
}

// NewWithTests is [New] for a computation of steps and tests. Steps advance by
// [Bar.AdvanceUneven]; cost is the cost of all steps. Tests advance by
// [Bar.AdvanceTests]. A unit of tests should take roughly as long as a step, because the
// length of the bar counts both alike; the time left is computed from the time that tests
// have taken. timer updates the display while nothing advances.
func NewWithTests(
	out io.Writer, terminal Terminal, steps int, cost float64, tests int, unit string, timer Timer,
) *Bar {
	p := &Bar{out: out, terminal: terminal, now: time.Now, unit: unit}
	p.steps, p.tests = work{total: steps, totalCost: cost}, even(tests)
	p.open()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keepBeating(timer)
	return p
}

// open starts the clock.
func (p *Bar) open() {
	p.since = p.now()
	p.next = p.since.Add(plainEvery)
	if width, ok := p.terminal(p.out); ok {
		p.drawn, p.width, p.next = true, width, p.since
	}
}

// keepBeating redraws the bar periodically until [Bar.Finish]. The caller holds the lock.
func (p *Bar) keepBeating(timer Timer) {
	p.stop = timer(beatEvery, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.stop != nil {
			p.show(p.now())
			p.keepBeating(timer)
		}
	})
}

// The methods total and done count the units of steps and tests together.
func (p *Bar) total() int { return p.steps.total + p.tests.total }

func (p *Bar) done() int { return p.steps.done + p.tests.done }

// Advance sets the number of steps done, and a label. Steps are expected one at a time:
// if done increases by more than one, the other steps are assumed to have been done
// before and to have taken no time.
func (p *Bar) Advance(done int, label string) { p.AdvanceUneven(done, float64(done), label) }

// AdvanceUneven is [Bar.Advance] for steps that do not take equally long. cost is the
// cost of all steps done. The time of a step is assumed to be proportional to its cost.
func (p *Bar) AdvanceUneven(done int, cost float64, label string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	first := p.steps.done == p.steps.skipped // whether this is the first step that takes time
	if p.testing || first && done > p.steps.done {
		p.since = now
	}
	p.steps.skip(done, cost)
	p.advance(&p.steps, done, cost, label, now)
}

// BeginTest announces the beginning of a test and sets a label.
func (p *Bar) BeginTest(label string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	p.since = now
	p.advance(&p.tests, p.tests.done, p.tests.cost, label, now)
}

// AdvanceTests sets the number of units of tests done.
func (p *Bar) AdvanceTests(done int, label string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.advance(&p.tests, done, float64(done), label, p.now())
}

// advance sets the number of units done of one kind of work and their cost, and adds the
// time since the last unit to the time that this work has taken.
func (p *Bar) advance(w *work, done int, cost float64, label string, now time.Time) {
	if done > w.done {
		w.spent += now.Sub(p.since)
		p.since = now
	}
	w.done, w.cost = done, cost
	p.label, p.testing = label, w == &p.tests
	p.show(now)
}

// show draws the bar, or prints a line, if it is due.
func (p *Bar) show(now time.Time) {
	if now.Before(p.next) && (p.label == p.shown || now.Before(p.turn)) {
		return
	}
	p.shown = p.label
	if !p.drawn {
		p.next, p.turn = now.Add(plainEvery), now.Add(labelEvery)
		text.Fprintf(p.out, "%s\n", p.line(now))
		return
	}
	p.next = now.Add(barEvery)
	p.turn = p.next
	p.draw(now)
}

// ANSI X3.64 control sequences, which are supported by every terminal that can redraw a
// line.
const (
	clearLine = "\x1b[2K\r"  // erase the line and move to its start
	clearRest = "\x1b[0K"    // erase from the cursor to the end of the line
	wrapOff   = "\x1b[?7l\r" // cut long text at the right edge and move to the start
	wrapOn    = "\x1b[?7h"
)

// draw draws the bar over the previous one. The terminal cuts the line if double-width
// characters make it too long, which ensures that the next bar covers this one.
func (p *Bar) draw(now time.Time) {
	if width, ok := p.terminal(p.out); ok {
		p.width = width // the window may have been resized
	}
	done, total := max(0, min(p.done(), p.total())), max(1, p.total())
	full := p.barWidth() * done / total
	bar := strings.Repeat("█", full) + strings.Repeat(" ", p.barWidth()-full)
	fmt.Fprintf(p.out, "%s%4d%% |%s|  %s%s%s", wrapOff, 100*done/total, bar, p.besideBar(now), clearRest, wrapOn)
}

// besideBar returns the text to the right of the bar. The most important parts come
// first, and parts that do not fit are omitted.
func (p *Bar) besideBar(now time.Time) string {
	line, room := text.Escape(p.label), p.width-p.barWidth()-len(" 100% ||  ")
	var parts []string
	if p.total() > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d %s", p.done(), p.total(), p.unit))
	}
	if estimates := p.estimates(now); len(estimates) > 0 {
		parts = append(estimates, parts...)
		if beside := room - len(", "+parts[0]); utf8.RuneCountInString(line) > room && beside >= shortest {
			line = text.Start(line, beside)
		}
	}
	for _, part := range parts {
		if utf8.RuneCountInString(line+", "+part) <= room {
			line += ", " + part
		}
	}
	return text.Start(line, room)
}

func (p *Bar) barWidth() int { return max(10, min(40, p.width-80)) }

// line returns the line that replaces the bar where no bar can be drawn:
//
//	training x = 0.5, α = 0.6: 400 of 1600 steps (25 %), 6s left, 210 steps/s
func (p *Bar) line(now time.Time) string {
	if p.total() == 0 {
		return p.label
	}
	text := fmt.Sprintf("%s: %d of %d %s (%d %%)", p.label, p.done(), p.total(), p.unit, 100*p.done()/p.total())
	for _, estimate := range p.estimates(now) {
		text += ", " + estimate
	}
	return text
}

// estimates returns texts: the time left and, while steps are running, their rate, as far
// as they are known. If the time that tests take is unknown, it returns the time left for
// training only, labelled as such.
func (p *Bar) estimates(now time.Time) []string {
	spent := p.steps.spent
	if !p.testing {
		spent += now.Sub(p.since)
	}
	pace, known := p.steps.pace(spent)
	known = known && p.steps.done < p.steps.total
	if !known && p.steps.done < p.steps.total {
		return nil
	}
	var list []string
	tests, testsKnown := p.testsLeft(now)
	switch {
	case known && testsKnown:
		list = append(list, timeLeft(p.steps.left(pace)+tests, "left"))
	case known:
		list = append(list, timeLeft(p.steps.left(pace), "of training left"))
	case testsKnown && tests > 0:
		list = append(list, timeLeft(tests, "left"))
	}
	if known && !p.testing {
		list = append(list, p.speed(float64(p.steps.done-p.steps.skipped)/spent.Seconds()))
	}
	return list
}

// testsLeft returns the time left for tests. It is unknown before some tests have
// finished, and while one test takes longer than the estimate for all remaining ones.
func (p *Bar) testsLeft(now time.Time) (left time.Duration, known bool) {
	if p.tests.done >= p.tests.total {
		return 0, true
	}
	pace, known := p.tests.pace(p.tests.spent)
	if !known {
		return 0, false
	}
	left = p.tests.left(pace)
	if p.testing {
		left -= now.Sub(p.since)
	}
	return left, left > 0
}

func timeLeft(left time.Duration, what string) string {
	return left.Round(time.Second).String() + " " + what
}

func (p *Bar) speed(rate float64) string {
	if rate >= 1 {
		return fmt.Sprintf("%.0f %s/s", rate, p.unit)
	}
	return fmt.Sprintf("%.0f %s/min", 60*rate, p.unit)
}

// Say prints a line without disturbing the bar. Names are escaped as by
// [text.Fprintf].
func (p *Bar) Say(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.say(format, args...)
}

func (p *Bar) say(format string, args ...any) {
	p.clear()
	text.Fprintf(p.out, format+"\n", args...)
	if p.drawn {
		p.draw(p.now())
	}
}

// SayBriefly is Say for a text that is cut to one line of the terminal.
func (p *Bar) SayBriefly(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	line := text.Sprintf(format, args...)
	if p.drawn {
		line = text.Start(line, p.width-1)
	}
	p.say("%s", line)
}

// Finish removes the bar.
func (p *Bar) Finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stop != nil {
		p.stop()
		p.stop = nil
	}
	p.clear()
	p.drawn = false
}

func (p *Bar) clear() {
	if p.drawn {
		io.WriteString(p.out, clearLine)
	}
}
