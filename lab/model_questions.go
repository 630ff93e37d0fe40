package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"foretell/curves"
	"foretell/document"
	"foretell/inspect"
	"foretell/internal/text"
	"foretell/intervene"
	"foretell/probe"
	"foretell/runtable"
	"foretell/walk"
)

// raw returns the JSON that a form writes, for answers that are written piece by piece.
func raw(forms document.Forms) (json.RawMessage, error) {
	var b bytes.Buffer
	err := forms.Write(&b, ".json")
	return b.Bytes(), err
}

// line returns the command line of a question, for a page that names what made it.
func (e *Engine) line(q Question) string {
	return "foretell " + text.ShellLine(q.Command(e.Folders)...)
}

// Crafts asks for the models that are written by hand.
type Crafts struct{}

// Command implements [Question].
func (*Crafts) Command(Folders) []string { return []string{"craft", "list"} }

func (*Crafts) answer(context.Context, *Engine) (Answer, error) {
	list := inspect.Constructions()
	return Answer{list, list.Forms()}, nil
}

// Sequence is a sequence of tokens for a model.
type Sequence struct {
	Model
	Tokens string `json:"tokens"`
}

// words returns the words of a command line for the model and the sequence.
func (s Sequence) words(runs string) []string {
	return append(s.Model.words(runs), "--tokens", s.Tokens)
}

// open opens the model and reads the sequence.
func (s Sequence) open(e *Engine) (m *inspect.Model, word []int32, err error) {
	if m, err = s.Model.open(e); err == nil {
		word, err = m.ParseWord(s.Tokens)
	}
	return m, word, err
}

// Predict asks for a model's prediction after a sequence, and the optimal one.
type Predict struct{ Sequence }

// Command implements [Question].
func (q *Predict) Command(at Folders) []string {
	return append([]string{"predict"}, q.words(at.Runs)...)
}

func (q *Predict) answer(_ context.Context, e *Engine) (Answer, error) {
	m, word, err := q.open(e)
	if err != nil {
		return Answer{}, err
	}
	found, err := m.Predict(word)
	if err != nil {
		return Answer{}, err
	}
	shown := inspect.Predicted{Prediction: found, Model: m.Path, Word: word, Names: m.Names()}
	return Answer{found, shown.Forms(e.line(q))}, nil
}

// Look asks what a model does along a sequence: KL by position, attention, logit lens.
type Look struct{ Sequence }

// Command implements [Question].
func (q *Look) Command(at Folders) []string {
	return append([]string{"look"}, q.words(at.Runs)...)
}

func (q *Look) answer(_ context.Context, e *Engine) (Answer, error) {
	m, word, err := q.open(e)
	if err != nil {
		return Answer{}, err
	}
	found, err := m.Look(word)
	if err != nil {
		return Answer{}, err
	}
	shown := inspect.Looked{Look: found, Model: m.Path}
	return Answer{found, shown.Forms(e.line(q))}, nil
}

// Portrait asks how well beliefs can be read from a model's activations, with controls.
// Length is the number of tokens of the longest sequences, 0 for the model's n_ctx.
// Target is what to read in place of the beliefs, see [probe.ParseTarget].
type Portrait struct {
	Model
	Length int    `json:"length,omitempty"`
	Target string `json:"target,omitempty"`

	Components bool `json:"components,omitempty"` // also along principal components
}

// Command implements [Question]. The value is in its file, FILE.json.
func (q *Portrait) Command(at Folders) []string {
	words := append([]string{"probe"}, q.words(at.Runs)...)
	if q.Length > 0 {
		words = append(words, "--length", strconv.Itoa(q.Length))
	}
	if q.Target != "" {
		words = append(words, "--target", q.Target)
	}
	if q.Components {
		words = append(words, "--components")
	}
	return append(words, "--out", "portrait.json")
}

func (q *Portrait) answer(ctx context.Context, e *Engine) (Answer, error) {
	m, err := q.open(e)
	if err != nil {
		return Answer{}, err
	}
	if err := within("length", q.Length, 0, m.Config().NCtx); err != nil {
		return Answer{}, err
	}
	asked := probe.Question{Convention: probe.Ours, Workers: 1}
	if q.Target != "" {
		if asked.Target, err = probe.ParseTarget(q.Target); err != nil {
			return Answer{}, fmt.Errorf("target: %w", err)
		}
	}
	p, err := inspect.Portray(ctx, m, asked, q.Length)
	if err != nil {
		return Answer{}, err
	}
	if q.Components {
		p.AddComponents()
	}
	return Answer{p, p.Forms(e.line(q))}, nil
}

// Patch asks what activation patching between two sequences restores.
type Patch struct {
	Model
	Clean   string `json:"clean"`
	Corrupt string `json:"corrupt"`
	Hook    string `json:"hook"`
}

// Command implements [Question].
func (q *Patch) Command(at Folders) []string {
	words := append([]string{"patch"}, q.words(at.Runs)...)
	return append(words, "--clean", q.Clean, "--corrupt", q.Corrupt, "--hook", q.Hook)
}

func (q *Patch) answer(ctx context.Context, e *Engine) (Answer, error) {
	m, err := q.open(e)
	if err != nil {
		return Answer{}, err
	}
	found, err := m.Patch(ctx, inspect.PatchRequest{
		Clean: q.Clean, Corrupt: q.Corrupt, Hook: q.Hook, Seed: 1, Workers: 1,
	})
	if err != nil {
		return Answer{}, plain(err)
	}
	return Answer{found.Map, found.Forms(e.line(q))}, nil
}

// plain returns the reason of an error about an argument, without the word of the command
// line.
func plain(err error) error {
	var wrong *intervene.ArgumentError
	if errors.As(err, &wrong) {
		return wrong.Reason
	}
	return err
}

// Ablate asks what the parts of a model are worth: the loss when they are removed. Heads
// and MLPs are removed one by one, all in turn if none is named. An entry of Heads, such
// as 0.0,0.1, may name several to remove at once.
type Ablate struct {
	Model
	Heads  []string `json:"heads,omitempty"`
	MLPs   []int    `json:"mlps,omitempty"`
	With   string   `json:"with,omitempty"` // zero, mean or resample; mean if empty
	Tokens []string `json:"tokens,omitempty"`
	Length int      `json:"length,omitempty"`
}

// Command implements [Question].
func (q *Ablate) Command(at Folders) []string {
	words := append([]string{"ablate"}, q.words(at.Runs)...)
	for _, head := range q.Heads {
		words = append(words, "--head", head)
	}
	for _, layer := range q.MLPs {
		words = append(words, "--mlp", strconv.Itoa(layer))
	}
	if q.With != "" {
		words = append(words, "--with", q.With)
	}
	for _, word := range q.Tokens {
		words = append(words, "--tokens", word)
	}
	if q.Length > 0 {
		words = append(words, "--length", strconv.Itoa(q.Length))
	}
	return words
}

func (q *Ablate) answer(ctx context.Context, e *Engine) (Answer, error) {
	m, err := q.open(e)
	if err != nil {
		return Answer{}, err
	}
	with := intervene.With(q.With)
	if with == "" {
		with = intervene.Mean
	}
	found, err := m.Ablate(ctx, inspect.AblateRequest{
		Heads: q.Heads, MLPs: q.MLPs, With: with, Words: q.Tokens, Length: q.Length, Seed: 1, Workers: 1,
	})
	if err != nil {
		return Answer{}, plain(err)
	}
	return Answer{found.Damage, found.Forms(e.line(q))}, nil
}

// Walk asks for the forward pass of a model over a sequence, number by number. Each entry
// of Set changes a weight first, as in blocks.0.mlp.W_in[0,3]=0.5.
type Walk struct {
	Sequence
	Layer *int     `json:"layer,omitempty"` // the single layer to show; nil for all
	Set   []string `json:"set,omitempty"`
}

// Command implements [Question].
func (q *Walk) Command(at Folders) []string {
	words := append([]string{"walk"}, q.words(at.Runs)...)
	if q.Layer != nil {
		words = append(words, "--layer", strconv.Itoa(*q.Layer))
	}
	for _, change := range q.Set {
		words = append(words, "--set", change)
	}
	return words
}

func (q *Walk) answer(ctx context.Context, e *Engine) (Answer, error) {
	m, word, err := q.open(e)
	if err == nil {
		err = m.CheckWord(word)
	}
	if err == nil {
		err = walk.CheckSize(m.Config(), 1)
	}
	if err != nil {
		return Answer{}, err
	}
	changed, err := m.With(q.Set)
	if err != nil {
		return Answer{}, err
	}
	o := walk.Defaults
	o.Position, o.Layer = walk.All, walk.All
	if q.Layer != nil {
		o.Layer = *q.Layer
	}
	o.Names = m.Names()
	o.Origin = walk.Origin{Model: m.Path, Parameters: strings.Join(q.Params.words(), " "), Command: e.line(q)}
	d, err := walk.New(ctx, changed, word, o)
	if err != nil {
		return Answer{}, err
	}
	forms := document.Forms{".json": document.JSON(d)}
	for _, f := range walk.Formats {
		forms[f.Extension] = func(w io.Writer) error { return f.Write(w, d) }
	}
	return Answer{d, forms}, nil
}

// Runs asks for the runs.
type Runs struct{}

// Command implements [Question].
func (*Runs) Command(at Folders) []string { return []string{"runs", "list", at.Runs} }

func (*Runs) answer(ctx context.Context, e *Engine) (Answer, error) {
	table, err := runtable.Read(ctx, e.Runs)
	if err != nil {
		return Answer{}, err
	}
	return Answer{table, table.Forms()}, nil
}

// Run asks for one run: its settings, its results, and the hash of its weights.
type Run struct {
	Run string `json:"run"`
}

// Command implements [Question].
func (q *Run) Command(at Folders) []string {
	return []string{"runs", "show", filepath.Join(at.Runs, q.Run)}
}

func (q *Run) answer(_ context.Context, e *Engine) (Answer, error) {
	path, err := e.path(q.Run)
	if err != nil {
		return Answer{}, err
	}
	shown, err := runtable.Open(path)
	if err != nil {
		return Answer{}, err
	}
	return Answer{shown, shown.Forms()}, nil
}

// Curves asks for the evaluations of runs. Along is the horizontal axis of its figure,
// see [curves.Alongs].
type Curves struct {
	Runs  []string `json:"runs"`
	Along string   `json:"along,omitempty"`
}

// Command implements [Question].
func (q *Curves) Command(at Folders) []string {
	words := []string{"plot"}
	for _, name := range q.Runs {
		words = append(words, filepath.Join(at.Runs, name))
	}
	if q.Along != "" {
		words = append(words, "--along", q.Along)
	}
	return words
}

// mostCompared is the largest number of runs in one figure.
const mostCompared = 64

func (q *Curves) answer(ctx context.Context, e *Engine) (Answer, error) {
	if err := within("number of runs", len(q.Runs), 1, mostCompared); err != nil {
		return Answer{}, err
	}
	var paths []string
	for _, name := range q.Runs {
		path, err := e.path(name)
		if err != nil {
			return Answer{}, err
		}
		paths = append(paths, path)
	}
	set, err := curves.Read(ctx, paths...)
	if err != nil {
		return Answer{}, err
	}
	set.Name(curves.Naming(curves.Namings()[0]))
	along := q.Along
	if along == "" {
		along = curves.Alongs()[0]
	}
	set.Along = curves.Along(along)
	return Answer{set, set.Forms(e.line(q))}, nil
}
