package induction

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"foretell/claim"
	"foretell/craft"
	"foretell/document"
	"foretell/figure"
	"foretell/internal/random"
	"foretell/paper/internal/numerals"
)

// searched is the largest lag in the sets for which row I5 searches for the smallest
// number of heads.
const searched = 10

// anyLags returns row I5, which tests D'Angelo et al. 2025, App. I.
func (l *lab) anyLags() claim.Row {
	return texts.Fill(claim.Row{
		ID: "I5", Kind: claim.Formula, Severity: claim.Consequential, Setting: l.constructedSetting(),
		RuleCommit: "c216138", ChangedAfterResult: true,
		First: claim.FirstBy("c216138", anySets.judge),
		Test: claim.Steps[anySets]{
			Measure: l.measureAnyLags, Judge: anySets.judge, Tabulate: anySets.tabulate, Draw: anySets.draw,
		}.Test,
	}, map[string]any{"equal": numerals.Scientific(equal), "searched": searched})
}

// anySets holds the measurements of row I5.
type anySets struct {
	construct
	sets []headCount
}

// headCount holds the smallest number of heads for a set of lags (fewest), and the
// number for its hull, the contiguous set around it. [craft.HeadPattern] explains the
// other fields.
type headCount struct {
	lags         []int
	fewest, hull int
	proven       bool
	of           []int
	segment      int
}

func (l *lab) measureAnyLags(ctx context.Context, s *claim.Study) (anySets, error) {
	var m anySets
	sets := [][]int{{1, 3}, {1, 3, 4}, {3, 5, 7}, {1, 2, 5}, {1, 2, 6}}
	src := random.New(5, "paper/induction")
	for len(sets) < 25 {
		sets = append(sets, drawLags(src))
	}
	trials := trialsOf(sets)
	m.compare(trials, func(c craft.Induction) []craft.Induction {
		c.Third, c.Lambda = craft.Positional, 2*paperLambda
		hull := c
		hull.Heads = craft.Hull(c.Chain.Lags()).Heads
		return []craft.Induction{c, hull}
	})
	m.formulas = anyFormulas(trials)
	m.search()
	m.printed, m.right = "4 heads as printed", "4 heads"
	var err error
	m.along, err = l.constructedAlong(ctx, s, nonContiguous, func(c craft.Induction) []asked {
		one := c
		one.Heads = 1
		return []asked{
			{name: m.right, Induction: c},
			{name: "1 head", Induction: one},
			{name: m.printed, Induction: c, change: printedShift(c, 4)},
		}
	})
	return m, err
}

// drawLags returns a random set of two to five lags up to 12.
func drawLags(src *random.Stream) []int {
	var lags []int
	for want := 2 + int(src.Uint64()%4); len(lags) < want; {
		if lag := 1 + int(src.Uint64()%12); !slices.Contains(lags, lag) {
			lags = append(lags, lag)
		}
	}
	slices.Sort(lags)
	return lags
}

// search finds the smallest number of heads for every set that contains lag 1. The
// number depends only on the differences between lags, so other sets add nothing.
func (m *anySets) search() {
	for bits := range 1 << (searched - 1) {
		lags := []int{1}
		for k := 2; k <= searched; k++ {
			if bits&(1<<(k-2)) != 0 {
				lags = append(lags, k)
			}
		}
		p := craft.FewestHeads(lags)
		m.sets = append(m.sets, headCount{lags, p.Heads, craft.Hull(lags).Heads, p.Proven, p.Of, p.Segment})
	}
}

func (m anySets) find(lags ...int) headCount {
	at := slices.IndexFunc(m.sets, func(h headCount) bool { return slices.Equal(h.lags, lags) })
	if at < 0 {
		return headCount{}
	}
	return m.sets[at]
}

// anyFormulas tests the printed formulas of App. I.
func anyFormulas(trials []trial) []formula {
	list := try(
		attempt{formula{
			place: "App. I.1, J: A⁽¹⁾", printed: "+λ where j−i ∈ K (and, in the text version that we used, −λ " +
				"instead of λ in two of three places)",
			right: "where i−j ∈ K: sources do not come after the query",
		}, trials, extractRows},
		attempt{formula{
			place:   "App. I.2: diagonals of A⁽¹⁾",
			printed: "for {1, 3, 4} the 2nd, 3rd and 4th diagonals of A⁽¹⁾ are positive",
			right:   "the 2nd, 4th and 5th",
		}, trials, diagonalRows},
		attempt{formula{
			place: "App. I.2: B⁽³'ʰ⁾", printed: "β where (i−j−h+1) mod (k̂−min K+1) = 0",
			right: "β where (i−j+h) mod (k̂−min K+1) = 0; for other patterns, β where j−1−i ≥ 0 is an offset of head " +
				"h",
		}, trials, hullRows},
		attempt{formula{
			place: "App. I.1: period of B⁽³'¹⁾", printed: "columns of {1, 3} “cyclically repeat with frequency K”",
			right: "they repeat with period 2(k̂−min K) = 4, like the pattern (0, 0, 1, 1) of layer 2",
		}, trials, periodRows},
	)
	count := formula{
		place:   "App. I.1: number of heads",
		printed: "the contiguous problem takes “k̂ − min(K + 1)” heads",
		right:   "k̂ − min K + 1, as in Sec. 4.4",
		counter: "lags {1, 3}: 3, not 1", off: 2,
	}
	return append(list, count)
}

// extractRows checks A⁽¹⁾ as printed, with source and destination exchanged.
func extractRows(t trial) (off float64, where string, left float64) {
	printed, right := t.positionalPass(func(b *craft.InductionMatrices) { transpose(b.Extract) })
	off, where = firstOff(printed.Extract, right.Extract, t.longest())
	return off, where, t.extracted(right)
}

// extracted returns the largest difference between the first layer's attention and the
// normalised transition probabilities p̃.
func (t trial) extracted(f *craft.InductionForm) float64 {
	most := 0.0
	for i := t.longest(); i < len(t.tokens); i++ {
		total := 0.0
		for _, k := range t.lags {
			total += transition[t.tokens[i-k]][t.tokens[i]]
		}
		for _, k := range t.lags {
			p := transition[t.tokens[i-k]][t.tokens[i]] / total
			most = worse(most, max(p-f.Extract[i][i-k], f.Extract[i][i-k]-p))
		}
	}
	return most
}

// diagonalRows checks what App. I.2 says about the diagonals of A⁽¹⁾ for the lags {1, 3,
// 4}.
func diagonalRows(t trial) (off float64, where string, left float64) {
	if !slices.Equal(t.lags, []int{1, 3, 4}) {
		return 0, "", 0
	}
	printed, right := t.positionalPass(func(b *craft.InductionMatrices) {
		for i, row := range b.Extract {
			for j := range row {
				row[j] = -paperLambda
				if i-j >= 1 && i-j <= 3 {
					row[j] = paperLambda
				}
			}
		}
	})
	off, where = firstOff(printed.Extract, right.Extract, t.longest())
	return off, where, t.extracted(right)
}

// hullRows checks B⁽³'ʰ⁾ of App. I.2, with the number of heads of the contiguous set
// around the lags.
func hullRows(t trial) (off float64, where string, left float64) {
	c := t.tried()
	hull := craft.Hull(t.lags).Heads
	c.Third, c.Heads, c.Lambda = craft.Positional, hull, 2*paperLambda
	right := passOf(c, t.tokens)
	printed := passWith(c, t.tokens, printedShift(c, hull))
	want := must(c.ClosedForm(t.tokens))
	off, where = firstOff(printed.Select, right.Select, t.longest()+hull-1)
	return off, where, apart(right, want)
}

// periodRows checks what App. I.1 says about the columns of B⁽³'¹⁾ for the lags {1, 3}:
// they repeat with period 2.
func periodRows(t trial) (off float64, where string, left float64) {
	if !slices.Equal(t.lags, []int{1, 3}) {
		return 0, "", 0
	}
	c := t.tried()
	right := passOf(c, t.tokens)
	printed := passWith(c, t.tokens, func(b *craft.InductionMatrices) {
		for h := range b.Sum {
			first := b.Sum[h]
			b.Sum[h] = craft.FillInduction(len(first), func(i, j int) float64 { return first[i][j%2+len(first)-2] })
		}
	})
	want := must(c.ClosedForm(t.tokens))
	off, where = firstOff(printed.Select, right.Select, t.longest()+3)
	return off, where, apart(right, want)
}

// judge applies the rule for printed formulas, and compares the numbers of heads with
// the paper's.
func (m anySets) judge() claim.Finding {
	f := m.construct.judge()
	two, four := m.find(1, 3), m.find(1, 3, 4)
	saved, proven := 0, 0
	for _, h := range m.sets {
		if h.fewest < len(h.lags) || h.fewest > h.hull {
			f.Verdict = claim.Fails
		}
		if h.fewest < h.hull {
			saved++
		}
		if h.proven {
			proven++
		}
	}
	if two.fewest != 2 || four.fewest != 4 || !two.proven || !four.proven {
		f.Verdict = claim.Fails
	}
	f.Obtained = fmt.Sprintf("{1, 3} needs %d heads and {1, 3, 4} needs %d; of %d sets that contain lag 1, with lags "+
		"up to %d, %d need fewer heads than the contiguous set (the smallest number is proved for %d sets); %s",
		two.fewest, four.fewest, len(m.sets), searched, saved, proven, f.Obtained)
	return f
}

func (m anySets) tabulate(c *claim.Claim) {
	m.construct.tabulate(c)
	table := document.Frame{
		Title: "Smallest number of heads that keeps transitions apart if each head may attend to any set of past " +
			"tokens: for three lags up to 8, and for the sets of lags that save the most heads",
		Columns: document.Headed("", "lags", "number of lags", "fewest heads", "contiguous set",
			"head of each offset, repeating", "proof"),
	}
	for _, h := range m.sets {
		if len(h.lags) == 3 && h.lags[2] <= mostLag || h.hull-h.fewest >= 6 {
			table.Row(setOf(h.lags), len(h.lags), h.fewest, h.hull, strings.Trim(fmt.Sprint(h.of), "[]"), h.proof())
		}
	}
	c.Tables = append(c.Tables, table.Table())
}

// proof says what proves that no fewer heads are enough.
func (h headCount) proof() string {
	switch {
	case !h.proven:
		return "none"
	case h.segment > 0:
		return fmt.Sprintf("%d consecutive offsets", h.segment)
	}
	return "the number of lags"
}

func (m anySets) draw(out *claim.Output) {
	m.along.draw(out)
	counts := square(searched)
	for _, h := range m.sets {
		counts[len(h.lags)-1][h.fewest-1]++
	}
	sets := document.Frame{Columns: []document.Column{
		{Name: "lags", Meaning: "number of lags"}, {Name: "fewest_heads"}, {Name: "sets"},
	}}
	var names []string
	for i, row := range counts {
		names = append(names, fmt.Sprint(i+1))
		for j, count := range row {
			if count > 0 {
				sets.Row(i+1, j+1, count)
			}
		}
	}
	out.Figure("heads", figure.Single("Fewest heads", "Most sets need one or two heads more than they have lags.",
		figure.HeatMap{Z: counts, Rows: names, Cols: names, X: "fewest heads", Y: "lags", Label: "sets"}))
	out.CSV("heads", sets)
}
