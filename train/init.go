package train

import (
	"encoding/hex"
	"slices"

	"foretell/internal/strict"
	"foretell/model"
)

// resolveInit fills in the checksum of the initial weights. If the configuration already
// gives the checksum, resolveInit does not read the weights.
func (o Options) resolveInit(c model.Config) (Options, error) {
	switch sum, err := hex.DecodeString(o.InitSHA256); {
	case o.Init == "" && o.InitSHA256 == "":
		return o, nil
	case o.Init == "":
		return o, strict.Fieldf("init_sha256", "is given without init; leave it out, or set init")
	case err != nil || len(sum) != 0 && len(sum) != 32:
		return o, strict.Fieldf("init_sha256",
			"= %q is not a SHA-256 of 64 hexadecimal digits; leave it out", o.InitSHA256)
	case len(sum) > 0:
		return o, nil
	}
	m, err := o.readInit(c)
	if err != nil {
		return o, err
	}
	o.InitSHA256 = m.Checksum()
	return o, nil
}

// readInit reads the weights that Init names and checks that they fit c.
func (o Options) readInit(c model.Config) (*model.Transformer[float32], error) {
	m, err := model.Load[float32](o.Init)
	if err != nil {
		return nil, strict.Fieldf("init", "= %q cannot be read: %v", o.Init, err)
	}
	return m, o.checkInit(m, c)
}

// checkInit returns an error unless the weights of Init fit c.
func (o Options) checkInit(m *model.Transformer[float32], c model.Config) error {
	if have, want := m.Config.Parameters(), c.Parameters(); have != want {
		return strict.Fieldf("init", "= %q does not fit: it has %d parameters and this model has %d; "+
			"copy the model: section from the configuration of those weights", o.Init, have, want)
	}
	for i, want := range model.NewWeights[float32](c).Tensors {
		if have := m.Weights.Tensors[min(i, len(m.Weights.Tensors)-1)]; !sameTensor(have, want) {
			return strict.Fieldf("init", "= %q does not fit: it has %s of shape %v where this model has %s of %v",
				o.Init, have.Name, have.Shape, want.Name, want.Shape)
		}
	}
	return nil
}

// sameTensor reports whether two tensors have the same name and shape.
func sameTensor(a, b model.Tensor[float32]) bool {
	return a.Name == b.Name && slices.Equal(a.Shape, b.Shape)
}

// firstWeights returns the model at step 0. Without Init its weights are drawn from the
// seed. With Init they are copied from the argument or, if that is nil, read from Init.
func (c Config) firstWeights(given *model.Transformer[float32]) (*model.Transformer[float32], error) {
	m, err := model.New[float32](c.Model, c.Train.Seed)
	if err != nil || c.Train.Init == "" {
		return m, err
	}
	if given == nil {
		given, err = c.Train.readInit(c.Model)
	} else {
		err = c.Train.checkInit(given, c.Model)
	}
	if err != nil {
		return nil, strict.Within("train", err)
	}
	if sum := given.Checksum(); sum != c.Train.InitSHA256 {
		return nil, strict.Within("train", strict.Fieldf("init", "= %q has changed since this configuration was "+
			"written: its SHA-256 is %.12s… and not %.12s…; restore the weights, or leave init_sha256 out",
			c.Train.Init, sum, c.Train.InitSHA256))
	}
	copy(m.Weights.Data, given.Weights.Data)
	return m, nil
}
