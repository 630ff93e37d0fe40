package model

import (
	"fmt"
	"strconv"

	"foretell/internal/limit"
	"foretell/internal/safetensors"
	"foretell/internal/strict"
)

// Origin describes where the weights in a file come from. It is stored in the file's
// metadata under the keys foretell.config, foretell.step and foretell.format, next to
// foretell.sha256, the checksum of the tensors. It depends only on the configuration and
// the step. It does not record which build of the program wrote the file, because every
// build writes the same bits (the env.json of a run records the build).
type Origin struct {
	// Config is the configuration as JSON, with the sections of a config.yaml: model, and
	// for a training run also process and train. If it is nil when a file is written, the
	// file gets the configuration of the model alone. If it is nil after a file was read,
	// the file has no configuration.
	Config []byte
	// Step is the training step after which the weights were saved, or 0.
	Step int
}

const (
	configKey = "foretell.config"
	stepKey   = "foretell.step"
	formatKey = "foretell.format"

	// originFormat is the version of the values under these keys. It is stored under
	// formatKey.
	originFormat = 1
)

// metadata returns the metadata for a file of the model's weights.
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

// ReadOrigin reads the origin of the weights from the header of a safetensors file,
// without reading the weights. For a file that another program wrote it returns the zero
// Origin.
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
		return o, fmt.Errorf("%s is %.20q, which a newer program wrote; this program reads %d",
			formatKey, format, originFormat)
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
