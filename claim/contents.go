package claim

import "strings"

// Content describes a data file: the columns of a table, or the arrays of an archive.
type Content struct {
	File    string   `json:"file"`              // path relative to the output folder
	Rows    int      `json:"rows,omitempty"`    // number of rows, for a table
	Columns []Column `json:"columns,omitempty"` // for a table
	Arrays  []Layout `json:"arrays,omitempty"`  // for an archive
}

// Column is a column of a table. Every column holds numbers.
type Column struct {
	Name    string   `json:"name"`
	Meaning string   `json:"meaning,omitempty"` // with its unit; empty if the name is enough
	Codes   []string `json:"codes,omitempty"`   // the meanings of the column's integers, from 0 on
}

// Layout describes an array of an archive.
type Layout struct {
	Name    string `json:"name"`
	Shape   []int  `json:"shape"`
	Type    string `json:"type"` // as NumPy names it: float32, float64, int32, int64
	Meaning string `json:"meaning,omitempty"`
}

// Glossary maps the names of a document's columns and arrays to their meanings, with
// units.
type Glossary map[string]string

// meanings maps the name of a column or array to its meaning, with its unit.
var meanings = Glossary{
	"x":                      "the process's parameter x",
	"alpha":                  "the process's parameter α",
	"a":                      "the process's parameter a",
	"b":                      "the process's parameter b",
	"seed":                   "random seed of the training run",
	"step":                   "training step, or step of the sum",
	"converged":              "1 if the model has converged, 0 if not",
	"position":               "position in the sequence, from 1",
	"token":                  "the token's number, from 0",
	"tokens":                 "number of tokens",
	"layer":                  "the layer, from 0",
	"layers":                 "number of layers",
	"head":                   "the head, from 0",
	"heads":                  "number of attention heads, or of coin flips that are heads",
	"source":                 "the position attended to, from 1, or the signal, from 0",
	"destination":            "the position that attends, from 1",
	"kl":                     "divergence of the model from the optimal predictor, nats",
	"kl_error":               "standard error of kl, nats",
	"kl_position":            "divergence at the position, nats",
	"missed":                 "share of the information in the sequences that the model misses",
	"loss":                   "cross-entropy, nats",
	"floor":                  "loss of the optimal predictor, nats",
	"loss_lowest":            "smallest loss among the models, nats",
	"loss_highest":           "largest loss among the models, nats",
	"chance":                 "loss of the best constant guess, nats",
	"group":                  "the group of models, by the name of their folders",
	"models":                 "number of models",
	"entropy":                "entropy, nats",
	"bma":                    "loss of Bayesian model averaging, nats",
	"ml":                     "loss of the most likely model's predictor, nats",
	"decay":                  "factor by which attention decays per step of distance",
	"lambda":                 "factor by which attention decays per step",
	"mean":                   "mean over sequences",
	"sd":                     "standard deviation",
	"cosine":                 "cosine between measured and predicted",
	"median_cosine":          "median cosine between measured and predicted",
	"smallest_cosine":        "smallest cosine between measured and predicted",
	"relative_error":         "error as a share of the predicted length",
	"length_ratio":           "measured length over predicted length",
	"eq13":                   "predicted by Eq. 13",
	"eq26":                   "predicted by Eq. 26",
	"eq5":                    "by Eq. 5 as printed",
	"flips":                  "number of flips seen",
	"neurons":                "number of neurons",
	"printed":                "the document's number",
	"rate":                   "rate, bits",
	"accuracy":               "share of correct predictions",
	"parameters":             "number of parameters",
	"words":                  "tokens of each row's sequence, −1 after its end",
	"lengths":                "length of each row's sequence, in tokens",
	"probabilities":          "probability of each row's sequence",
	"beliefs":                "belief over the hidden states after the sequence",
	"intermediate_pca":       "resid_mid projected on two directions in the span of its first three principal components",
	"intermediate_regressed": "constrained belief predicted by regression on resid_mid",
	"final_pca":              "resid_post projected on two directions in the span of its first three principal components",
	"final_regressed":        "belief predicted by regression on resid_post",
	"r2":                     "R², held out",
	"mse":                    "mean squared error",
	"attention":              "share of attention",
	"accuracy_conditional":   "share of correct retrieval steps",
	"x1":                     "first coordinate",
	"x2":                     "second coordinate",
	"context":                "number of the context, from 0",
	"sum_x1":                 "first coordinate of the sum",
	"sum_x2":                 "second coordinate of the sum",
	"stated":                 "the token that the document states, from 0",
	"winner":                 "the token with the largest logit, from 0",
	"lag":                    "the lag, in tokens",
	"word":                   "number of the sequence",
	"component":              "principal component, from 1",
	"combination":            "the combination of readings, from 0",
	"series":                 "number of the curve, from 0",
	"lyapunov":               "Lyapunov exponent, nats per unit of time",
	"tau":                    "the delay τ",
}

// endings lists suffixes of names, with the words that each adds to the meaning of the
// rest of the name.
var endings = []struct{ ending, meaning string }{
	{"_random_init", "at random initialisation"},
	{"_random", "at random initialisation"},
	{"_shuffled", "with shuffled targets"},
	{"_sd", "standard deviation over seeds"},
	{"_se", "standard error"},
	{"_printed", "as the document prints it"},
}

// beginnings lists prefixes of names. Each says what quantity the rest of the name refers
// to.
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

// Meaning returns the meaning of a table's column or an archive's array, with its unit,
// or "" if the meaning of the name is not known. The name may have one of the usual
// endings and beginnings, such as _sd and kl_, which add to the meaning of the rest.
func (g Glossary) Meaning(name string) string {
	if process := strings.Index(name, "_x0."); process > 0 { // the end of such a name is a process's parameter x
		name = name[:process]
	}
	if m := g[name]; m != "" {
		return m
	}
	for _, e := range endings {
		if rest, ok := strings.CutSuffix(name, e.ending); ok {
			if m := g.Meaning(rest); m != "" {
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
