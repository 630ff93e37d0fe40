package run

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/durable"
	"foretell/internal/limit"
	"foretell/internal/safetensors"
	"foretell/model"
	"foretell/train"
)

// Files of a checkpoint folder.
const (
	optimizerFile = "optimizer.safetensors"
	stateFile     = "state.json"

	mostState = 64 << 10 // bytes of it
)

// state is a checkpoint's state.json: where the run stood, and the hashes that
// show that the other files are what was written. Checkpoints of before there
// were Loss and GradNorm do without them.
type state struct {
	Step            int     `json:"step"`
	Loss            float64 `json:"loss,omitempty"`      // of the step's batch
	GradNorm        float64 `json:"grad_norm,omitempty"` // of the step, before clipping
	ModelSHA256     string  `json:"model_sha256"`
	OptimizerSHA256 string  `json:"optimizer_sha256"`
	ConfigSHA256    string  `json:"config_sha256"`
	SHA256          string  `json:"sha256"` // of this value with SHA256 empty
}

func (s state) hash() string {
	s.SHA256 = ""
	data, err := json.Marshal(s)
	if err != nil {
		panic("run: " + err.Error())
	}
	return hexHash(data)
}

func hexHash(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}

// momentKinds are the optimiser's arrays in the order in which a file has them.
var momentKinds = []string{"exp_avg", "exp_avg_sq", "momentum_buffer"}

// writeCheckpoint writes the trainer's state to checkpoints/step-N, whole or not at
// all, and removes all other checkpoints but the one before it.
func (r *Run) writeCheckpoint() error {
	at := r.State()
	files, err := r.checkpointFiles(at)
	if err != nil {
		return err
	}
	dir := filepath.Join(r.Dir, checkpointDir)
	final := filepath.Join(dir, stepName(at.Step))
	// A checkpoint of this step can only be one that resuming found damaged.
	if err := durable.Remove(final); err != nil {
		return err
	}
	err = durable.Dir(final, func(tmp string) error {
		for name, data := range files {
			if err := os.WriteFile(filepath.Join(tmp, name), data, 0o644); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("run: checkpoint of step %d: %w", at.Step, err)
	}
	return pruneCheckpoints(dir, at.Step)
}

// checkpointFiles returns the contents of a checkpoint's files.
func (r *Run) checkpointFiles(at train.State) (map[string][]byte, error) {
	var weights, moments bytes.Buffer
	if err := r.Model.Write(&weights); err != nil {
		return nil, err
	}
	if err := safetensors.Write(&moments, namedMoments(at.Moments), nil); err != nil {
		return nil, err
	}
	s := state{
		Step: at.Step, Loss: at.Loss, GradNorm: at.GradNorm,
		ModelSHA256: hexHash(weights.Bytes()), OptimizerSHA256: hexHash(moments.Bytes()), ConfigSHA256: r.configHash,
	}
	s.SHA256 = s.hash()
	record, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		model.WeightsFile: weights.Bytes(), optimizerFile: moments.Bytes(), stateFile: append(record, '\n'),
	}, nil
}

func namedMoments(moments map[string]*model.Weights[float32]) (list []safetensors.Tensor) {
	for _, kind := range momentKinds {
		if moments[kind] == nil {
			continue
		}
		for _, tensor := range moments[kind].Tensors {
			list = append(list, safetensors.Tensor{Name: kind + "." + tensor.Name, Shape: tensor.Shape, F32: tensor.Data})
		}
	}
	return list
}

// readState reads a checkpoint's state.json, which must match its own hash.
func readState(dir string) (state, error) {
	var s state
	record, err := limit.ReadFile(filepath.Join(dir, stateFile), "a checkpoint's state", mostState)
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(record, &s); err != nil {
		return s, fmt.Errorf("%s is damaged: %w", stateFile, err)
	}
	if s.SHA256 != s.hash() {
		return s, fmt.Errorf("%s does not match its own hash", stateFile)
	}
	return s, nil
}

// errOtherConfig says that a checkpoint is sound, but of another configuration.
var errOtherConfig = fmt.Errorf("%s belongs to another %s than the run's: it has been changed since",
	stateFile, model.ConfigFile)

// checkConfig returns errOtherConfig unless the checkpoint was made under the
// config.yaml of that hash.
func (s state) checkConfig(hash string) error {
	if s.ConfigSHA256 != hash {
		return errOtherConfig
	}
	return nil
}

// readModel reads a checkpoint's weights, which must match their hash.
func (s state) readModel(dir string, c model.Config) (*model.Transformer[float32], error) {
	data, err := readHashed(filepath.Join(dir, model.WeightsFile), s.ModelSHA256, c)
	if err != nil {
		return nil, err
	}
	return model.Read[float32](data, c)
}

// readCheckpoint brings the trainer to the state of a checkpoint folder. An
// error leaves the trainer as it was.
func (r *Run) readCheckpoint(dir string) error {
	s, err := readState(dir)
	if err != nil {
		return err
	}
	if err := s.checkConfig(r.configHash); err != nil {
		return err
	}
	m, err := s.readModel(dir, r.Config.Model)
	if err != nil {
		return err
	}
	data, err := readHashed(filepath.Join(dir, optimizerFile), s.OptimizerSHA256, r.Config.Model)
	if err != nil {
		return err
	}
	moments, err := readMoments(data, r.State().Moments, r.Config.Model)
	if err != nil {
		return err
	}
	return r.Restore(train.State{Step: s.Step, Loss: s.Loss, GradNorm: s.GradNorm, Weights: m.Weights, Moments: moments})
}

// readMoments reads the optimiser's arrays of a model, of the kinds of like.
func readMoments(data []byte, like map[string]*model.Weights[float32],
	c model.Config,
) (map[string]*model.Weights[float32], error) {
	file, err := safetensors.Read(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", optimizerFile, err)
	}
	moments := map[string]*model.Weights[float32]{}
	for kind := range like {
		moments[kind] = model.NewWeights[float32](c)
		for _, tensor := range moments[kind].Tensors {
			saved, ok := file.Tensor(kind + "." + tensor.Name)
			if !ok || !slices.Equal(saved.Shape, tensor.Shape) || saved.F32 == nil {
				return nil, fmt.Errorf("%s: %s.%s is missing or has another shape", optimizerFile, kind, tensor.Name)
			}
			copy(tensor.Data, saved.F32)
		}
	}
	return moments, nil
}

// readHashed reads a file whose SHA-256 is known, of a model's weights or of no more than
// two numbers for each of them.
func readHashed(path, want string, c model.Config) ([]byte, error) {
	data, err := model.ReadFile(path, c)
	if err != nil {
		return nil, err
	}
	if hexHash(data) != want {
		return nil, fmt.Errorf("%s is truncated or altered: its SHA-256 is not the one in %s", filepath.Base(path), stateFile)
	}
	return data, nil
}

func stepName(step int) string { return "step-" + strconv.Itoa(step) }

// checkpoints lists the steps of the checkpoints in dir, the latest first.
func checkpoints(dir string) ([]int, error) {
	entries, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		return nil, nil
	}
	var steps []int
	for _, e := range entries {
		if digits, ok := strings.CutPrefix(e.Name(), "step-"); ok && e.IsDir() {
			if step, err := strconv.Atoi(digits); err == nil {
				steps = append(steps, step)
			}
		}
	}
	slices.Sort(steps)
	slices.Reverse(steps)
	return steps, err
}

// latestIntact calls read for the folder of each checkpoint in dir, the latest
// first, until one can be read, and returns its step, −1 if none can. failures
// says what is wrong with those before it. It is an error when the run's config.yaml
// is not the one under which all of them were made.
func latestIntact(dir string, read func(dir string) error) (step int, failures []string, err error) {
	steps, err := checkpoints(dir)
	others := 0
	for _, step := range steps {
		err := read(filepath.Join(dir, stepName(step)))
		if err == nil {
			return step, failures, nil
		}
		if errors.Is(err, errOtherConfig) {
			others++
		}
		failures = append(failures, fmt.Sprintf("checkpoint %s is not usable: %v", stepName(step), err))
	}
	if err == nil && others > 0 && others == len(steps) {
		run := filepath.Dir(dir)
		err = fmt.Errorf("%s has been changed since the checkpoints of %s were made; undo the change, "+
			"or copy the file and train anew with it in another folder", filepath.Join(run, model.ConfigFile), run)
	}
	return -1, failures, err
}

// pruneCheckpoints keeps the checkpoint of a step and the one before it, so that
// one damaged checkpoint never loses a run. Those of later steps can only be such
// as resuming found damaged.
func pruneCheckpoints(dir string, last int) error {
	steps, err := checkpoints(dir)
	if err != nil {
		return err
	}
	kept := 0
	for _, step := range steps {
		if step <= last && kept < 2 {
			kept++
			continue
		}
		if err := durable.Remove(filepath.Join(dir, stepName(step))); err != nil {
			return err
		}
	}
	return nil
}
