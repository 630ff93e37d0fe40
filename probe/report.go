package probe

import (
	"encoding/json"
	"math"
)

// Report is what [Examine] finds in a model: how well the target is read from each
// stage of the residual stream, beside its controls. Divergences are in nats; R² and
// MSE are scores of the convention.
type Report struct {
	Target     string         `json:"target"`
	Convention string         `json:"convention"`          // in words
	Words      int            `json:"words"`               // that were looked at
	Sequences  int            `json:"sequences,omitempty"` // that were sampled; 0 where the words are all there are
	KL         float64        `json:"kl"`                  // to the model from the optimum, mean over positions
	KLError    float64        `json:"kl_error"`            // of sampling
	KLPosition []float64      `json:"kl_by_position"`      // after words of 1, 2, … tokens
	Stages     []StageScore   `json:"stages"`              // along the residual stream, and side by side if asked for
	Controls   []FeatureScore `json:"controls"`            // no model: next tokens, then the last 1, 2, 3 tokens
	Steered    []SteeredStage `json:"steered,omitempty"`   // if asked for
}

// FeatureScore is how well a target is read from features.
type FeatureScore struct {
	Features   string   `json:"features"` // their name
	R2         float64  `json:"r2"`
	R2Error    float64  `json:"r2_error"` // from the spread over the folds
	RMSE       float64  `json:"rmse"`     // in the units of the target
	MSE        float64  `json:"mse"`
	R2Position []Finite `json:"r2_by_position,omitempty"` // where each position has its own fit
}

// StageScore is how well a target is read from a stage of the residual stream, with the
// controls that go by stage.
type StageScore struct {
	Stage string `json:"stage"` // its hook name
	FeatureScore
	Random    float64 `json:"r2_random_init"` // this and MSE from the same stage of a random initialisation
	RandomMSE float64 `json:"mse_random_init"`
	Shuffled  float64 `json:"r2_shuffled"`   // of the target dealt out to other words
	NextToken float64 `json:"r2_next_token"` // from the optimal next-token distribution
}

// SteeredStage is what moving the activations of a stage does.
type SteeredStage struct {
	Stage string `json:"stage"` // its hook name
	*Steered
	Spread float64 `json:"spread"` // of the activations: their root-mean-square distance from the mean
}

// Finite is a number that is null in JSON where there is none: R² of what does not
// vary.
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
