package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"

	"foretell/process"
)

// attended is what `process show` shows of the spectrum of T and of the attention
// that theory asks for.
type attended struct {
	Modes []attendedMode `json:"modes"`
	Heads struct {
		Future   int `json:"future"`
		Next     int `json:"next"`
		Belief   int `json:"belief"`
		Separate int `json:"separate"`
	} `json:"heads"`
	Predicted []predictedHead `json:"predicted"` // attention that builds the constrained beliefs, of up to mostAttended heads
}

// predictedHead is a head as theory predicts it, see process.AttentionHead.
type predictedHead struct {
	Pattern [][]float64   `json:"pattern"` // (destination, source)
	OV      [][][]float64 `json:"ov"`      // (position, token, state)
}

// attendedMode is a mode of T, see process.Mode.
type attendedMode struct {
	Eigenvalue   [2]float64 `json:"eigenvalue"` // real and imaginary part
	Pair         bool       `json:"pair"`
	Modulus      float64    `json:"modulus"`
	Phase        float64    `json:"phase"` // radians
	Multiplicity int        `json:"multiplicity"`
	Index        int        `json:"index"`
	Excited      int        `json:"excited"`
	Future       int        `json:"future"`
	Next         int        `json:"next"`
	Heads        int        `json:"heads"`
	Attention    string     `json:"attention"`
}

func attend(s *process.Spectrum) *attended {
	a := &attended{}
	for _, m := range s.Modes {
		a.Modes = append(a.Modes, attendedMode{
			Eigenvalue: [2]float64{real(m.Eigenvalue), imag(m.Eigenvalue)}, Pair: m.Pair(), Modulus: m.Modulus(), Phase: m.Phase(),
			Multiplicity: m.Multiplicity, Index: m.Index, Excited: m.Excited, Future: m.Future, Next: m.Next,
			Heads: m.Heads(), Attention: attentionTo(m),
		})
	}
	heads := s.Heads()
	a.Heads.Future, a.Heads.Next, a.Heads.Belief, a.Heads.Separate = heads.Future, heads.Next, heads.Belief, heads.Separate
	if heads.Belief > mostAttended { // nobody would read them, and they take longer than all the rest
		return a
	}
	predicted := s.Attention(attendedPositions)
	for _, head := range predicted.Heads {
		p := predictedHead{Pattern: square(head.Pattern, attendedPositions)}
		vectors := slices.Collect(slices.Chunk(head.OV, predicted.States))
		for byToken := range slices.Chunk(vectors, predicted.Alphabet) {
			p.OV = append(p.OV, byToken)
		}
		a.Predicted = append(a.Predicted, p)
	}
	return a
}

// attentionTo says in words what attention has to do for a mode, over lags n.
func attentionTo(m process.Mode) string {
	lambda, power := real(m.Eigenvalue), "λⁿ"
	if m.Future > 1 {
		power = fmt.Sprintf("nᵏλⁿ, k < %d", m.Future)
	}
	switch {
	case m.Excited == 0:
		return "no token moves it"
	case m.Future == 0:
		return "no future sees it"
	case m.Pair():
		return fmt.Sprintf("%s, turning by %.1f° a step", power, m.Phase()*180/math.Pi)
	case lambda == 0 && m.Future == 1:
		return "lag 0 alone, which the embedding has"
	case lambda == 0:
		return fmt.Sprintf("lags up to %d", m.Future-1)
	case lambda < 0:
		return power + ", even lags against odd ones"
	}
	return power
}

func (a *attended) print(out io.Writer) error {
	fmt.Fprint(out, "\nspectrum of T (what one layer of attention has to do, by the lag n)\n")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, m := range a.Modes {
		sign := ""
		if m.Pair {
			sign = fmt.Sprintf(" ± %si", number(m.Eigenvalue[1]))
		}
		fmt.Fprintf(w, "  λ = %s%s\t×%d\t|λ| %s\tphase %s\tindex %d\t%s\t%s\n",
			number(m.Eigenvalue[0]), sign, m.Multiplicity, number(m.Modulus), number(m.Phase), m.Index, count(m.Heads, "head"), m.Attention)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "attention heads          %d (for the next token alone %d; for the belief over states %d; with heads of its own for each mode %d)\n",
		a.Heads.Future, a.Heads.Next, a.Heads.Belief, a.Heads.Separate)
	for i, head := range a.Predicted {
		last := slices.Clone(head.Pattern[len(head.Pattern)-1])
		slices.Reverse(last)
		what := "  by lag 0, 1, 2 …      "
		if i > 0 {
			what = "                        "
		}
		fmt.Fprintf(out, "%s head %d: %s\n", what, i, numbers(last))
	}
	return nil
}
