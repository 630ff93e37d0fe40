package induction

import (
	"context"
	"fmt"

	"foretell/claim"
	"foretell/craft"
	"foretell/document"
	"foretell/model"
	"foretell/paper/internal/numerals"
)

// adds returns row I16, which goes beyond the claims of D'Angelo et al. 2025.
func (l *lab) adds() claim.Row {
	return texts.Fill(claim.Row{
		ID: "I16", Kind: claim.Beyond, Setting: l.constructedSetting(),
		RuleCommit: "c216138", ChangedAfterResult: true,
		First: claim.FirstBy("c216138", adding.judge),
		Test: claim.Steps[adding]{
			Measure: l.measureStandard, Judge: adding.judge, Tabulate: adding.tabulate, Draw: adding.draw,
		}.Test,
	}, map[string]any{
		"equal": numerals.Scientific(equal), "from": judgedFrom, "lags": example, "matches": matches,
	})
}

// adding holds the measurements of row I16.
type adding struct {
	worst float64 // largest difference of the attention from the closed form
	cases int
	along lines // BMA, ML, the disentangled and the standard transformer
	sizes document.Frame
}

func (l *lab) measureStandard(ctx context.Context, s *claim.Study) (adding, error) {
	var m adding
	trials := trialsOf([][]int{{1, 2, 3}, {1, 3, 4}, {1, 3}, {2, 5}})
	for _, t := range trials {
		m.compare(t)
	}
	m.size()
	var err error
	m.along, err = l.constructedAlong(ctx, s, example, func(c craft.Induction) []asked {
		return []asked{{name: "disentangled", Induction: c}, {name: "standard", Induction: c, standard: true}}
	})
	return m, err
}

// compare compares the attention with the closed form for a set of lags and every kind of
// third layer.
func (m *adding) compare(t trial) {
	for _, third := range craft.ThirdLayers {
		c := t.tried()
		if c.Third = third; third == craft.Transposed {
			if len(t.lags) != 2 {
				continue
			}
			c.Heads = 1
		}
		of := must(c.Standard())
		got := must(craft.InductionPass(of, t.tokens))
		want := must(c.ClosedForm(t.tokens))
		// The outputs differ: one is a geometric mean of rows of P, one an arithmetic one.
		got.Output, want.Output = nil, nil
		m.worst = worse(m.worst, apart(got, want))
		m.cases++
	}
}

// size counts the parameters of both kinds of transformer.
func (m *adding) size() {
	m.sizes = document.Frame{
		Title:   fmt.Sprintf("Sizes for a context of %d tokens over an alphabet of %d", paperLength, len(transition)),
		Columns: document.Headed("", "lags", "kind", "width of the stream", "heads", "parameters", "parameters ≠ 0"),
	}
	for _, of := range []task{example, nonContiguous, twoApart} {
		c := construction(of.lags(), paperLength)
		c.Third = craft.Positional
		kinds := []asked{{name: "disentangled", Induction: c}, {name: "standard", Induction: c, standard: true}}
		for _, a := range kinds {
			made := a.model()
			m.sizes.Row(of, a.name, made.Config.Width(made.Config.NLayers), fmt.Sprint([]int(made.Config.NHeads)),
				numerals.Grouped(made.Config.Parameters()), numerals.Grouped(written(made)))
		}
	}
}

// written returns the number of weights that are not 0.
func written(m *model.Transformer[float64]) int {
	n := 0
	for _, x := range m.Weights.Data {
		if x != 0 {
			n++
		}
	}
	return n
}

// behind returns the divergence of the standard transformer minus the disentangled one's.
func (m adding) behind() (mean, se float64) {
	return m.along.list[3].above(m.along.list[2].curve, judgedFrom)
}

func (m adding) judge() claim.Finding {
	behind, se := m.behind()
	f := claim.Finding{
		Verdict: claim.Holds,
		Obtained: fmt.Sprintf("attention differs from the closed form by at most %.1e in %d cases; the divergence is "+
			"%.5f ± %.5f nats more than the disentangled transformer's",
			m.worst, m.cases, behind, se),
		Effect: claim.Measured("divergence of the standard transformer minus the disentangled one's", "nats",
			behind, se),
	}
	switch {
	case !(m.worst <= equal):
		f.Verdict = claim.Fails
	case max(behind, -behind) > matches:
		f.Verdict, f.Reason = claim.Differs, claim.Size
	}
	return f
}

func (m adding) tabulate(c *claim.Claim) {
	c.Tables = append(c.Tables, m.sizes.Table(), m.along.table())
}

func (m adding) draw(out *claim.Output) { m.along.draw(out) }
