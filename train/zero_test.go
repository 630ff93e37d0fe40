package train

import (
	"strings"
	"testing"
)

// A 0 where none can be is refused as any other number out of the range, and not taken
// for a key that is left out.
func TestExplicitZeroIsNotLeftOut(t *testing.T) {
	const text = `process: {name: routing}
model: {d_model: 8, n_layers: 1, n_heads: 1, n_ctx: 16}
train: {batch_size: 4, num_steps: 5, lr: 0.01, event_weight: 10, weight_decay: 0, warmup_steps: 0}
`
	if _, err := Parse("c.yaml", []byte(text), "train.lr_final=0", "train.momentum=0.0", "train.train_sequences=0"); err != nil {
		t.Fatal(err)
	}
	for _, key := range nonzero {
		if key.path == "model.d_vocab" {
			continue // of which another number is too few for the process
		}
		for _, zero := range []string{"0", "0.0", "-0", "0e5"} {
			_, err := Parse("c.yaml", []byte(text), key.path+"="+zero)
			want := key.path + "=" + zero + ": " + key.path + " = 0 is outside " + key.within
			if err == nil || err.Error() != want && !strings.Contains(err.Error(), "is not a whole number") {
				t.Errorf("%s=%s: %v, want %s", key.path, zero, err, want)
			}
		}
		_, err := Parse("c.yaml", []byte(text), key.path+"=-2") // -1 is TransformerLens's for left out
		if err == nil || !strings.HasSuffix(err.Error(), key.path+" = -2 is outside "+key.within) {
			t.Errorf("%s = 0 is said to be outside %s, and of -2: %v", key.path, key.within, err)
		}
	}
	_, err := Parse("c.yaml", []byte(strings.Replace(text, "lr: 0.01", "lr: 0", 1)))
	if err == nil || err.Error() != "c.yaml:3:38: train.lr = 0 is outside (0, 100]" {
		t.Error(err)
	}
}
