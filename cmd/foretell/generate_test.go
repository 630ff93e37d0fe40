package main

import (
	"errors"
	"strings"
	"testing"

	"foretell/inspect"
	"foretell/model"
	"foretell/token"
)

// A text is continued where a vocabulary lies beside the model, and a full context is
// said.
func TestGenerateText(t *testing.T) {
	t.Chdir(t.TempDir())
	bpe, err := token.TrainBPE("it is what it is, and it is", 270, "<|endoftext|>")
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.New[float32](model.Config{DModel: 8, NLayers: 1, NHeads: model.Heads{1}, NCtx: 12, DVocab: bpe.Size()}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(m.Save("text"), bpe.Save("text")); err != nil {
		t.Fatal(err)
	}
	const full = "note: the context of 12 tokens is full; give --slide to continue\n"
	status, stdout, stderr := call(t, "generate", "text", "--text", "it is\nwhat", "--temperature", "0")
	if status != exitDone || !strings.HasPrefix(stdout, "it is\nwhat") || stderr != full {
		t.Errorf("status %d, %q, %q", status, stdout, stderr)
	}
	var c inspect.Continuation
	decode(t, mustCall(t, "generate", "text", "--text", "it is", "-n", "3", "--seed", "5", "--json"), &c)
	more, err := bpe.Decode(c.Tokens)
	if err != nil || len(c.Tokens) != 3 || c.Ended != inspect.EndedLength ||
		*c.Text != strings.ToValidUTF8("it is"+more, "\ufffd") || c.Optimal != nil {
		t.Errorf("%+v, %v", c, err)
	}
	again := mustCall(t, "generate", "text/model.safetensors", "--text", "it is", "-n", "3", "--seed", "5", "--json")
	if first := mustCall(t, "generate", "text", "--text", "it is", "-n", "3", "--seed", "5", "--json"); first != again {
		t.Errorf("the same seed gives\n%s%s", first, again)
	}
	if other := mustCall(t, "generate", "text", "--text", "it is", "-n", "3", "--seed", "6", "--json"); other == again {
		t.Errorf("another seed gives the same, %s", other)
	}
}

// What was generated before an error is shown.
func TestGenerateShowsWhatCameBeforeAnError(t *testing.T) {
	t.Chdir(t.TempDir())
	m, err := model.New[float32](model.Config{DModel: 8, NLayers: 1, NHeads: model.Heads{1}, NCtx: 12, DVocab: 3}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		m.Weights.Get("pos_embed.W_pos").Data[3*8+i] = 3e38 // position 4, which overflows
	}
	if err := m.Save("bare"); err != nil {
		t.Fatal(err)
	}
	status, stdout, stderr := call(t, "generate", "bare", "--tokens", "0,1")
	if status != exitFailed || len(strings.Fields(stdout)) != 4 || !strings.HasPrefix(stdout, "0 1 ") ||
		!strings.HasPrefix(stderr, "foretell: ") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("status %d, %q, %q", status, stdout, stderr)
	}
	if _, stdout, _ = call(t, "generate", "bare", "--tokens", "0,1", "--json"); !strings.HasPrefix(stdout, `{"error":`) {
		t.Errorf("%q", stdout)
	}
}
