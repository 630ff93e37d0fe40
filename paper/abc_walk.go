package paper

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"strconv"

	"foretell/figure"
	"foretell/internal/durable"
	"foretell/internal/random"
	"foretell/model"
	"foretell/walk"
)

// testWalk is A2.
func testWalk(s *Study, c *Claim) error {
	const perArchitecture = 5
	var all walks
	for i, architecture := range walkedArchitectures() {
		for seed := range uint64(perArchitecture) {
			m, tokens, err := walkedModel(architecture, seed, i)
			if err != nil {
				return err
			}
			all.add(m, tokens)
		}
	}
	drawn := all.count
	own := all.add(walk.ABC(), []int32{0, 1, 2})
	c.Verdict, c.Obtained = all.judge(drawn)
	if own == nil {
		return nil
	}
	for _, f := range walk.Formats {
		var text bytes.Buffer
		if err := f.Write(&text, own); err != nil {
			return err
		}
		path := "data/" + c.ID + "-walk" + f.Extension
		if err := durable.WriteFile(filepath.Join(s.Out, path), text.Bytes()); err != nil {
			return err
		}
		c.Data = append(c.Data, path)
	}
	c.Notes = append(c.Notes,
		"Each formula of a walk is computed as it is written and compared with what the model computed; a formula that does not hold stops the walk. The files are the walk through the seed's model over A, B, C in four formats.",
		"The seed breaks off after Q, K and V and prints no weights of its attention. Embeddings, positions and A_out are the printed ones, the attention is written by hand from the directions that the text names.")
	return s.addFigure(c, "contributions", "What each component adds to the winning logit after A, B, C in the seed's model: the parts add up to the logit.", contributionsFigure(own.Attribution))
}

// walkedModel is a random model of which every parameter is off its initial value, biases
// and norms too, so that a formula that leaves one out does not hold; and tokens for it.
func walkedModel(architecture model.Config, seed uint64, index int) (*model.Transformer[float64], []int32, error) {
	m, err := model.New[float64](architecture, seed+1)
	if err != nil {
		return nil, nil, err
	}
	stream := random.New(seed, "paper/walk", uint64(index))
	tokens := make([]int32, m.Config.NCtx)
	for j := range tokens {
		tokens[j] = int32(stream.IntN(m.Config.DVocab))
	}
	for j := range m.Weights.Data {
		m.Weights.Data[j] += 0.5 * stream.Normal()
	}
	return m, tokens, nil
}

// walks adds up what walks through models find.
type walks struct {
	count  int
	worst  float64 // error of a sum of contributions
	broken error   // the first formula that does not hold
}

// add walks through a model, and returns nil if a formula does not hold.
func (w *walks) add(m *model.Transformer[float64], tokens []int32) *walk.Document {
	w.count++
	d, err := walk.New(m, tokens, walk.Defaults)
	if err != nil {
		if w.broken == nil {
			w.broken = err
		}
		return nil
	}
	w.worst = max(w.worst, attributionError(d.Attribution))
	return d
}

// judge is the rule of A2, after walks of which so many are through random models.
func (w *walks) judge(drawn int) (Verdict, string) {
	if w.broken != nil {
		return Fails, w.broken.Error()
	}
	found := fmt.Sprintf("%d walks through random models of %d architectures and one through the seed's: every formula agrees with the model's own numbers, "+
		"and the contributions add up to its winning logit to %.1e of their sizes", drawn, len(walkedArchitectures()), w.worst)
	if w.worst <= 1e-12 {
		return Holds, found
	}
	return Fails, found
}

// walkedArchitectures are small models of each kind that the model package knows.
func walkedArchitectures() []model.Config {
	base := model.Config{DModel: 4, NLayers: 2, NHeads: model.Heads{2, 1}, DMLP: 5, NCtx: 4, DVocab: 3}
	var list []model.Config
	for _, norm := range []string{"none", "LN", "LNPre"} {
		for _, positions := range []string{"learned", "sinusoidal", "rotary", "none"} {
			c := base
			c.NormalizationType, c.PositionalEmbeddingType = norm, positions
			list = append(list, c)
		}
	}
	for _, act := range []string{"relu", "gelu_new", "silu"} {
		c := base
		c.ActFn = act
		list = append(list, c)
	}
	c := base
	c.AttnOnly, c.DMLP = true, 0
	return append(list, c)
}

// attributionError is the difference of a sum of contributions from the logit,
// relative to the sum of their sizes.
func attributionError(a *walk.Attribution) float64 {
	size := 0.0
	for _, p := range a.Parts {
		size += math.Abs(p.Value)
	}
	return math.Abs(a.Sum-a.Logit) / max(size, 1)
}

func contributionsFigure(a *walk.Attribution) *figure.Figure {
	bars := figure.Bars{Y: figure.Axis{Label: fmt.Sprintf("added to the logit of token %d", a.Token)}}
	var values []float64
	for _, p := range a.Parts {
		bars.Groups, values = append(bars.Groups, p.Component), append(values, p.Value)
	}
	bars.Groups, values = append(bars.Groups, "logit"), append(values, a.Logit)
	bars.Series = []figure.BarSeries{{Y: values}}
	return &figure.Figure{
		Title:  "Direct logit attribution in the tiny transformer",
		Desc:   "Bars of what the token's embedding, the position, the head and the biases add to the winning logit, and the logit itself.",
		Panels: [][]figure.Panel{{bars}},
	}
}

// The numbers of seed 002's first pages.
var (
	printedTokens    = [3][2]float64{{1.1988, 1.3633}, {-1.8032, -0.7401}, {-1.0425, 1.4757}}
	printedPositions = [3][2]float64{{-0.3160, 0.9374}, {-0.4459, 1.2218}, {-0.2666, 0.9128}}
	printedSums      = [3][2]float64{{0.8829, 2.3007}, {-2.2491, 0.4816}, {-1.3090, 2.3885}}
)

// sumsFigure draws the sums of A3 head to tail, and the one that is misprinted.
func sumsFigure() *figure.Figure {
	plane := figure.Plane{X: "x₁", Y: "x₂"}
	step := func(name string, color int, from, by [2]float64, open bool) figure.Arrows {
		return figure.Arrows{Name: name, Color: color, Open: open, FromX: []float64{from[0]}, FromY: []float64{from[1]}, X: []float64{from[0] + by[0]}, Y: []float64{from[1] + by[1]}}
	}
	for i, token := range printedTokens {
		plane.Layers = append(plane.Layers,
			step(abcNames[i]+": token, then position", i+1, [2]float64{}, token, false), step("", i+1, token, printedPositions[i], false),
			figure.Points{Name: "C_" + strconv.Itoa(i) + " as printed", X: printedSums[i][:1], Y: printedSums[i][1:], Color: i + 1, Open: true, Radius: []float64{4}})
	}
	plane.Layers = append(plane.Layers, step("W_C + W_1", 3, printedTokens[2], printedPositions[1], true))
	return figure.Single("The printed embeddings add up to the printed sums", "Three pairs of arrows, each ending in a hollow mark, and a dashed arrow that misses the third one.", plane)
}

// testPrintedNumbers is A3.
func testPrintedNumbers(s *Study, c *Claim) error {
	sums := Table{Title: "sums of the printed embeddings, beside the printed sums", Columns: []string{"context vector", "W + W_position", "printed", "difference"}}
	var rows [][]float64
	worst := 0.0
	for i := range 3 {
		x, y := printedTokens[i][0]+printedPositions[i][0], printedTokens[i][1]+printedPositions[i][1]
		dx, dy := printedSums[i][0]-x, printedSums[i][1]-y
		worst = max(worst, math.Abs(dx), math.Abs(dy))
		sums.Rows = append(sums.Rows, []string{
			"C_" + strconv.Itoa(i), fmt.Sprintf("(%.4f, %.4f)", x, y), fmt.Sprintf("(%.4f, %.4f)", printedSums[i][0], printedSums[i][1]), fmt.Sprintf("(%+.4f, %+.4f)", dx, dy),
		})
		rows = append(rows, []float64{float64(i), x, y, printedSums[i][0], printedSums[i][1]})
	}
	asWritten := [2]float64{printedTokens[2][0] + printedPositions[1][0], printedTokens[2][1] + printedPositions[1][1]}
	wrongSum := max(math.Abs(asWritten[0]-printedSums[2][0]), math.Abs(asWritten[1]-printedSums[2][1]))
	misprints := errata("what is misprinted")
	for _, e := range walk.ABCErrata {
		misprints.Rows = append(misprints.Rows, []string{e.Where, e.Printed, e.True, e.Check})
	}
	c.Tables = append(c.Tables, sums, misprints)
	const lastDigit = 1.05e-4
	switch {
	case worst > lastDigit:
		c.Verdict, c.Obtained = Fails, fmt.Sprintf("a sum differs from the printed one by %.4f", worst)
	case wrongSum > lastDigit:
		c.Verdict = Corrected
		c.Obtained = fmt.Sprintf("C_0, C_1 and C_2 agree with the printed terms to one in the last digit, if C_2 is W_C + W_2; as written, W_C + W_1, it would be off by %.2f. %d misprints in all", wrongSum, len(walk.ABCErrata))
	default:
		c.Verdict, c.Obtained = Holds, "every printed number agrees"
	}
	c.Notes = append(c.Notes, "Three coordinates (0.8829, 0.4816, −1.3090) differ from the sums of the printed terms by one in the last digit: the terms were rounded after they had been added, which is no error.")
	err := s.addFigure(c, "sums", "For each token its printed embedding, from the origin, and from its tip the embedding of its position; hollow, the printed sum. Dashed: C_2 as the text writes it, with the position of B.", sumsFigure())
	if err != nil {
		return err
	}
	return s.addCSV(c, "sums", []string{"context", "sum_x1", "sum_x2", "printed_x1", "printed_x2"}, rows)
}
