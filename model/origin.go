package model

import (
	"fmt"
	"strconv"

	"foretell/internal/limit"
	"foretell/internal/safetensors"
	"foretell/internal/strict"
)

// Origin is what a file of weights says in its metadata of where they come from, as
// texts under foretell.config, foretell.step and foretell.format, beside
// foretell.sha256, the tensors' checksum. It is a function of the configuration and the
// step: which build of the program wrote a file stands nowhere in it, since a run's
// weights are the same bits with each (a run's env.json says it).
type Origin struct {
	// Config is a configuration as JSON, with the sections of a config.yaml: model, and
	// of a training process and train. nil stands for that of the model alone, and is
	// read from a file that carries none.
	Config []byte
	// Step is that of the training after which the weights were so; 0 if there is none.
	Step int
}

const (
	configKey = "foretell.config"
	stepKey   = "foretell.step"
	formatKey = "foretell.format"

	// originFormat is the version of what these keys hold.
	originFormat = 1
)

// metadata is what a file of a model's weights carries.
func (o Origin) metadata(c Config) (map[string]string, error) {
	if o.Config == nil {
		config, err := strict.MarshalJSON(section{Model: c})
		if err != nil {
			return nil, err
		}
		o.Config = config
	}
	metadata := map[string]string{formatKey: strconv.Itoa(originFormat), configKey: string(o.Config)}
	if o.Step > 0 {
		metadata[stepKey] = strconv.Itoa(o.Step)
	}
	return metadata, nil
}

// ReadOrigin reads what a safetensors file says of where its weights come from, and none
// of the weights. Of a file from elsewhere that is nothing.
func ReadOrigin(path string) (Origin, error) {
	file, size, err := limit.Open(path)
	if err != nil {
		return Origin{}, err
	}
	defer file.Close()
	index, err := safetensors.Open(file, size)
	if err != nil {
		return Origin{}, fmt.Errorf("%s: %w", path, err)
	}
	o, err := originOf(index.Metadata)
	if err != nil {
		return Origin{}, fmt.Errorf("%s: %w", path, err)
	}
	return o, nil
}

func originOf(metadata map[string]string) (o Origin, err error) {
	if format, ok := metadata[formatKey]; ok && format != strconv.Itoa(originFormat) {
		return o, fmt.Errorf("%s is %.20q, which a newer program wrote; this one reads %d", formatKey, format, originFormat)
	}
	if config, ok := metadata[configKey]; ok {
		o.Config = []byte(config)
	}
	if step, ok := metadata[stepKey]; ok {
		if o.Step, err = strconv.Atoi(step); err != nil || o.Step < 0 {
			return o, fmt.Errorf("%s is %.20q, not a number of steps", stepKey, step)
		}
	}
	return o, nil
}
