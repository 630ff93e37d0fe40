package claim

import "strings"

// Content is what a file of data holds: a table's columns, or an archive's arrays.
type Content struct {
	File    string   `json:"file"`              // relative to the output folder
	Rows    int      `json:"rows,omitempty"`    // of a table
	Columns []Column `json:"columns,omitempty"` // of a table
	Arrays  []Layout `json:"arrays,omitempty"`  // of an archive
}

// Column is a column of a table. All of them hold numbers.
type Column struct {
	Name    string   `json:"name"`
	Meaning string   `json:"meaning,omitempty"` // with its unit; empty where the name says it
	Codes   []string `json:"codes,omitempty"`   // what its whole numbers stand for, from 0 on
}

// Layout is an array of an archive.
type Layout struct {
	Name    string `json:"name"`
	Shape   []int  `json:"shape"`
	Type    string `json:"type"` // NumPy's: float32, float64, int32, int64
	Meaning string `json:"meaning,omitempty"`
}

// meanings are of columns and arrays, with their units, by name.
var meanings = map[string]string{
	"x":                      "the process's parameter x",
	"alpha":                  "the process's parameter α",
	"a":                      "the process's parameter a",
	"b":                      "the process's parameter b",
	"seed":                   "the training's seed",
	"step":                   "steps of training, or of the sum",
	"converged":              "1 if the model has converged, 0 if not",
	"position":               "position in the sequence, from 1",
	"token":                  "the token's number, from 0",
	"tokens":                 "how many tokens",
	"layer":                  "the layer, from 0",
	"layers":                 "how many layers",
	"head":                   "the head, from 0",
	"heads":                  "how many heads, of attention or of the coin",
	"source":                 "the position that is attended to, from 1, or the signal, from 0",
	"destination":            "the position that attends, from 1",
	"kl":                     "divergence of the model from the optimal predictor, nats",
	"kl_error":               "standard error of kl, nats",
	"kl_position":            "divergence at the position, nats",
	"missed":                 "share of what the words tell that the model misses",
	"loss":                   "cross-entropy, nats",
	"floor":                  "loss of the optimal predictor, nats",
	"loss_lowest":            "least loss among the models, nats",
	"loss_highest":           "greatest loss among the models, nats",
	"chance":                 "loss of the best constant guess, nats",
	"group":                  "the kind of model, by its folder",
	"models":                 "how many models",
	"entropy":                "nats",
	"bma":                    "loss of Bayesian model averaging, nats",
	"ml":                     "loss of the most likely model's predictor, nats",
	"decay":                  "exponential decay of attention a step of distance",
	"lambda":                 "exponential decay of attention a step",
	"mean":                   "mean over words",
	"sd":                     "standard deviation",
	"cosine":                 "cosine of measured and predicted",
	"median_cosine":          "median cosine of measured and predicted",
	"smallest_cosine":        "least cosine of measured and predicted",
	"relative_error":         "error as a share of the predicted length",
	"length_ratio":           "measured by predicted length",
	"eq13":                   "as Eq. 13 says",
	"eq26":                   "as Eq. 26 says",
	"eq5":                    "as Eq. 5 is printed",
	"flips":                  "how many flips were seen",
	"neurons":                "how many neurons",
	"printed":                "the document's number",
	"rate":                   "bits",
	"accuracy":               "share of predictions that are right",
	"parameters":             "how many parameters",
	"words":                  "tokens of the word of each row, −1 behind the last",
	"lengths":                "how many tokens the word of each row has",
	"probabilities":          "how probable the word of each row is",
	"beliefs":                "belief over the hidden states after the word",
	"intermediate_pca":       "first two principal components of resid_mid",
	"intermediate_regressed": "constrained belief read from resid_mid by regression",
	"final_pca":              "first two principal components of ln_final's output",
	"final_regressed":        "belief read from ln_final's output by regression",
	"r2":                     "R², held out",
	"mse":                    "mean squared error",
	"attention":              "share of attention",
	"accuracy_conditional":   "share of retrieval steps that are right",
	"x1":                     "first coordinate",
	"x2":                     "second coordinate",
	"context":                "the context, from 0",
	"sum_x1":                 "sum, first coordinate",
	"sum_x2":                 "sum, second coordinate",
	"stated":                 "the token that the document states, from 0",
	"winner":                 "the token of the greatest logit, from 0",
	"lag":                    "the lag, in tokens",
	"word":                   "the word's number",
	"component":              "principal component, from 1",
	"combination":            "the reading, from 0",
	"series":                 "the curve, from 0",
	"lyapunov":               "Lyapunov exponent, nats a unit of time",
	"tau":                    "the delay τ",
}

// endings are of names that say something of what the name before them means.
var endings = []struct{ ending, meaning string }{
	{"_random_init", "of a random initialisation"},
	{"_random", "of a random initialisation"},
	{"_shuffled", "with shuffled targets"},
	{"_sd", "standard deviation over seeds"},
	{"_se", "standard error"},
	{"_printed", "as the document prints it"},
}

// beginnings are of names whose rest says of what they are.
var beginnings = []struct{ beginning, meaning string }{
	{"r2_", "R² of"},
	{"mse_", "mean squared error of"},
	{"kl_", "divergence in nats,"},
	{"lag_", "at lag"},
	{"printed_", "as the document prints it:"},
	{"measured_", "as measured:"},
	{"predicted_", "as predicted:"},
	{"attention_", "attention,"},
	{"logit_", "logit of"},
}

// Meaning says what a column of a table or an array of an archive is, with its unit, by
// its name; "" where that is all that is known.
func Meaning(name string) string {
	if process := strings.Index(name, "_x0."); process > 0 { // of one process of several
		name = name[:process]
	}
	if m := meanings[name]; m != "" {
		return m
	}
	for _, e := range endings {
		if rest, ok := strings.CutSuffix(name, e.ending); ok {
			if m := Meaning(rest); m != "" {
				return m + ", " + e.meaning
			}
			return spaced(rest) + ", " + e.meaning
		}
	}
	for _, b := range beginnings {
		if rest, ok := strings.CutPrefix(name, b.beginning); ok {
			return b.meaning + " " + spaced(rest)
		}
	}
	return ""
}

func spaced(name string) string { return strings.ReplaceAll(name, "_", " ") }
