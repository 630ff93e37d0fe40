package describe

import (
	"context"
	"slices"
	"strings"

	"foretell/document"
	"foretell/process"
	"foretell/theory"
)

// Trace is what an optimal observer knows along a sequence. Row t of each table is what
// is known after t tokens.
type Trace struct {
	Source

	States []string `json:"-"` // names of a belief's entries
	Word   []string `json:"-"` // names of the tokens

	Beliefs     [][]float64 `json:"beliefs"`     // [t][state]
	Constrained [][]float64 `json:"constrained"` // [t][state]; nil if the process does not have them
	Linear      [][]float64 `json:"linear"`      // [t][state]; nil if the process does not have them
	Next        [][]float64 `json:"next"`        // [t][token]: the distribution of the next token
	LogProb     float64     `json:"log_prob"`    // log probability of the sequence, nats
	// NotComputed lists the parts that are left out because the process is too large, each
	// with the reason.
	NotComputed map[process.Part]string `json:"not_computed,omitempty"`

	of Subject
}

// Row returns what is known after the given number of tokens: the belief, the constrained
// belief, the linear belief, and the distribution of the next token. A belief is nil if
// the process does not have it. Row panics unless tokens is in 0 … len(Word).
func (t *Trace) Row(tokens int) (belief, constrained, linear, next []float64) {
	if t.Constrained != nil {
		constrained = t.Constrained[tokens]
	}
	if t.Linear != nil {
		linear = t.Linear[tokens]
	}
	return t.Beliefs[tokens], constrained, linear, t.Next[tokens]
}

// Beliefs returns an optimal observer's beliefs along a sequence, and the constrained and
// linear beliefs that approximate them. It returns an error if the process has no hidden
// states ([ErrNoHMM]) or the sequence has probability 0.
func Beliefs(ctx context.Context, s Subject, word []int32) (*Trace, error) {
	p, err := s.Optimum()
	if err != nil {
		return nil, err
	}
	o, ok := p.(process.Observer)
	if !ok {
		return nil, noHMM(ctx, p)
	}
	beliefs, err := o.Beliefs(word)
	if err != nil {
		return nil, err
	}
	t := &Trace{Source: s.Source(), States: o.States(), Beliefs: beliefs, of: s}
	names := p.Tokens()
	for _, z := range word {
		t.Word = append(t.Word, names[z])
	}
	if t.LogProb, err = o.LogProb(word); err != nil {
		return nil, err
	}
	for _, belief := range beliefs {
		t.Next = append(t.Next, o.Next(belief))
	}
	if c, ok := p.(process.Constrainer); ok {
		if t.Constrained, err = c.ConstrainedAlong(ctx, word); err != nil {
			return nil, err
		}
	}
	if reason := linearLeftOut(p, len(word)); reason != "" {
		t.NotComputed = map[process.Part]string{process.PartWords: reason}
		return t, ctx.Err()
	}
	if h, ok := p.(*process.HMM); ok {
		if t.Linear, err = theory.Of(h).LinearAlong(ctx, word); err != nil {
			return nil, err
		}
	}
	return t, ctx.Err()
}

// Forms returns the forms of the trace: for a terminal a row for each number of tokens,
// .svg, .csv and .json. A sequence of more than 512 tokens has no figure.
func (t *Trace) Forms() document.Forms {
	return document.Forms{
		document.Terminal: document.Text(t.text),
		".svg":            document.Picture(t.figure),
		".csv":            document.CSV(document.Sure(t.numbers)),
		".json":           document.JSON(t),
	}
}

// text returns what is known after each token.
func (t *Trace) text() []document.Section {
	table := document.Texts("", []string{
		"token", "belief (" + strings.Join(t.States, " ") + ")", "constrained", "linear",
		"next token (" + strings.Join(t.of.Process.Tokens(), " ") + ")",
	})
	for n, token := range append([]string{"–"}, t.Word...) {
		belief, constrained, linear, next := t.Row(n)
		table.Rows = append(table.Rows, []string{
			token, sideBySide(belief), sideBySide(constrained), sideBySide(linear), sideBySide(next),
		})
	}
	s := document.Section{Tables: []document.Table{table}}
	for part, reason := range t.NotComputed {
		s.Notes = append(s.Notes, string(part)+": not computed: "+reason)
	}
	s.Notes = append(s.Notes, "log probability of the tokens: "+sixDigits(t.LogProb)+" nats")
	return []document.Section{s}
}

// numbers returns a row for each number of tokens seen, from 0: the last token, empty at
// first, a column for each state (belief_S, and constrained_S and linear_S if the process
// has them) and a column for each next token (next_Z).
func (t *Trace) numbers() document.Frame {
	names := []string{"seen", "token"}
	add := func(what string, of []string, rows [][]float64) {
		for _, name := range of {
			if rows != nil {
				names = append(names, what+name)
			}
		}
	}
	add("belief_", t.States, t.Beliefs)
	add("constrained_", t.States, t.Constrained)
	add("linear_", t.States, t.Linear)
	add("next_", t.of.Process.Tokens(), t.Next)
	f := document.Frame{Columns: document.Named(names...)}
	for n, token := range append([]string{""}, t.Word...) {
		belief, constrained, linear, next := t.Row(n)
		cells := []any{n, token}
		for _, x := range slices.Concat(belief, constrained, linear, next) {
			cells = append(cells, x)
		}
		f.Row(cells...)
	}
	return f
}
