package run

import (
	"bytes"
	"fmt"
	"path/filepath"

	"foretell/internal/exactjson"
	"foretell/internal/limit"
	"foretell/model"
	"foretell/train"
)

// bestFile is the file of a checkpoint's folder that holds the weights of the best
// evaluation so far, with train.stop, unless that is the evaluation of the checkpoint's
// own step.
const bestFile = "best.safetensors"

// stopping is what state.json records for train.stop; see [train.Best]. Nothing is read
// from metrics.jsonl, so damaged rows cannot change where a run stops.
type stopping struct {
	Best   Row    `json:"best"`  // row of the best evaluation
	Since  int    `json:"since"` // number of evaluations after it
	Last   int    `json:"last"`  // step of the last evaluation
	SHA256 string `json:"best_sha256,omitempty"`
}

// stoppedAt returns the step at which train.stop has ended a run with options o, or 0.
func (s state) stoppedAt(o train.Options) int {
	if o.Stop != nil && s.Stop != nil && s.Stop.Since >= o.Stop.Patience {
		return s.Step
	}
	return 0
}

// complete reports whether a run with options o ends with this checkpoint, and the
// checkpoint has all that the result needs.
func (s state) complete(o train.Options) bool {
	return s.Step == o.NumSteps && (s.Stop == nil || s.Stop.Last == s.Step) || s.stoppedAt(o) > 0
}

// chosen returns what is known of the model of a complete run with options o; nil without
// train.stop.
func (s state) chosen(o train.Options) *Chosen {
	if s.Stop == nil {
		return nil
	}
	best := s.Stop.Best
	return &Chosen{Last: s.Step, Early: s.Step < o.NumSteps, Step: best.Step, Loss: best.StopLoss()}
}

// checkStop returns an error if a run with train.stop lacks its best evaluation.
func (s state) checkStop(o train.Options) error {
	if o.Stop != nil && s.Stop == nil {
		return fmt.Errorf("%s has no best evaluation, which train.stop needs", stateFile)
	}
	return nil
}

// readBest reads the model of the best evaluation from a checkpoint's folder, and
// verifies its hash. It returns nil without train.stop.
func (s state) readBest(dir string, c model.Config) (*model.Transformer[float32], error) {
	if s.Stop == nil {
		return nil, nil
	}
	if s.Stop.SHA256 == "" {
		return s.readModel(dir, c)
	}
	data, err := readHashed(filepath.Join(dir, bestFile), s.Stop.SHA256, c, 1)
	if err != nil {
		return nil, err
	}
	return model.Read[float32](data, c)
}

// best returns the best evaluation in the form in which the trainer keeps it.
func (s state) best(m *model.Transformer[float32]) *train.Best {
	if s.Stop == nil {
		return nil
	}
	row := s.Stop.Best
	return &train.Best{
		Step: row.Step, Loss: row.StopLoss(), Since: s.Stop.Since, Last: s.Stop.Last, Weights: m.Weights,
	}
}

// addBest adds the best evaluation to a checkpoint's state and files.
func (r *Run) addBest(s *state, files map[string][]byte) error {
	best := r.State().Best
	if best == nil {
		return nil
	}
	s.Stop = &stopping{Best: r.best, Since: best.Since, Last: best.Last}
	if best.Step == s.Step {
		return nil
	}
	m, step, err := r.Result()
	if err != nil {
		return err
	}
	var weights bytes.Buffer
	if err := m.WriteFrom(&weights, r.origin(step)); err != nil {
		return err
	}
	files[bestFile], s.Stop.SHA256 = weights.Bytes(), hexHash(weights.Bytes())
	return nil
}

// consider gives the rule train.stop an evaluation.
func (r *Run) consider(row Row) {
	if r.Consider(row.Evaluation) {
		r.best = row
	}
}

// due reports whether a checkpoint is to be written at this step, at which the run may
// have been evaluated just now or be interrupted. The checkpoint from which the run
// resumed may lack the evaluation at its step. The one at the last step is then written
// again, and with train.stop every one.
func (r *Run) due(evaluated, interrupted bool) bool {
	switch step := r.At(); step {
	case r.saved:
		return evaluated && (r.Config.Train.Stop != nil || step == r.last())
	case 0:
		return false
	default:
		return interrupted || r.schedule().saves(step, r.savedAt, r.now())
	}
}

// last returns the step at which the run ends: its number of steps or, once train.stop
// has ended it, the step that it has reached.
func (r *Run) last() int { return r.schedule().last() }

// Chosen says which model train.stop has chosen for a complete run.
type Chosen struct {
	Last  int     `json:"last_step"`
	Early bool    `json:"early"`      // whether the rule ended the run before its number of steps
	Step  int     `json:"model_step"` // step of the best evaluation, whose weights are the run's model
	Loss  float64 `json:"model_loss"` // loss by which it was chosen, [train.Evaluation.StopLoss], in nats
}

// String returns the last step, and the model's step and loss.
func (c Chosen) String() string {
	end := "ended at its last step, "
	if c.Early {
		end = "stopped early by train.stop at step "
	}
	return fmt.Sprintf("%s%d; the model is from step %d (loss by which it was chosen: %.5f nats)",
		end, c.Last, c.Step, c.Loss)
}

// readChosen reads what summary.json says about the model of a run with train.stop. It
// returns nil if the file does not say it.
func readChosen(dir string) *Chosen {
	data, err := limit.ReadFile(filepath.Join(dir, summaryFile), "a "+summaryFile, mostJSON)
	var s summary
	if err != nil || exactjson.Unmarshal(data, &s) != nil {
		return nil
	}
	return s.Stop
}
