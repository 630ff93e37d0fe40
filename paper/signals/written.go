package signals

import (
	"context"
	"fmt"

	"foretell/claim"
	"foretell/document"
)

const (
	writtenSequences = 200 // sequences of each signal on which hand-written transformers are tried
	writtenContext   = 64  // tokens of each sequence: the lecture's K
)

// writtenByHand returns row S9: transformers whose weights are written by hand.
func writtenByHand() claim.Row {
	return texts.Fill(claim.Row{
		ID: "S9", Kind: claim.Explanation, Severity: claim.Local,
		RuleCommit: "1fa5d76", ChangedAfterResult: true,
		Setting: fmt.Sprintf("%d sequences of %d tokens, each with one more token to predict",
			writtenSequences, writtenContext),
		First: claim.FirstBy("1fa5d76", claim.Decided(handwork.judge)),
		Test: claim.Steps[handwork]{
			Measure: measureWritten, Judge: handwork.judge, Tabulate: handwork.tabulate, Draw: handwork.draw,
		}.Test,
	}, map[string]any{"sequences": writtenSequences, "tokens": writtenContext, "exact": exact})
}

// handwork holds the measurements of S9.
type handwork struct {
	list  []construction
	shown []shownModel
}

// construction is one of the lecture's constructions of a transformer, with hand-written
// weights that do what the lecture says.
type construction struct {
	name    string
	printed string  // what the printed construction lacks; empty if it works as printed
	given   string  // what the hand-written weights do instead
	trained float64 // conditional accuracy of the lecture's trained transformer; 0 if not stated
	beyond  bool    // whether the lecture gives no construction

	double, single score      // scores of the hand-written weights, in float64 and float32
	shortcuts      []shortcut // variants that lack a part of the construction; the printed variant is first
	head           *peak      // attention of a construction that is one head; nil for others
	size           string     // layers, heads, width and neurons of the model, as text
}

// peak is the attention that a head gives to the offset for which it was written.
type peak struct {
	there   float64 // least attention at the offset, over positions that have a source there
	printed float64 // largest attention at the offset that the printed head can have
}

// shortcut is a model or a rule for guessing that lacks a part of a construction.
type shortcut struct {
	name string
	score
}

// score is the result of a model, or of a rule for guessing, on sequences of a signal.
type score struct {
	steps, right int     // retrieval steps, and how many are predicted correctly
	tokens, all  int     // tokens after the first, and how many are predicted correctly
	worst        float64 // a model's largest divergence from the optimal predictor, in nats
}

// share returns the conditional accuracy.
func (s score) share() float64 { return float64(s.right) / float64(max(1, s.steps)) }

// global returns the accuracy on all tokens but the first.
func (s score) global() float64 { return float64(s.all) / float64(max(1, s.tokens)) }

func (s score) perfect() bool { return s.steps > 0 && s.right == s.steps }

// does reports whether the hand-written weights do what the slide says.
func (c construction) does() bool {
	return c.double.perfect() && c.single.perfect() && (c.head == nil || c.head.there >= 1-exact)
}

// effect returns the attention at the offset if the construction is one head, and the
// conditional accuracy otherwise.
func (c construction) effect() *claim.Effect {
	if c.head != nil {
		e := claim.Exactly("least attention at the offset", "", c.head.there)
		if c.head.printed > 0 {
			e.Against("the most with the printed head", c.head.printed)
		}
		return e
	}
	e := claim.Exactly("conditional accuracy", "", c.double.share())
	if c.trained > 0 {
		e.Beside("the lecture's trained transformer", c.trained)
	}
	if len(c.shortcuts) > 0 {
		e.Against(c.shortcuts[0].name, c.shortcuts[0].share())
	}
	return e
}

// obtained describes the results of the hand-written weights and of the shortcuts.
func (c construction) obtained() string {
	words := fmt.Sprintf("%d of %d retrieval steps correct, %d in float32; KL at most %s nats, %s in float32",
		c.double.right, c.double.steps, c.single.right, orZero(c.double.worst), orZero(c.single.worst))
	for _, s := range c.shortcuts {
		words += fmt.Sprintf("; %s: %.1f %%", s.name, 100*s.share())
	}
	return words
}

// orZero formats a small number as 1.2e-08, and 0 as “0”.
func orZero(x float64) string {
	if x == 0 {
		return "0"
	}
	return fmt.Sprintf("%.1e", x)
}

func (c construction) condition() claim.Condition {
	found := claim.Condition{
		Name: c.name, Verdict: claim.Holds, Converged: true, Effect: c.effect(), Obtained: c.obtained(),
	}
	switch {
	case !c.does():
		found.Verdict = claim.Fails
	case c.printed != "":
		found.Verdict = claim.Corrected
		found.Obtained += "; as printed, " + c.printed
	}
	return found
}

func (m handwork) judge() claim.Finding {
	var conditions []claim.Condition
	var asked []claim.Question
	for _, c := range m.list {
		if !c.beyond {
			conditions = append(conditions, c.condition())
			continue
		}
		asked = append(asked, claim.Question{
			Question: fmt.Sprintf("Does a transformer need more than three layers for %s, as “L ≤ 3 is near random” "+
				"and “enough layers to compose” suggest?", c.name),
			Answer: claim.AnswerIf(!c.does()), Effect: c.effect(), Obtained: "hand-written weights with three " +
				"layers: " + c.obtained(),
		})
	}
	found := claim.NewFinding(conditions)
	found.Asked = asked
	return found
}

func measureWritten(ctx context.Context, _ *claim.Study) (handwork, error) {
	var m handwork
	for _, write := range []func() (construction, shownModel, error){
		oneDelay("sinusoidal"), oneDelay("rotary"), writeSwitching, writeRouting, writeBrackets,
	} {
		if err := ctx.Err(); err != nil {
			return m, err
		}
		c, shown, err := write()
		if err != nil {
			return m, err
		}
		m.list = append(m.list, c)
		m.shown = append(m.shown, shown)
	}
	return m, nil
}

func (m handwork) tabulate(c *claim.Claim) {
	f := document.Frame{
		Title: "accuracy, %",
		Columns: document.Headed("%.2f", "construction", "retrieval steps", "in float32",
			"the lecture's trained transformer", "all tokens but the first", "largest KL, nats", "in float32", "size"),
	}
	for _, x := range m.list {
		var trained any = ""
		if x.trained > 0 {
			trained = document.Formatted{Format: "%.1f", Value: 100 * x.trained}
		}
		f.Row(x.name, 100*x.double.share(), 100*x.single.share(), trained, 100*x.double.global(),
			document.Shown{Text: orZero(x.double.worst), Value: x.double.worst},
			document.Shown{Text: orZero(x.single.worst), Value: x.single.worst}, x.size)
		for _, s := range x.shortcuts {
			f.Row(x.name+", "+s.name, 100*s.share(), "", "", 100*s.global(), "", "", "")
		}
	}
	c.Tables = append(c.Tables, f.Table(), m.corrections())
}

func (m handwork) corrections() document.Table {
	var rows [][]string
	for _, x := range m.list {
		printed := x.printed
		if printed == "" {
			printed = "no construction"
		}
		rows = append(rows, []string{x.name, printed, x.given})
	}
	return document.Texts("the printed constructions, and the written ones",
		[]string{"construction", "as printed", "as written"}, rows...)
}
