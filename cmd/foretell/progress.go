package main

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progress shows how far a long computation is: a bar with rate and time left
// on a terminal, otherwise a plain line now and then.
type progress struct {
	out   io.Writer
	bar   *progressbar.ProgressBar // nil without a terminal
	total int
	done  int
	label string
	start time.Time
	next  time.Time // of the next plain line
}

// plainEvery is the time between two plain lines.
const plainEvery = 10 * time.Second

// newProgress shows the progress of total units (such as "steps") on out.
func newProgress(out io.Writer, total int, unit, label string) *progress {
	p := &progress{out: out, total: total, label: label, start: time.Now()}
	p.next = p.start.Add(plainEvery)
	if width, ok := terminal(out); ok {
		p.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(out), progressbar.OptionSetDescription(label),
			progressbar.OptionShowCount(), progressbar.OptionShowIts(), progressbar.OptionSetItsString(unit),
			progressbar.OptionSetPredictTime(true), progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionSetWidth(max(10, min(40, width-80))), progressbar.OptionClearOnFinish())
	}
	return p
}

// advance moves to done units under a label.
func (p *progress) advance(done int, label string) {
	p.done = done
	if p.bar != nil {
		if label != p.label {
			p.bar.Describe(label)
		}
		p.bar.Set(done)
	}
	if now := time.Now(); p.bar == nil && (now.After(p.next) || label != p.label) {
		p.next = now.Add(plainEvery)
		fmt.Fprintf(p.out, "%s: %d of %d (%.0f %%), %s left\n", label, done, p.total, 100*float64(done)/float64(p.total), p.left(now))
	}
	p.label = label
}

func (p *progress) left(now time.Time) string {
	if p.done == 0 {
		return "unknown time"
	}
	spent := now.Sub(p.start)
	return (spent * time.Duration(p.total-p.done) / time.Duration(p.done)).Round(time.Second).String()
}

// say prints a line without tearing the bar.
func (p *progress) say(format string, args ...any) {
	if p.bar != nil {
		p.bar.Clear()
	}
	fmt.Fprintf(p.out, format+"\n", args...)
}

func (p *progress) finish() {
	if p.bar != nil {
		p.bar.Finish()
	}
}
