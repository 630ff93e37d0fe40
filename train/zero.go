package train

import (
	"foretell/internal/strict"
)

// nonzero are the configuration keys for which 0 is invalid, with their valid ranges. In
// a [Config] 0 means that a key is left out.
var nonzero = []struct{ path, within string }{
	{"model.n_ctx", "[1, 1048576]"},
	{"model.d_vocab", "[1, 1048576]"},
	{"model.d_head", "[1, 1048576]"},
	{"model.d_mlp", "[1, 1048576]"},
	{"model.eps", "[1e-37, 1]"},
	{"model.initializer_range", "(0, 100]"},
	{"train.batch_size", "[1, 1048576]"},
	{"train.num_steps", "[1, 1e+12]"},
	{"train.lr", "(0, 100]"},
	{"train.eps", "[1e-37, 1]"},
	{"train.event_weight", "[1e-06, 1000000]"},
	{"train.evaluate_every", "[1, 1e+12]"},
	{"train.evaluate_sequences", "[1, 16777216]"},
	{"train.stop.patience", "[1, 1e+12]"},
	{"train.checkpoint_every", "[1, 1e+12]"},
}

// checkNonzero returns an error about the first key that a document sets to 0 although 0
// is invalid.
func checkNonzero(doc *strict.Document, c Config) error {
	for _, key := range nonzero {
		if key.path == "train.batch_size" && c.Train.Objective == objectiveExact {
			continue // the objective "exact" has no batches
		}
		if doc.GivesZero(key.path) {
			return strict.Fieldf(key.path, "= 0 is outside %s", key.within)
		}
	}
	return nil
}
