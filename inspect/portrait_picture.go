package inspect

import (
	"context"
	"fmt"
	"image/color"
	"math"
	"slices"

	"foretell/describe"
	"foretell/figure"
	"foretell/model"
	"foretell/probe"
	"foretell/process"
)

const (
	portrayedSeed = 2       // seed of the sequences that are sampled if there are too many to keep
	mostPortrayed = 100_000 // largest number of sequences in a picture
	flatVariance  = 1e-9    // a direction with at most this share of the variance counts as constant
)

// pictured holds the sequences of a picture, with their true values and, at each stage,
// their readings and principal components. Rows of tables follow the field rows.
type pictured struct {
	words      *process.Prefixes
	rows       []int // indices, in words, of the sequences of positive probability
	target     probe.Target
	truth      probe.Table // true values of the target
	tint       probe.Table // values that colour the sequences: truth, or the beliefs
	tinted     probe.Target
	truths     []truth
	reads      []probe.Table    // [stage]: values of the target as read from it
	components []probe.Table    // [stage]: activations along their first three principal components
	shares     [][3]float64     // [stage]: shares of the variance of these components
	principal  *probe.Principal // of truth
	names      []string         // columns of truth
	colour     func(truth []float64) color.NRGBA
}

// truth is a quantity that the process defines for each sequence, such as its belief.
type truth struct {
	name  string
	data  probe.Table
	about string // a sentence that explains the quantity, or "" for the target itself
}

// picture computes the data of the figures, for the sequences of the analysis or, if they
// are too many to keep, for sampled sequences. Readings use the fits of the analysis.
func (p *Portrait) picture(ctx context.Context, a *probe.Analysis, m *model.Transformer[float32]) error {
	kept, err := p.activations(ctx, a, m)
	if err != nil {
		return err
	}
	s, err := p.truths(ctx, kept.Prefixes)
	if err != nil {
		return err
	}
	s.addTruths(ctx)
	for _, f := range a.Plan.Features {
		activations := s.of(kept.Table(f))
		s.reads = append(s.reads, s.read(a.Regress(p.target, f).Fits, activations))
		s.addComponents(a.Principal(f), activations)
	}
	p.seen = s
	return nil
}

// activations returns an analysis that keeps the activations for the sequences drawn.
func (p *Portrait) activations(ctx context.Context, a *probe.Analysis,
	m *model.Transformer[float32],
) (*probe.Analysis, error) {
	width, err := stageNumbers(m, m.Config.ResidualStages())
	if err != nil {
		return nil, err
	}
	words, most := a.Prefixes, min(mostPortrayed, mostKept/width)
	if words.Rows() > most {
		words, err = probe.SampleWords(ctx, p.source, words.Length, max(1, most/words.Length), portrayedSeed)
		if err != nil {
			return nil, err
		}
	}
	return probe.Analyze(ctx, m, words, probe.Plan{Features: a.Plan.Features, Keep: true, Workers: a.Plan.Workers})
}

// read returns what regressions read from the activations, a row for each sequence drawn.
// fits holds one fit for all sequences, or one for each position.
func (s *pictured) read(fits []probe.Fit, activations probe.Table) probe.Table {
	if len(fits) == 1 {
		return fits[0].Predict(activations)
	}
	read := probe.Table{Width: fits[0].Coef.Width}
	for i, row := range s.rows {
		position, _ := s.words.Position(row)
		one := fits[position-1].Predict(probe.Table{Data: activations.Row(i), Width: activations.Width})
		read.Data = append(read.Data, one.Data...)
	}
	return read
}

// columns returns the names of the target's columns: states or tokens.
func (p *Portrait) columns() []string {
	if o, ok := p.source.(process.Observer); ok && p.target.Name != probe.NextTokens.Name {
		return o.States()
	}
	return p.source.Tokens()
}

// of returns the rows of a table that belong to sequences of positive probability.
func (s *pictured) of(all probe.Table) probe.Table {
	t := probe.Table{Width: all.Width, Data: make([]float64, 0, len(s.rows)*all.Width)}
	for _, row := range s.rows {
		t.Data = append(t.Data, all.Row(row)...)
	}
	return t
}

// addTruths adds the true values of the target. If the target is the beliefs, it also
// adds the constrained and the linear beliefs, which one layer of attention can build.
func (s *pictured) addTruths(ctx context.Context) {
	target := s.target
	title := target.Title
	switch target.Name {
	case probe.NextTokens.Name:
		title = "optimal next tokens"
	case probe.Beliefs.Name:
		title = "optimal " + title
	}
	s.truths = []truth{{name: title, data: s.truth}}
	if target.Name != probe.Beliefs.Name {
		return
	}
	for _, t := range []struct {
		name   string
		target probe.Target
		about  string
	}{
		{
			"constrained beliefs", probe.Constrained, "Constrained beliefs add up what each token says by itself, as " +
				"one layer of attention can; information shared by several tokens is counted several times.",
		},
		{
			"linear beliefs", probe.Linear, "Linear beliefs are the closest sum of that kind: the contribution of " +
				"each token depends on its position, but not on the other tokens.",
		},
	} {
		if data, err := t.target.Of(ctx, s.words); err == nil {
			s.truths = append(s.truths, truth{t.name, s.of(data), t.about})
		}
	}
}

// addComponents projects the activations of a stage onto their first three principal
// components.
func (s *pictured) addComponents(c *probe.Principal, activations probe.Table) {
	s.components = append(s.components, onto(c, activations, 3))
	s.shares = append(s.shares, sharesOf(c))
}

// sharesOf returns the shares of the variance along the first three components.
func sharesOf(c *probe.Principal) (shares [3]float64) {
	total := 0.0
	for _, v := range c.Variance {
		total += v
	}
	for i := range min(len(shares), len(c.Variance)) {
		shares[i] = c.Variance[i] / max(total, 1e-300)
	}
	return shares
}

// onto projects the rows of a table onto the first n principal components. A coordinate
// that the table has no column for is 0.
func onto(c *probe.Principal, t probe.Table, n int) probe.Table {
	at := c.Project(t, min(n, t.Width))
	if at.Width == n {
		return at
	}
	wide := probe.Table{Width: n, Data: make([]float64, at.Rows()*n)}
	for i := range at.Rows() {
		copy(wide.Row(i), at.Row(i))
	}
	return wide
}

// chooseColours chooses the colours of sequences: by their three probabilities, or by
// their coordinates along the first three principal components of the true values. In the
// triangle, constrained and linear beliefs have the colours of the beliefs, so that the
// pictures can be compared.
func (s *pictured) chooseColours(ctx context.Context) {
	s.colour, s.tint, s.tinted = describe.Colours(s.principal, s.truth), s.truth, s.target
	if s.triangular() {
		if beliefs, err := probe.Beliefs.Of(ctx, s.words); err == nil && ofAttention(s.target) {
			s.tint, s.tinted = s.of(beliefs), probe.Beliefs
		}
		s.colour = func(b []float64) color.NRGBA { return figure.RGB(b[0], b[1], b[2]) }
	}
}

// ofAttention reports whether a target is a sum that attention can build, which no
// observer holds.
func ofAttention(t probe.Target) bool {
	return t.Name == probe.Constrained.Name || t.Name == probe.Linear.Name
}

// triangular reports whether the true values are drawn in the triangle of three
// probabilities. They are if they have three entries with sum 1 that are not negative.
// Constrained and linear beliefs, which approximate beliefs, may have negative entries.
func (s *pictured) triangular() bool {
	if s.truth.Width != 3 || s.linear() {
		return false
	}
	for i := range s.truth.Rows() {
		row := s.truth.Row(i)
		inside := min(row[0], row[1], row[2]) >= -1e-9 || ofAttention(s.target)
		if !inside || !(math.Abs(row[0]+row[1]+row[2]-1) <= 1e-6) {
			return false
		}
	}
	return true
}

// linear reports whether the true values are on a line.
func (s *pictured) linear() bool {
	v := s.principal.Variance
	return len(v) < 2 || v[1] <= flatVariance*v[0]
}

// widest returns the column of the true values that varies most.
func (s *pictured) widest() (column int) {
	most := -1.0
	for j := range s.truth.Width {
		lo, hi := s.truth.Row(0)[j], s.truth.Row(0)[j]
		for i := range s.truth.Rows() {
			lo, hi = min(lo, s.truth.Row(i)[j]), max(hi, s.truth.Row(i)[j])
		}
		if hi-lo > most+1e-9 {
			most, column = hi-lo, j
		}
	}
	return column
}

// coordinates returns the two coordinates at which each row of a table is drawn, and the
// names of the axes. The table has the columns of the true values.
func (s *pictured) coordinates(t probe.Table) (at probe.Table, x, y string) {
	switch {
	case s.linear():
		j := s.widest()
		at = probe.Table{Width: 2}
		for i := range t.Rows() {
			at.Data = append(at.Data, s.truth.Row(i)[j], t.Row(i)[j])
		}
		return at, fmt.Sprintf("Pr(%s)", s.names[j]), "read"
	case s.triangular():
		at = probe.Table{Width: 2}
		for row := range slices.Chunk(t.Data, 3) {
			px, py := figure.Project(row[0], row[1], row[2])
			at.Data = append(at.Data, px, py)
		}
		return at, "", ""
	}
	return onto(s.principal, t, 2), "first principal component", "second"
}
