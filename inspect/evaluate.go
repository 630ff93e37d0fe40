package inspect

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"foretell/curves"
	"foretell/describe"
	"foretell/document"
	"foretell/figure"
	"foretell/internal/text"
	"foretell/process"
	"foretell/train"
)

// EvaluateRequest holds the arguments of [Model.Evaluate].
type EvaluateRequest struct {
	Subject   *describe.Subject // the process, or nil for the model's own
	Sequences int               // number of sequences
	Length    int               // tokens in each of them; 0 means n_ctx
	Seed      uint64            // random seed of the sequences
}

// Evaluated is a model's distance from the best possible prediction of a process, or its
// loss on a recording, without training.
type Evaluated struct {
	Model string // the name under which the model was opened
	describe.Source
	Length, Sequences int
	Seed              uint64
	train.Measured

	params string // the parameters as text; empty if they are not known
}

// Evaluate measures the model on sequences of a process, which need not be the one that
// it was trained on. A request that does not fit the model is an
// [*intervene.ArgumentError].
func (m *Model) Evaluate(ctx context.Context, r EvaluateRequest) (*Evaluated, error) {
	source, found := m.sampler, &Evaluated{Model: m.Path, Sequences: r.Sequences, Seed: r.Seed}
	switch {
	case r.Subject != nil:
		source, found.Source, found.params = r.Subject.Process, r.Subject.Source(), r.Subject.ParamsText()
	case source == nil:
		return nil, fmt.Errorf("%w; or name a process to evaluate it on", m.missing)
	default:
		found.Process = source.Name()
	}
	var err error
	if found.Length, err = m.wordLength(r.Length); err != nil {
		return nil, err
	}
	if most := m.Config().DVocab; source.Alphabet() > most {
		return nil, wrong("%s has %d tokens, and %s reads %d; name a process of at most %d tokens",
			source.Name(), source.Alphabet(), m.Path, most, most)
	}
	found.Measured, err = m.network.evaluate(ctx, train.Test{
		Process: source, Sequences: r.Sequences, Length: found.Length, Seed: r.Seed,
		Accuracy: isSignal(source),
	})
	return found, err
}

// isSignal reports whether predictions of a process are judged by their accuracy, too.
func isSignal(s process.Sampler) bool {
	entry, _, err := process.Resolve(s.Name(), nil)
	return err == nil && entry.IsSignal(s)
}

// MarshalJSON returns the fields of docs/json.md. What is not known is left out.
func (e *Evaluated) MarshalJSON() ([]byte, error) {
	type optimum struct {
		*train.Optimum
		KLError      *float64  `json:"kl_error,omitempty"`
		GapClosed    *float64  `json:"gap_closed,omitempty"`
		KLByPosition []float64 `json:"kl_by_position,omitempty"`
	}
	value := struct {
		Model string `json:"model"`
		describe.Source
		Length    int     `json:"length"`
		Sequences int     `json:"sequences"`
		Seed      uint64  `json:"seed"`
		Loss      float64 `json:"loss"`
		Chance    float64 `json:"chance"`
		*optimum
		*train.Accuracy
		*train.Observed
	}{
		Model: e.Model, Source: e.Source, Length: e.Length, Sequences: e.Sequences, Seed: e.Seed,
		Loss: e.LossEval, Chance: e.Chance, Accuracy: e.Accuracy, Observed: e.Observed,
	}
	if e.Optimum != nil {
		value.optimum = &optimum{Optimum: e.Optimum, GapClosed: e.GapClosed, KLByPosition: e.KLByPosition}
		if !math.IsNaN(e.KLError) {
			value.KLError = &e.KLError
		}
	}
	return json.Marshal(value)
}

// sequences describes what the losses are averaged over.
func (e *Evaluated) sequences() string {
	what, where := "sequence", ""
	if e.Observed != nil {
		what = "window"
		if e.HeldOut {
			where = " of the held-out part"
		}
	}
	return fmt.Sprintf("mean over %s of %s%s", text.Count(e.Sequences, what), text.Count(e.Length, "token"), where)
}

// title names the model and the process.
func (e *Evaluated) title() string { return fmt.Sprintf("%s on %s", e.Model, e.Process) }

// with returns the parameters of the process in brackets, if they are known.
func (e *Evaluated) with() string {
	if e.params == "" {
		return ""
	}
	return " (" + e.params + ")"
}

// text returns the loss with what it is compared with, then the divergence by position.
func (e *Evaluated) text() []document.Section {
	s := document.Section{
		Text:   []string{e.title() + e.with() + ": nats a token, " + e.sequences()},
		Tables: []document.Table{e.table()},
	}
	if e.Optimum != nil && e.Length <= mostColumns {
		s.Tables = append(s.Tables, e.byPosition())
	}
	return []document.Section{s}
}

// table returns the loss and what it is compared with.
func (e *Evaluated) table() document.Table {
	t := document.Texts("", nil)
	add := func(cells ...string) { t.Rows = append(t.Rows, cells) }
	add("loss", fmt.Sprintf("%.5f", e.LossEval), e.GapText("%.1f %% of what can be learned"))
	if e.Optimum != nil {
		how, from := "of the optimal predictor, estimated on the same sequences", "from the optimal prediction"
		switch {
		case e.Memorised:
			how, from = "of a predictor that has memorised the recording", "from its prediction"
		case e.FloorIsExact:
			how = "of the optimal predictor, exact"
		}
		add("floor", fmt.Sprintf("%.5f", e.Floor), how)
		kl := nats(e.KL)
		if !math.IsNaN(e.KLError) {
			kl = withError(kl, e.KLError, "%.1g")
		}
		if strings.Contains(kl, "±") {
			from += "; ± is the standard error over sequences"
		}
		add("KL", kl, from)
	}
	add("chance", fmt.Sprintf("%.5f", e.Chance), "of the best constant guess")
	if e.Observed != nil && e.LossWindows != nil {
		add("other part", fmt.Sprintf("%.5f", *e.LossWindows), "loss on as many windows of the training part")
	}
	if e.Observed != nil && e.LossValidation != nil {
		add("validation", fmt.Sprintf("%.5f", *e.LossValidation), "loss on as many windows of the part for validation")
	}
	if accuracy := e.AccuracyText(""); accuracy != "" {
		add("accuracy", "", strings.TrimPrefix(accuracy, "accuracy "))
	}
	return t
}

// byPosition returns the divergence after each number of tokens.
func (e *Evaluated) byPosition() document.Table {
	t := document.Texts("", []string{"tokens seen"})
	row := []string{"KL"}
	for i, kl := range e.KLByPosition {
		t.Columns = append(t.Columns, fmt.Sprint(i+1))
		row = append(row, nats(kl))
	}
	t.Rows = [][]string{row}
	return t
}

// figure draws the divergence by position.
func (e *Evaluated) figure() (*figure.Figure, error) {
	if e.Optimum == nil {
		return nil, fmt.Errorf("%s: its best possible prediction is not known, so there is no divergence to draw; "+
			"write .csv or .json", e.Process)
	}
	chart := figure.Chart{
		X: curves.TokensSeen, Y: figure.Axis{Label: "KL, nats", Include: []float64{0}},
		Series: []figure.Series{{X: figure.Numbers(1, len(e.KLByPosition)), Y: e.KLByPosition}},
	}
	f := figure.Row(e.title(), e.caption(), chart)
	f.Heading, f.Notes = f.Title, []string{e.sequences()}
	return f, nil
}

func (e *Evaluated) caption() string {
	return fmt.Sprintf("Divergence of the model's prediction from the optimal one by number of tokens seen, %s.",
		e.sequences())
}

// numbers returns a row for each position and one for their mean.
func (e *Evaluated) numbers() (document.Frame, error) {
	f := document.Frame{Columns: document.Named("tokens_seen", "kl", "kl_error", "loss", "floor", "chance")}
	if e.Optimum == nil {
		f.Row("all", "", "", e.LossEval, "", e.Chance)
		return f, nil
	}
	f.Row("all", e.KL, e.KLError, e.LossEval, e.Floor, e.Chance)
	for i, kl := range e.KLByPosition {
		f.Row(i+1, kl, "", "", "", "")
	}
	return f, nil
}

func (e *Evaluated) page() (document.Document, error) {
	s := document.Section{Text: []string{e.sequences() + "."}, Tables: []document.Table{e.table()}}
	if e.Optimum != nil {
		drawn, err := e.figure()
		if err != nil {
			return document.Document{}, err
		}
		s.Figure, s.Caption = drawn, e.caption()
	}
	return document.Document{Title: e.title(), Sections: []document.Section{s}}, nil
}

// Forms returns the forms of the result: tables for a terminal, .svg, .csv with a row for
// each position, .json, and a page (.html) that names the command line.
func (e *Evaluated) Forms(command string) document.Forms {
	return document.Answer{Text: e.text, Figure: e.figure, Page: e.page, Numbers: e.numbers, Value: e}.Forms(command)
}
