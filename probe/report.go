package probe

import (
	"encoding/json"
	"math"
)

// Report is the result of [Examine]: how well the target can be read from each stage of
// the residual stream, with controls. Divergences are in nats; R² and MSE are scores
// under the convention.
type Report struct {
	Target     string         `json:"target"`
	Convention string         `json:"convention"`          // its description in words
	Words      int            `json:"words"`               // number of prefixes analysed
	Sequences  int            `json:"sequences,omitempty"` // number of sampled sequences; 0 for all prefixes
	KL         float64        `json:"kl"`                  // divergence from the optimum, averaged over positions
	KLError    float64        `json:"kl_error"`            // sampling error
	KLPosition []float64      `json:"kl_by_position"`      // after prefixes of 1, 2, … tokens
	Stages     []StageScore   `json:"stages"`              // one for each stage; if requested, one for all together
	Controls   []FeatureScore `json:"controls"`            // need no model: next tokens, then the last 1, 2, 3 tokens
	Steered    []SteeredStage `json:"steered,omitempty"`   // if requested
}

// FeatureScore measures how well a target can be read from features.
type FeatureScore struct {
	Features   string   `json:"features"` // name of the features
	R2         float64  `json:"r2"`
	R2Error    float64  `json:"r2_error"` // standard error of R², from the spread over the folds
	RMSE       float64  `json:"rmse"`     // in the units of the target
	MSE        float64  `json:"mse"`
	R2Position []Finite `json:"r2_by_position,omitempty"` // R² at each position, if each has its own fit
}

// StageScore measures how well a target can be read from a stage of the residual stream,
// with the controls that differ by stage.
type StageScore struct {
	Stage string `json:"stage"` // its hook name
	FeatureScore
	Random    float64 `json:"r2_random_init"` // R² (and MSE below) from the same stage of the random initialisation
	RandomMSE float64 `json:"mse_random_init"`
	Shuffled  float64 `json:"r2_shuffled"`   // R² after the target's rows are assigned to random other prefixes
	NextToken float64 `json:"r2_next_token"` // R² from the optimal next-token distribution
}

// SteeredStage is the effect of moving the activations of a stage.
type SteeredStage struct {
	Stage string `json:"stage"` // its hook name
	*Steered
	Spread float64 `json:"spread"` // root-mean-square distance of the activations from their mean
}

// Finite is a number that is null in JSON if it is not finite, such as the R² of a
// constant target.
type Finite float64

// MarshalJSON writes NaN and infinities as null.
func (x Finite) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(x))
}

func newFeatureScore(name string, r *Reading) FeatureScore {
	s := FeatureScore{Features: name, R2: r.R2, R2Error: r.R2Error, RMSE: r.RMSE, MSE: r.MSE}
	for _, position := range r.ByPosition {
		s.R2Position = append(s.R2Position, Finite(position.R2))
	}
	return s
}
