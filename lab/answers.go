package lab

import (
	"context"
	"strings"
	"sync"

	"foretell/internal/kept"
)

// answers shares and keeps answers, as they are sent. In a lecture all pages ask the same
// question at the same moment, as they do when a run that they watch gets further: one
// computation answers them all.
type answers struct {
	mu    sync.Mutex
	all   map[string]*answered // by question
	order []string             // the questions whose answers are kept, oldest first
	bytes int                  // of these questions and answers
}

// answered is an answer, or the computation that finds it.
type answered struct {
	kept.Result[[]byte]
	bytes int // with the question
}

// mostAnswers is the largest size of the answers that are kept, in bytes, each with its
// question.
const mostAnswers = 8 << 20

// life is for how long an answer is true.
type life int

const (
	passing life = iota // it may be another at any time
	shared              // it answers those who ask the same before it is there
	lasting             // it stays the same
)

// lifeOf returns for how long the answer to a question is true.
func lifeOf(question any) life {
	if q, ok := question.(interface{ life() life }); ok {
		return q.life()
	}
	return passing
}

func (*Processes) life() life { return lasting }
func (*Crafts) life() life    { return lasting }

// life implements lifeOf for questions about a process: the folder of a run may change,
// and nothing else.
func (s Source) life() life {
	if s.Run != "" {
		return passing
	}
	return lasting
}

// life implements lifeOf. The weights after a step of a run are the same unless somebody
// exchanges the run for another.
func (q *Cloud) life() life {
	switch {
	case strings.Contains(q.Model, "@"):
		return shared
	case q.Model != "":
		return passing
	}
	return q.Source.life()
}

// find returns the answer to a question, which compute finds unless it is known or
// somebody else is finding it. Those who wait for an answer share its error, which is not
// kept for others.
func (a *answers) find(ctx context.Context, question string, l life,
	compute func(context.Context) ([]byte, error),
) ([]byte, error) {
	if l == passing {
		return compute(ctx)
	}
	one := a.entry(question)
	return one.Get(ctx, func(ctx context.Context) ([]byte, error) {
		data, err := compute(ctx)
		a.settle(question, one, len(data), err == nil && l == lasting)
		return data, err
	})
}

// entry returns the answer to a question, which may have to be found yet.
func (a *answers) entry(question string) *answered {
	a.mu.Lock()
	defer a.mu.Unlock()
	one := a.all[question]
	if one == nil {
		one = new(answered)
		if a.all == nil {
			a.all = map[string]*answered{}
		}
		a.all[question] = one
	}
	return one
}

// settle keeps an answer of a size, and forgets the oldest if there are too many, or
// leaves the answer to those who wait for it.
func (a *answers) settle(question string, one *answered, size int, keep bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.all[question] != one { // it was interrupted, and somebody who waited has found it
		return
	}
	one.bytes = len(question) + size
	if !keep || one.bytes > mostAnswers/2 {
		delete(a.all, question)
		return
	}
	a.order, a.bytes = append(a.order, question), a.bytes+one.bytes
	for a.bytes > mostAnswers {
		a.bytes -= a.all[a.order[0]].bytes
		delete(a.all, a.order[0])
		a.order = a.order[1:]
	}
}
