package inspect

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"foretell/model"
	"foretell/process"
	"foretell/token"
)

// Beside each token stand the model's probability of it and the optimal one, each after
// the tokens before.
func TestGenerateStandsBesideTheOptimum(t *testing.T) {
	m, err := Open("craft:coin", process.Params{"n_ctx": 24.0})
	if err != nil {
		t.Fatal(err)
	}
	prompt := []int32{process.BOS, 1, 0}
	c, err := m.Generate(prompt, model.Generation{Sampling: model.Sampling{Temperature: 1.5}, Seed: 4, Most: 15})
	if err != nil {
		t.Fatal(err)
	}
	if c.Ended != EndedLength || len(c.Tokens) != 15 || len(c.Model) != 15 || len(c.Optimal) != 15 {
		t.Fatalf("%+v", c)
	}
	for i, z := range c.Tokens {
		want, err := m.Predict(append(slices.Clone(prompt), c.Tokens[:i]...))
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(c.Model[i]-want.Model[z]) > 1e-14 || *c.Optimal[i] != want.Optimal[z] {
			t.Errorf("token %d: %v beside %v, want %v beside %v", i, c.Model[i], *c.Optimal[i], want.Model[z], want.Optimal[z])
		}
	}
}

// After a token that cannot occur, which has probability 0, there is no optimum.
func TestGenerateBeyondTheProcess(t *testing.T) {
	p, err := process.Mess3(0.15, 0.6)
	if err != nil {
		t.Fatal(err)
	}
	m := untrained(t, 5)
	c, err := generate(m, p, []int32{0}, model.Generation{Sampling: model.Sampling{Temperature: 1}, Most: 9})
	if err != nil {
		t.Fatal(err)
	}
	beyond := slices.IndexFunc(c.Tokens, func(z int32) bool { return int(z) >= p.Alphabet() })
	if beyond < 1 || beyond == len(c.Tokens)-1 {
		t.Fatalf("%v is no case of it", c.Tokens)
	}
	for i, q := range c.Optimal {
		if (q == nil) != (i > beyond) || i == beyond && *q != 0 || i < beyond && !(*q > 0) {
			t.Errorf("token %d of %v: %v", i, c.Tokens, q)
		}
	}
	want := fmt.Sprintf("token %d at position %d has probability 0 under the process; "+
		"there is no optimum after it", c.Tokens[beyond], 2+beyond)
	var shown strings.Builder
	if c.Forms().Print(&shown); c.Beyond() != want || !strings.HasSuffix(shown.String(), "\n"+want+"\n") {
		t.Errorf("%q is shown, want %q below", shown.String(), want)
	}
	if c, err = generate(m, nil, []int32{0}, model.Generation{Most: 2}); err != nil || c.Optimal != nil || len(c.Tokens) != 2 {
		t.Errorf("without a process: %+v, %v", c, err)
	}
}

// untrained is a model of a vocabulary, with initial weights.
func untrained(t *testing.T, vocab int) *model.Transformer[float32] {
	t.Helper()
	m, err := model.New[float32](model.Config{DModel: 8, NLayers: 1, NHeads: model.Heads{2}, NCtx: 12, DVocab: vocab}, 1)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// What was generated before an error is there beside it.
func TestGenerateKeepsWhatCameBeforeAnError(t *testing.T) {
	m, bpe := withVocabulary(t, 0)
	weights := m.network.inFloat32().Weights
	weights.Get("pos_embed.W_pos").Data[3*8] = float32(math.NaN()) // position 4
	c, err := m.GenerateText(bpe, "!!", model.Generation{Most: 9})
	if !errors.Is(err, model.ErrNotFinite) || c == nil || len(c.Tokens) != 2 || c.Ended != EndedError {
		t.Fatalf("%+v, %v", c, err)
	}
	if more, err := bpe.Decode(c.Tokens); err != nil || *c.Text != strings.ToValidUTF8("!!"+more, "\ufffd") {
		t.Errorf("text %q, %v", *c.Text, err)
	}
	if c, err := m.GenerateText(bpe, "!!!!", model.Generation{Most: 9}); !errors.Is(err, model.ErrNotFinite) || c != nil {
		t.Errorf("with nothing before it: %+v, %v", c, err)
	}
	m, bpe = withVocabulary(t, 1)
	m.network.inFloat32().Weights.Get("unembed.b_U").Data[bpe.Size()] = 1e3
	c, err = m.GenerateText(bpe, "!!", model.Generation{Most: 2})
	if err == nil || c == nil || len(c.Tokens) != 2 || *c.Text != "!!" {
		t.Errorf("beyond the vocabulary: %+v, %v", c, err)
	}
}

const prose = "a sine, a signal, a sine's signal; the signals, the sines"

// withVocabulary saves a model with a vocabulary beside it, and opens it.
func withVocabulary(t *testing.T, extra int) (*Model, *token.BPE) {
	t.Helper()
	dir := t.TempDir()
	bpe, err := token.TrainBPE(prose, 290, "<|endoftext|>")
	if err == nil {
		err = bpe.Save(dir)
	}
	if err == nil {
		err = untrained(t, bpe.Size()+extra).Save(dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	m, err := Open(filepath.Join(dir, model.WeightsFile), nil)
	if err != nil {
		t.Fatal(err)
	}
	return m, bpe
}

func TestGenerateText(t *testing.T) {
	m, want := withVocabulary(t, 0)
	bpe, err := m.Vocabulary()
	if err != nil || bpe.Size() != want.Size() {
		t.Fatalf("%v", err)
	}
	g := model.Generation{Sampling: model.Sampling{Temperature: 1}, Seed: 2, Most: 6}
	c, err := m.GenerateText(bpe, "the sine", g)
	if err != nil {
		t.Fatal(err)
	}
	more, err := bpe.Decode(c.Tokens)
	if err != nil || *c.Text != strings.ToValidUTF8("the sine"+more, "\ufffd") || !slices.Equal(c.Prompt, bpe.Encode("the sine")) {
		t.Errorf("%+v, %v", c, err)
	}
	var shown strings.Builder
	if c.Forms().Print(&shown); !strings.HasPrefix(shown.String(), "the sine") || !strings.HasSuffix(shown.String(), "\n") {
		t.Errorf("%q", shown.String())
	}

	// It stops where the text ends, and begins anew there.
	end, _ := bpe.Special("<|endoftext|>")
	m.network.inFloat32().Weights.Get("unembed.b_U").Data[end] = 1e3
	if c, err = m.GenerateText(bpe, "the sine", g); err != nil || c.Ended != EndedStop || !slices.Equal(c.Tokens, []int32{end}) {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err = m.GenerateText(bpe, "", g); err != nil || !slices.Equal(c.Prompt, []int32{end}) || *c.Text != "<|endoftext|>" {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err = m.Generate([]int32{1, 2}, model.Generation{Most: 1}); err != nil || c.Text != nil {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestPrintShowsWhatATerminalWouldObey(t *testing.T) {
	text := "a\x1b[31m\tb\nc"
	var shown strings.Builder
	(&Continuation{Text: &text}).Forms().Print(&shown)
	if want := `a\x1b[31m\tb` + "\nc\n"; shown.String() != want {
		t.Errorf("%q, want %q", shown.String(), want)
	}
	shown.Reset()
	(&Continuation{Prompt: []int32{0, 1}, Tokens: []int32{2}}).Forms().Print(&shown)
	if shown.String() != "0 1 2\n" {
		t.Errorf("%q", shown.String())
	}
}

func TestVocabularyRefuses(t *testing.T) {
	m, _ := withVocabulary(t, 0)
	dir := filepath.Dir(m.Path)
	vocab, err := os.ReadFile(filepath.Join(dir, token.VocabFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		vocab, want string
	}{
		{strings.Replace(string(vocab), `"!": 0`, `"!": 1`, 1), dir + `: vocab.json: the tokens "!" and "\"" have the same id 1; each needs its own`},
		{"", m.Path + " has no vocabulary, vocab.json and merges.txt, next to it; give tokens instead of a text"},
	} {
		path := filepath.Join(dir, token.VocabFile)
		if err := os.WriteFile(path, []byte(test.vocab), 0o600); err != nil {
			t.Fatal(err)
		}
		if test.vocab == "" {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := m.Vocabulary(); err == nil || err.Error() != test.want {
			t.Errorf("error %v, want %s", err, test.want)
		}
	}
	m, bpe := withVocabulary(t, -1)
	if _, err := m.Vocabulary(); err == nil || !strings.HasSuffix(err.Error(), "has 269 tokens but the model has 268; they belong to different models") {
		t.Errorf("error %v of %d tokens", err, bpe.Size())
	}
	crafted, err := Open("craft:coin", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := crafted.Vocabulary(); err == nil || err.Error() != "craft:coin is written by hand and has no vocabulary; give tokens instead of a text" {
		t.Errorf("error %v", err)
	}
	// A token beyond the vocabulary is no text.
	m, bpe = withVocabulary(t, 3)
	want := filepath.Dir(m.Path) + ": vocab.json has 269 tokens but the model has 272; they belong to different models"
	if _, err := m.Vocabulary(); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	m.network.inFloat32().Weights.Get("unembed.b_U").Data[bpe.Size()+1] = 1e3
	if _, err := m.GenerateText(bpe, "a", model.Generation{Most: 1}); err == nil || !strings.HasSuffix(err.Error(),
		"token 270 at position 1 is outside the vocabulary [0, 268], and the model has 272 tokens; set top_k or top_p to sample from fewer of them") {
		t.Errorf("error %v", err)
	}
	m.network.inFloat32().Weights.Get("unembed.b_U").Data[0] = float32(math.Inf(1))
	if _, err := m.GenerateText(bpe, "a", model.Generation{Most: 1}); !errors.Is(err, model.ErrNotFinite) {
		t.Errorf("error %v", err)
	}
}

// A GPT-2's folder of Hugging Face's continues a text by its own vocabulary, and knows no
// optimum.
func TestGenerateTextOfHuggingFaces(t *testing.T) {
	dir := t.TempDir()
	bpe, err := token.TrainBPE(prose, 290, "<|endoftext|>")
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.New[float32](model.Config{
		DModel: 8, NLayers: 2, NHeads: model.Heads{2}, NCtx: 16, DVocab: bpe.Size(), ActFn: "gelu_new", TieUnembed: true,
	}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(m.SaveHuggingFace(dir), bpe.Save(dir)); err != nil {
		t.Fatal(err)
	}
	opened, err := Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	beside, err := opened.Vocabulary()
	if err != nil {
		t.Fatal(err)
	}
	c, err := opened.GenerateText(beside, "the signal", model.Generation{Most: 5, Slide: true})
	if err != nil || len(c.Tokens) != 5 || c.Optimal != nil || !strings.HasPrefix(*c.Text, "the signal") {
		t.Errorf("%+v, %v", c, err)
	}
}
