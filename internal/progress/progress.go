// Package progress shows how far a long computation is: a bar on a terminal, otherwise a
// plain line now and then.
package progress

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"foretell/internal/printable"
)

// Bar shows how far a computation is, with its rate and the time left. Make it with
// [New], and take it away with [Bar.Finish].
type Bar struct {
	out      io.Writer
	terminal Terminal
	now      func() time.Time
	drawn    bool // whether out is a terminal with a bar that is redrawn
	width    int  // of the terminal

	total, done int
	skipped     int // units that took no time, because they were done before
	unit, label string
	shown       string    // the label that is shown
	start       time.Time // of the first unit that was not skipped
	next        time.Time // when to show something again
	turn        time.Time // when to show another label, if there is one
}

const (
	plainEvery = 10 * time.Second       // between two plain lines
	labelEvery = time.Second            // between two plain lines of different labels
	barEvery   = 100 * time.Millisecond // between two drawings of the bar
)

// shortest is the length to which a label is cut to make room for the time left.
const shortest = 30

// Terminal says whether a writer is a terminal that can redraw a line, and how wide it is
// now.
type Terminal func(out io.Writer) (width int, ok bool)

// New shows the progress of total units (such as "steps") on out; total may be 0, where
// only the labels tell something. Each other label than the first begins a line of its
// own, unless it has gone again within a second.
func New(out io.Writer, terminal Terminal, total int, unit, label string) *Bar {
	p := &Bar{out: out, terminal: terminal, now: time.Now, total: total, unit: unit, label: label, shown: label}
	p.start = p.now()
	p.next = p.start.Add(plainEvery)
	if width, ok := terminal(out); ok {
		p.drawn, p.width, p.next = true, width, p.start
	}
	return p
}

// Advance moves to done units under a label. They come one at a time: where there are
// more, the others were done before, and took no time.
func (p *Bar) Advance(done int, label string) {
	if p.done == p.skipped && done > p.done {
		p.start = p.now() // the first unit that takes time
	}
	p.skipped += max(0, done-p.done-1)
	p.AdvanceAtOnce(done, label)
}

// AdvanceAtOnce is [Bar.Advance] by units that come together once all of them are done.
func (p *Bar) AdvanceAtOnce(done int, label string) {
	p.done, p.label = done, label
	now := p.now()
	if now.Before(p.next) && (label == p.shown || now.Before(p.turn)) {
		return
	}
	p.shown = label
	if !p.drawn {
		p.next, p.turn = now.Add(plainEvery), now.Add(labelEvery)
		printable.Fprintf(p.out, "%s\n", p.line(now))
		return
	}
	p.next = now.Add(barEvery)
	p.turn = p.next
	p.draw(now)
}

// Control sequences of ANSI X3.64, which every terminal that redraws a line obeys.
const (
	clearLine = "\x1b[2K\r"  // erase the line, and go to its start
	clearRest = "\x1b[0K"    // erase from the cursor to the end of the line
	wrapOff   = "\x1b[?7l\r" // cut what is too long at the right edge, and go to the start
	wrapOn    = "\x1b[?7h"
)

// draw shows the bar over the one before. The terminal cuts the line where characters of
// double width make it too long, so that the next bar covers this one.
func (p *Bar) draw(now time.Time) {
	if width, ok := p.terminal(p.out); ok {
		p.width = width // of a window that may have been resized
	}
	done, total := max(0, min(p.done, p.total)), max(1, p.total)
	full := p.barWidth() * done / total
	bar := strings.Repeat("█", full) + strings.Repeat(" ", p.barWidth()-full)
	fmt.Fprintf(p.out, "%s%4d%% |%s|  %s%s%s", wrapOff, 100*done/total, bar, p.besideBar(now), clearRest, wrapOn)
}

// besideBar is the text at the right of the bar: what matters most is first, and
// what does not fit into the line is left out.
func (p *Bar) besideBar(now time.Time) string {
	text, room := printable.Text(p.label), p.width-p.barWidth()-len(" 100% ||  ")
	var parts []string
	if p.total > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d %s", p.done, p.total, p.unit))
	}
	if rate, left, known := p.estimate(now); known {
		parts = append([]string{timeLeft(left), p.speed(rate)}, parts...)
		if beside := room - len(", "+parts[0]); utf8.RuneCountInString(text) > room && beside >= shortest {
			text = printable.Start(text, beside)
		}
	}
	for _, part := range parts {
		if utf8.RuneCountInString(text+", "+part) <= room {
			text += ", " + part
		}
	}
	return printable.Start(text, room)
}

func (p *Bar) barWidth() int { return max(10, min(40, p.width-80)) }

// line is what stands for the bar where there is none:
//
//	training x = 0.5, α = 0.6: 400 of 1600 steps (25 %), 6s left, 210 steps/s
func (p *Bar) line(now time.Time) string {
	if p.total == 0 {
		return p.label
	}
	text := fmt.Sprintf("%s: %d of %d %s (%d %%)", p.label, p.done, p.total, p.unit, 100*p.done/p.total)
	if rate, left, known := p.estimate(now); known {
		text += ", " + timeLeft(left) + ", " + p.speed(rate)
	}
	return text
}

func timeLeft(left time.Duration) string { return left.Round(time.Second).String() + " left" }

func (p *Bar) speed(rate float64) string {
	if rate >= 1 {
		return fmt.Sprintf("%.0f %s/s", rate, p.unit)
	}
	return fmt.Sprintf("%.0f %s/min", 60*rate, p.unit)
}

// estimate returns the units done a second and the time left, once enough was
// done to tell: two seconds, and two per cent of what there was to do.
func (p *Bar) estimate(now time.Time) (rate float64, left time.Duration, known bool) {
	spent, worked := now.Sub(p.start), p.done-p.skipped
	if spent < 2*time.Second || worked < 1 || p.done >= p.total || 50*worked < p.total-p.skipped {
		return 0, 0, false
	}
	rate = float64(worked) / spent.Seconds()
	return rate, time.Duration(float64(p.total-p.done) / rate * float64(time.Second)), true
}

// Say prints a line without tearing the bar; names in it are shown escaped, as
// [printable.Fprintf] does.
func (p *Bar) Say(format string, args ...any) {
	p.clear()
	printable.Fprintf(p.out, format+"\n", args...)
	if p.drawn {
		p.draw(p.now())
	}
}

// SayBriefly is Say for a text that is cut to one line of the terminal.
func (p *Bar) SayBriefly(format string, args ...any) {
	text := printable.Sprintf(format, args...)
	if p.drawn {
		text = printable.Start(text, p.width-1)
	}
	p.Say("%s", text)
}

// Finish takes the bar away.
func (p *Bar) Finish() {
	p.clear()
	p.drawn = false
}

func (p *Bar) clear() {
	if p.drawn {
		io.WriteString(p.out, clearLine)
	}
}
