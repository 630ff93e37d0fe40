package mess3

import (
	"context"
	"fmt"
	"math"

	"foretell/claim"
	"foretell/figure"
	"foretell/paper/internal/trained"

	"gonum.org/v1/gonum/stat"
)

// The rule of M4.
const (
	ovCosine = 0.95 // of every vector with Eq. 14
	ovLength = 0.2  // how far the median ratio of lengths may be off 1
	ovMedian = 0.9  // differs if the median cosine reaches this
)

// ovVectors is M4: Piotrowski et al. 2025, Fig. 2A and 2B and Eq. 14.
func (l *lab) ovVectors() claim.Row {
	return claim.Row{
		ID: "M4", Source: cite + "Fig. 2A and 2B, Eq. 14",
		Statement: "OV vectors have one direction a token, and a length proportional to 1/A(m+1, m).",
		Expected: fmt.Sprintf("x = 0.15, the part that depends on the token: for every (position, token), measured "+
			"against predicted by Eq. 14: cosine ≥ %g, and the median ratio of lengths within %s of 1; differs if "+
			"the median cosine is ≥ %g", ovCosine, percent(ovLength), ovMedian),
		Trainings: trained.Trainings(l.withHeads(1)),
		Test: claim.Steps[movers]{
			Measure: l.measureOV, Judge: movers.judge, Tabulate: movers.tabulate, Draw: movers.draw,
		}.Test,
	}
}

// movers are what the heads of several models hand on.
type movers struct {
	setting string
	models  []mover
}

// mover is that of one.
type mover struct {
	trained.Condition
	main    bool // with the normalisation that the rule is about
	vectors []ovVector

	cosines, lengths, positional, whole summary // of the vectors, see there
}

// ovVector is an OV vector in the plane of the simplex, of a source position and
// a token: what depends on the token.
type ovVector struct {
	position, token     int // from 1, from 0
	measured, predicted point
	shared              point // the part of v that all tokens share
	embedding           point // the residual stream that the head reads
}

// cosine is that of the vector with Eq. 14.
func (v ovVector) cosine() float64 { return cosine(v.measured, v.predicted) }

// whole is the same with the part that all tokens share left in.
func (v ovVector) whole() float64 { return cosine(v.measured.plus(v.shared), v.predicted) }

// lengths is the measured length relative to that of Eq. 14.
func (v ovVector) lengths() float64 { return v.measured.length() / v.predicted.length() }

// positional is the length of the part that all tokens share, relative to the vector's.
func (v ovVector) positional() float64 { return v.shared.length() / v.measured.length() }

func (l *lab) measureOV(ctx context.Context, s *claim.Study) (movers, error) {
	found := movers{setting: l.setting}
	subjects, err := l.of(ctx, s, l.withHeads(1))
	for _, m := range subjects {
		vectors, err := m.ovVectors()
		if err != nil {
			return found, err
		}
		found.models = append(found.models, mover{
			Condition: m.Condition, main: l.isMain(m.Condition), vectors: vectors,
			cosines: summarise(vectors, ovVector.cosine), lengths: summarise(vectors, ovVector.lengths),
			positional: summarise(vectors, ovVector.positional), whole: summarise(vectors, ovVector.whole),
		})
	}
	return found, err
}

// ovVectors returns the OV vectors of the first head for each token at positions 1 …
// n_ctx−1, through f and beside Eq. 14.
func (s *subject) ovVectors() ([]ovVector, error) {
	first, err := s.readFirstLayer()
	if err != nil {
		return nil, err
	}
	measured, shared := s.split(first.OV(s.Model, 0), first.Tokens)
	embeddings, _ := s.split(first.Resid, first.Tokens)
	list := make([]ovVector, len(measured))
	for i := range list {
		position, token := i/first.Tokens, i%first.Tokens
		list[i] = ovVector{
			position: position + 1, token: token,
			measured: measured[i], shared: shared[position], embedding: embeddings[i],
		}
		if list[i].predicted, err = s.eq14(position+1, token); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// eq14 is what Eq. 14 makes of a token at position m, through f:
//
//	f(v_m) = ζ/A(m+1, m)·(Pr(S|z) − π)
func (s *subject) eq14(m, token int) (point, error) {
	source, err := s.HMM.Constrained([]int32{int32(token)})
	if err != nil {
		return point{}, err
	}
	pi := s.HMM.Stationary()
	scale := s.Zeta() / toNext(s.patterns[0], m)
	predicted := make([]float64, len(pi))
	for j := range pi {
		predicted[j] = pi[j] + scale*(source[j]-pi[j])
	}
	return project(predicted), nil
}

func (m movers) judge() claim.Finding {
	least, middle, whole, length := 1.0, 1.0, 1.0, 0.0
	for _, v := range m.models {
		if v.main {
			least, middle = min(least, v.cosines.least), min(middle, v.cosines.median)
			whole, length = min(whole, v.whole.median), max(length, math.Abs(v.lengths.median-1))
		}
	}
	found := claim.Finding{
		Verdict: claim.Fails,
		Obtained: fmt.Sprintf("the part that depends on the token: smallest cosine %.4f, median %.4f; median ratio "+
			"of lengths within %.0f %% of 1. With the part that all tokens share at a position left in, the median "+
			"cosine is %.2f", least, middle, 100*length, whole),
	}
	switch {
	case least >= ovCosine && length <= ovLength:
		found.Verdict = claim.Holds
	case middle >= ovMedian:
		found.Verdict = claim.Differs
	}
	return found
}

func (m movers) tabulate(c *claim.Claim) {
	table := claim.Table{
		Title: "OV vectors of positions 1–9 and three tokens through the regression f, against Eq. 14",
		Columns: []string{
			"model", "smallest cosine", "median cosine", "median |v| / |Eq. 14|", "smallest |v| / |Eq. 14|",
			"largest |v| / |Eq. 14|", "correlation of the lengths", "median positional part / |v|",
			"median cosine with the positional part left in",
		},
	}
	for _, v := range m.models {
		table.Rows = append(table.Rows, []string{
			v.Label(), fmt.Sprintf("%.4f", v.cosines.least), fmt.Sprintf("%.4f", v.cosines.median),
			fmt.Sprintf("%.3f", v.lengths.median), fmt.Sprintf("%.3f", v.lengths.least),
			fmt.Sprintf("%.3f", v.lengths.most), lengthCorrelation(v.vectors),
			fmt.Sprintf("%.2f", v.positional.median), fmt.Sprintf("%.4f", v.whole.median),
		})
	}
	c.Tables, c.Setting = append(c.Tables, table), m.setting
	c.Notes = append(c.Notes,
		"f is the linear part of the probability-weighted regression from the intermediate residual stream to "+
			"constrained beliefs (all rows). A(m+1, m) is the mean over all words.",
		"Compared is the part of v that depends on the token: at each position the mean over tokens is taken off, "+
			"which is zero for the predicted vectors. The part that all tokens share carries no information about "+
			"the sequence, and the positions' embeddings can undo it, so that the theory fixes it only together "+
			"with these. Its size, and the cosine with it, are in the last two columns. The rule says nothing of "+
			"that part; it was first applied with it (docs/log.md).",
		"The rule asks for the median length alone; whether lengths are proportional to 1/A(m+1, m) is the column "+
			"of their correlation.",
		"Without layer norm x·W_V·W_O is linear in token plus position, so that the token's part of v has one "+
			"length at all positions, whatever the training. The paper's shorter first vector (Fig. 2A) is possible "+
			"with layer norm only; its models, whose normalisation it does not state, presumably had one.")
}

// sameLength is the range of a token's lengths, relative to the mean of all, up to which
// it has one length.
const sameLength = 1e-3

// lengthCorrelation is Pearson's correlation of measured and predicted lengths,
// or a word where each token has one measured length at all positions.
func lengthCorrelation(vectors []ovVector) string {
	measured, predicted := make([]float64, len(vectors)), make([]float64, len(vectors))
	ofToken := map[int][]ovVector{}
	for i, v := range vectors {
		measured[i], predicted[i] = v.measured.length(), v.predicted.length()
		ofToken[v.token] = append(ofToken[v.token], v)
	}
	for _, of := range ofToken {
		length := summarise(of, func(v ovVector) float64 { return v.measured.length() })
		if length.most-length.least > sameLength*stat.Mean(measured, nil) {
			return fmt.Sprintf("%.3f", stat.Correlation(measured, predicted, nil))
		}
	}
	return "equal lengths"
}

func (m movers) draw(out *claim.Output) {
	var panels []figure.Panel
	var rows [][]float64
	for _, v := range m.models {
		if v.main {
			panels = append(panels, ovPanel(v.Source.String(), v.vectors))
			rows = append(rows, v.rows()...)
		}
	}
	out.Figure("ov", "Each arrow is what one position hands on for one token, seen through f: filled as measured, "+
		"open as Eq. 14 predicts from the process and one attention weight. By Eq. 14 the vectors of a position are "+
		"the shorter the more attention it gets, the first position's shortest. Dots near the centre are the "+
		"embeddings that the head reads.",
		&figure.Figure{
			Title: "OV vectors, measured and predicted",
			Desc: "For each process the OV vectors of all positions and tokens as arrows in the plane of the " +
				"simplex: three directions, one a token; predictions lie on them.",
			Panels: [][]figure.Panel{panels},
		})
	out.CSV("ov", []string{
		"x", "alpha", "position", "token", "measured_x", "measured_y", "predicted_x", "predicted_y",
		"cosine", "length_ratio",
	}, rows)
}

// rows are the vectors, for the file of data.
func (m mover) rows() (rows [][]float64) {
	for _, v := range m.vectors {
		rows = append(rows, []float64{
			m.X, m.A, float64(v.position), float64(v.token),
			v.measured[0], v.measured[1], v.predicted[0], v.predicted[1], v.cosine(), v.lengths(),
		})
	}
	return rows
}

// ovPanel draws the vectors, a colour a token.
func ovPanel(title string, vectors []ovVector) figure.Panel {
	p := figure.Plane{Title: title, X: "belief plane", Y: "belief plane"}
	for token := range 3 {
		name := fmt.Sprintf("token %d, ", token)
		measured := figure.Arrows{Name: name + "measured", Color: token + 1}
		predicted := figure.Arrows{Name: name + "Eq. 14", Color: token + 1, Open: true}
		embedding := figure.Points{Name: name + "embedding", Color: token + 1, Radius: []float64{2}}
		for _, v := range vectors {
			if v.token != token {
				continue
			}
			measured.X, measured.Y = append(measured.X, v.measured[0]), append(measured.Y, v.measured[1])
			predicted.X, predicted.Y = append(predicted.X, v.predicted[0]), append(predicted.Y, v.predicted[1])
			embedding.X, embedding.Y = append(embedding.X, v.embedding[0]), append(embedding.Y, v.embedding[1])
		}
		p.Layers = append(p.Layers, measured, predicted, embedding)
	}
	return p
}
