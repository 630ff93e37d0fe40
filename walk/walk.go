package walk

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"foretell/internal/text"
	"foretell/model"
)

// All selects every position or every layer in [Options].
const All = -1

// Options select the contents of a walk.
type Options struct {
	// Position is the position whose prediction is explained, counted from 0. The steps show
	// its own row, and the keys and values of the positions up to it, which are all that the
	// prediction depends on. All shows the rows of every position.
	Position int
	// Layer is the single layer to show, counted from 0, or All.
	Layer int
	// Digits is the number of digits after the decimal point, 1 to MostDigits.
	Digits int
	// Size is the largest number of rows or columns of a matrix shown in full, 1 to
	// MostSize. Larger matrices are shown as their shape and norm.
	Size int
	// Names are the tokens' names, indexed by token, and are shown next to the numbers. A
	// token without a name, or whose name is its number, is shown as its number.
	Names []string
	// Origin is copied to the document.
	Origin Origin
}

// Defaults are the options of a complete walk, in the style of Virgilio 2025.
var Defaults = Options{Position: All, Layer: All, Digits: 4, Size: 8}

// The limits of a walk.
const (
	MostDigits  = 15
	MostSize    = 64
	MostNumbers = 1 << 24 // the model's parameters plus its activations over the tokens
)

// New returns a walk through the forward pass of m over tokens. Every formula has been
// computed and agrees with the model's own activations.
//
// New returns an error if a formula does not agree, a token is outside the alphabet, the
// context is longer than n_ctx, the model has residual: concat or output: probabilities,
// an option is out of range (an [*OptionError]), the model and its activations exceed
// MostNumbers, a logit is NaN or infinite, or ctx ends.
func New(ctx context.Context, m *model.Transformer[float64], tokens []int32, o Options) (*Document, error) {
	c := m.Config
	if err := checkKind(c); err != nil {
		return nil, err
	}
	o.Names = shownNames(o.Names, c.DVocab)
	if err := c.CheckTokens(tokens); err != nil {
		return nil, fmt.Errorf("walk: %w", err)
	}
	if err := o.check(len(tokens), c.NLayers); err != nil {
		return nil, err
	}
	if o.Position != All {
		tokens = tokens[:o.Position+1]
	}
	if err := CheckSize(c, len(tokens)); err != nil {
		return nil, err
	}
	_, cache, err := m.RunWithCache(tokens, 1)
	if err != nil {
		return nil, err
	}
	logits, err := m.Logits(tokens)
	if err != nil {
		return nil, err
	}
	if err := model.CheckLogits(logits, c.DVocab); err != nil {
		return nil, fmt.Errorf("walk: %w", err)
	}
	w := &walker{
		Options: o, ended: ctx.Err, config: c, weights: m.Weights, cache: cache, tokens: tokens,
		logits: newMatrix(len(tokens), c.DVocab, logits),
	}
	d := w.document()
	return d, w.err
}

// checkKind returns an error for a model whose architecture a walk cannot show.
func checkKind(c model.Config) error {
	switch {
	case !c.HasAttention():
		return errors.New("walk: the model has architecture: flat; walk needs a transformer")
	case !c.AddsToStream():
		return errors.New("walk: the model has residual: concat; walk needs a model that adds to its residual stream")
	case c.Output != "":
		return fmt.Errorf("walk: the model has output: %s; walk needs a model that outputs logits", c.Output)
	}
	return nil
}

// CheckSize returns an error if a walk over the given number of tokens exceeds
// MostNumbers. [New] returns the same error. The model's configuration c must be resolved
// ([model.Config.Resolve]).
func CheckSize(c model.Config, tokens int) error {
	parameters := float64(c.Parameters())
	c.NCtx = tokens
	if n := parameters + c.WorkspaceSize(1); n > MostNumbers {
		return fmt.Errorf("walk: the model and its activations over %s have %.1e numbers, and the limit is %.1e; "+
			"use a smaller model or fewer tokens", text.Count(tokens, "token"), n, float64(MostNumbers))
	}
	return nil
}

// OptionError reports an option outside its range.
type OptionError struct {
	Name             string // position, layer, digits or size
	Value, Low, High int
}

func (e *OptionError) Error() string {
	return fmt.Sprintf("walk: %s %d is outside [%d, %d]", e.Name, e.Value, e.Low, e.High)
}

func (o Options) check(tokens, layers int) error {
	for _, option := range []struct {
		name             string
		value, low, high int
	}{
		{"position", o.Position, All, tokens - 1},
		{"layer", o.Layer, All, layers - 1},
		{"digits", o.Digits, 1, MostDigits},
		{"size", o.Size, 1, MostSize},
	} {
		if option.value < option.low || option.value > option.high {
			return &OptionError{option.name, option.value, max(option.low, 0), option.high}
		}
	}
	return nil
}

// walker builds a document. Its methods return the sections and steps in the order of the
// forward pass.
type walker struct {
	Options
	ended   func() error // returns the context's error once it has ended
	config  model.Config
	weights *model.Weights[float64]
	cache   *model.Cache[float64]
	tokens  []int32 // up to the explained position
	logits  Matrix  // (T,V)
	err     error   // the first equation that does not hold
}

func (w *walker) document() *Document {
	d := &Document{
		Title: "Forward pass over the tokens " + list(w.tokens) + w.namesOf(w.tokens), Intro: w.intro(),
		Origin: w.Origin, Tokens: w.tokens, Names: w.Names, Digits: w.Digits, Size: w.Size,
	}
	if w.Layer != All {
		d.Sections = []Section{w.block(w.Layer)}
		return d
	}
	d.Sections = append(d.Sections, w.embedding())
	for layer := range w.config.NLayers {
		if w.err != nil {
			return d
		}
		d.Sections = append(d.Sections, w.block(layer))
	}
	d.Sections = append(d.Sections, w.output())
	d.Attribution = w.attribution()
	return d
}

// intro returns the paragraphs at the top of the document.
func (w *walker) intro() []string {
	c := w.config
	shape := fmt.Sprintf("A transformer with %s, d_model %d, d_head %d, %s, n_ctx %d, an alphabet of %s,",
		layers(c), c.DModel, c.DHead, mlpWidth(c), c.NCtx, text.Count(c.DVocab, "token"))
	rows := "Row i of a matrix belongs to position i; vectors are rows, multiplied by a weight matrix at their right."
	if w.Position != All {
		rows = fmt.Sprintf("This walk explains the prediction after position %d: it shows the row of that position, "+
			"and the keys and values of the positions up to it.", w.Position)
	}
	intro := []string{
		fmt.Sprintf("%s %s and %s.", shape, normName(c.NormalizationType), positionName(c.PositionalEmbeddingType)),
		rows + " Each step shows its formula in symbols, then with its numbers, then its result.",
		"All results are the model's own activations in float64, rounded for display; " +
			"every formula was computed and agrees with them.",
	}
	if c.DModel > w.Size && w.Size < MostSize {
		intro = append(intro, fmt.Sprintf("A matrix with more than %d rows or columns is shown as its shape and norm, "+
			"in HTML also as a heat map; a larger size, such as --size %d, shows its numbers.",
			w.Size, min(c.DModel, MostSize)))
	}
	return intro
}

func layers(c model.Config) string {
	of := text.Count(c.NLayers, "layer") + " of "
	for l := 1; l < c.NLayers; l++ {
		if c.NHeads[l] != c.NHeads[0] {
			return of + strings.Trim(strings.ReplaceAll(fmt.Sprint([]int(c.NHeads)), " ", ", "), "[]") + " heads"
		}
	}
	return of + text.Count(c.NHeads[0], "head")
}

func mlpWidth(c model.Config) string {
	if c.AttnOnly {
		return "no MLP"
	}
	return fmt.Sprintf("d_mlp %d (%s)", c.DMLP, c.ActFn)
}

func normName(kind string) string {
	switch kind {
	case "none":
		return "no norm"
	case "LNPre":
		return "layer norm without weight and bias"
	}
	return "layer norm"
}

func positionName(kind string) string {
	if kind == "none" {
		return "no positions"
	}
	return kind + " positions"
}

// equation returns an equation, and records an error if it does not hold.
func (w *walker) equation(left, right Formula) Equation {
	e := Equation{Left: left, Right: right}
	// With a single token, a result of one row is not necessarily the row of a position.
	if w.Names != nil && e.Result().Rows == len(w.tokens) && len(w.tokens) > 1 {
		e.RowNames = w.positionNames()
	}
	if w.err == nil {
		w.err = w.ended()
	}
	if w.err == nil {
		w.err = e.verify()
	}
	return e
}

// define returns the equation that defines a matrix without a hook, and its left-hand
// side.
func (w *walker) define(s Symbol, right Formula) (Equation, operand) {
	left := operand{symbol: s, value: right.compute(false)}
	return w.equation(left, right), left
}

// rounding is the tolerated rounding error of a formula, relative to the bound that
// [Formula] computes.
const rounding = 1e-12

// verify returns an error unless both sides of an equation agree.
func (e Equation) verify() error {
	got, want, bound := e.Right.compute(false), e.Result(), e.Right.compute(true)
	for i, x := range want.Data {
		y := got.Data[i]
		same := x == y || math.IsNaN(x) && math.IsNaN(y)
		if !same && (math.IsInf(x, 0) || math.IsInf(y, 0) || !(math.Abs(x-y) <= rounding*bound.Data[i])) {
			return fmt.Errorf("walk: %s does not hold: it gives %v where the model has %v", e, y, x)
		}
	}
	return nil
}

// hook returns an activation (1,T,n) as a matrix (T,n).
func (w *walker) hook(name string) Matrix {
	t := w.cache.Get(name)
	return newMatrix(len(w.tokens), len(t.Data)/len(w.tokens), t.Data)
}

// weight returns a parameter as a matrix; a vector becomes a single row.
func (w *walker) weight(name string) Matrix {
	t := w.weights.Get(name)
	return newMatrix(len(t.Data)/t.Shape[len(t.Shape)-1], t.Shape[len(t.Shape)-1], t.Data)
}

// own restricts a matrix of all positions to the explained position, unless all positions
// are shown.
func (w *walker) own(o operand) operand {
	if w.Position != All {
		o.symbol.Sub = strconv.Itoa(w.Position)
		o.value = o.value.rowsFrom(w.Position, w.Position+1)
	}
	return o
}

// last returns the explained position, which is the last one if all positions are shown.
func (w *walker) last() int { return len(w.tokens) - 1 }

// decimal formats a number for a sentence.
func (w *walker) decimal(x float64) string { return decimal(x, w.Digits) }

// list joins integers or names with commas and replaces the middle of a long list with ….
func list[N int | int32 | string](numbers []N) string {
	const most = 12
	var texts []string
	for i, n := range numbers {
		switch {
		case len(numbers) <= most || i < most/2 || i >= len(numbers)-most/4:
			texts = append(texts, fmt.Sprint(n))
		case i == most/2:
			texts = append(texts, "…")
		}
	}
	return strings.Join(texts, ", ")
}
