package run

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/durable"
	"foretell/internal/safetensors"
	"foretell/model"
	"foretell/train"
)

// Files of a checkpoint folder.
const (
	optimizerFile = "optimizer.safetensors"
	stateFile     = "state.json"
)

func hexHash(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}

// writeCheckpoint writes the trainer's state to checkpoints/step-N atomically, and
// removes all other checkpoints except the previous one.
func (r *Run) writeCheckpoint() error {
	at := r.State()
	files, err := r.checkpointFiles(at)
	if err != nil {
		return err
	}
	dir := filepath.Join(r.Dir, checkpointDir)
	if err := durable.Folder(dir); err != nil {
		return err
	}
	final := filepath.Join(dir, stepName(at.Step))
	// If a folder of this name exists, somebody else has put it there.
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
	if err := r.Model.WriteFrom(&weights, r.origin(at.Step)); err != nil {
		return nil, err
	}
	if err := safetensors.Write(&moments, namedMoments(at.Moments), nil); err != nil {
		return nil, err
	}
	s := state{
		Format: format, Configs: r.configs(), Engines: r.engines, Step: at.Step, Loss: at.Loss, GradNorm: at.GradNorm,
		Chain: r.log.Chain(), Snapshots: r.snapshots,
		ModelSHA256: hexHash(weights.Bytes()), OptimizerSHA256: hexHash(moments.Bytes()), ConfigSHA256: r.configHash,
	}
	if s.Configs != nil {
		s.Format = extendedFormat
	}
	files := map[string][]byte{model.WeightsFile: weights.Bytes(), optimizerFile: moments.Bytes()}
	err := r.addBest(&s, files)
	if err == nil {
		files[stateFile], err = s.text()
	}
	return files, err
}

// origin returns the provenance to store in a weight file of a step of the run. If the
// configuration as JSON exceeds the size limit, it is left out and is only in
// config.yaml.
func (r *Run) origin(step int) model.Origin {
	config, err := r.Config.JSON()
	if err != nil {
		config = nil
	}
	return model.Origin{Config: config, Step: step}
}

func namedMoments(moments map[string]*model.Weights[float32]) (list []safetensors.Tensor) {
	for _, kind := range slices.Sorted(maps.Keys(moments)) {
		for _, tensor := range moments[kind].Tensors {
			name := kind + "." + tensor.Name
			list = append(list, safetensors.Tensor{Name: name, Shape: tensor.Shape, F32: tensor.Data})
		}
	}
	return list
}

// readModel reads a checkpoint's weights, and verifies their hash.
func (s state) readModel(dir string, c model.Config) (*model.Transformer[float32], error) {
	data, err := readHashed(filepath.Join(dir, model.WeightsFile), s.ModelSHA256, c, 1)
	if err != nil {
		return nil, err
	}
	return model.Read[float32](data, c)
}

// verifyCheckpoint reads and verifies all files of a checkpoint of the run with
// configuration c.
func verifyCheckpoint(dir, configHash string, c train.Config) (s state, err error) {
	if s, err = readStateOf(dir, configHash); err != nil {
		return s, err
	}
	if err := s.checkStop(c.Train); err != nil {
		return s, err
	}
	if _, err = s.readModel(dir, c.Model); err != nil {
		return s, err
	}
	if _, err = s.readBest(dir, c.Model); err != nil {
		return s, err
	}
	moments, err := s.readOptimizer(dir, c)
	if err == nil {
		_, err = safetensors.Read(moments)
	}
	return s, err
}

// readCheckpoint restores the trainer to the state of a checkpoint folder, if accept
// returns no error for that state. On an error it leaves the trainer as it was.
func (r *Run) readCheckpoint(dir string, accept func(state) error) (state, error) {
	s, err := readStateOf(dir, r.configHash)
	if err != nil {
		return s, err
	}
	if err := accept(s); err != nil {
		return s, err
	}
	if err := s.checkStop(r.Config.Train); err != nil {
		return s, err
	}
	m, err := s.readModel(dir, r.Config.Model)
	if err != nil {
		return s, err
	}
	best, err := s.readBest(dir, r.Config.Model)
	if err != nil {
		return s, err
	}
	data, err := s.readOptimizer(dir, r.Config)
	if err != nil {
		return s, err
	}
	moments, err := readMoments(data, r.State().Moments, r.Config.Model)
	if err != nil {
		return s, err
	}
	err = r.Restore(train.State{
		Step: s.Step, Loss: s.Loss, GradNorm: s.GradNorm, Weights: m.Weights, Moments: moments, Best: s.best(best),
	})
	if err == nil && s.Stop != nil {
		r.best = s.Stop.Best
	}
	return s, err
}

// readMoments reads the optimiser's arrays. For each key of the map `like`, the file must
// have one array for each parameter of the model, of the parameter's shape.
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

// readOptimizer reads a checkpoint's optimiser file, and verifies its hash.
func (s state) readOptimizer(dir string, c train.Config) ([]byte, error) {
	return readHashed(filepath.Join(dir, optimizerFile), s.OptimizerSHA256, c.Model, c.Train.Moments())
}

// readHashed reads a file and returns an error unless its SHA-256 is `want`. The file has
// a number of arrays, `sets`; each array has one number for each of the model's weights.
func readHashed(path, want string, c model.Config, sets int) ([]byte, error) {
	data, err := model.ReadArrays(path, c, sets)
	if err != nil {
		return nil, err
	}
	if hexHash(data) != want {
		return nil, fmt.Errorf("%s is truncated or altered: its SHA-256 is not the one in %s",
			filepath.Base(path), stateFile)
	}
	return data, nil
}

func stepName(step int) string { return "step-" + strconv.Itoa(step) }

// stepOf returns the step of a name made by [stepName].
func stepOf(name string) (step int, ok bool) {
	step, err := strconv.Atoi(strings.TrimPrefix(name, "step-"))
	return step, err == nil && step >= 0 && name == stepName(step)
}

// checkpoints lists the steps of the checkpoints in dir, the latest first.
func checkpoints(dir string) ([]int, error) {
	entries, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		return nil, nil
	}
	var steps []int
	for _, e := range entries {
		if step, ok := stepOf(e.Name()); ok && e.IsDir() {
			steps = append(steps, step)
		}
	}
	slices.Sort(steps)
	slices.Reverse(steps)
	return steps, err
}

// latestIntact calls the function `read` for the folder of each checkpoint in dir, the
// latest first, until one succeeds. It returns the step of that checkpoint, −1 if all
// fail, and a description of each earlier failure. It returns an error if all checkpoints
// were made with another config.yaml, and if a checkpoint may be intact but cannot be
// read.
func latestIntact(dir string, read func(dir string) error) (step int, failures []string, err error) {
	steps, err := checkpoints(dir)
	others := 0
	for _, step := range steps {
		path := filepath.Join(dir, stepName(step))
		err := read(path)
		var refused refusal
		switch {
		case err == nil:
			return step, failures, nil
		case errors.As(err, &refused) || unreadable(err):
			return -1, failures, fmt.Errorf("%s: %w", path, err)
		}
		if errors.Is(err, errOtherConfig) {
			others++
		}
		failures = append(failures, fmt.Sprintf("checkpoint %s is not usable: %v", stepName(step), err))
	}
	if err == nil && others > 0 && others == len(steps) {
		run := filepath.Dir(dir)
		err = fmt.Errorf("%s has been changed since the checkpoints of %s were made; undo the change, "+
			"or train with a copy of the file in another folder", filepath.Join(run, model.ConfigFile), run)
	}
	return -1, failures, err
}

// pruneCheckpoints keeps the checkpoint of the given step and the checkpoint before it,
// so that one damaged checkpoint never loses a run. Checkpoints of later steps are
// removed: resuming has found them damaged.
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
