package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"

	"foretell/internal/strict"
	"foretell/model"
	"foretell/process"
	"foretell/train"
)

// ByCodeError reports that a run's process is made by Go code, so that only a program
// that makes the process can continue the run, with [Options.ByCode].
type ByCodeError struct {
	Dir  string
	Name string // the name of the process in config.yaml, such as go:mine
}

func (e *ByCodeError) Error() string {
	return fmt.Sprintf("%s learns %s, a process made by Go code: continue it in the program that makes the process, "+
		"by run.Ensure with Options.ByCode", e.Dir, e.Name)
}

// byCode returns the name of the configuration's process if Go code makes it, else "".
func byCode(c train.Config) string {
	if c.Process.ByCode() {
		return c.Process.Name
	}
	return ""
}

// named returns the resolved configuration that the run's config.yaml will hold. If
// o.ByCode is set, it is the run's process; a configuration that names another process is
// an error.
func (o Options) named(c train.Config) (train.Config, error) {
	if o.ByCode == nil {
		return c.Resolve()
	}
	spec := process.SpecOf(o.ByCode)
	if !reflect.ValueOf(c.Process).IsZero() && !reflect.DeepEqual(c.Process.Plain(), spec) {
		return c, strict.Fieldf("process", "is given twice: the configuration names %q, "+
			"and the caller gives %s; leave it out of the configuration", c.Process.Name, o.ByCode.Name())
	}
	c.Process = spec
	if !spec.ByCode() {
		return c.Resolve()
	}
	return c.ResolveOn(o.ByCode)
}

// readConfig reads the configuration of the run in a folder, changes it by the
// assignments (see [train.Parse]), and also returns the text of config.yaml. If Go code
// makes the process, p must be that process; if p is nil, readConfig returns a
// [*ByCodeError] together with the unresolved configuration.
func readConfig(dir string, p process.Sampler, assignments ...string) (c train.Config, text []byte, err error) {
	path := filepath.Join(dir, model.ConfigFile)
	text, err = strict.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return c, nil, fmt.Errorf("%s holds no run: it has no %s%s", dir, model.ConfigFile, Meant(dir))
	}
	if err != nil {
		return c, nil, err
	}
	written, err := decodeConfig(path, text)
	switch {
	case err != nil || !written.Process.ByCode():
		c, err = train.Parse(path, text, assignments...)
		return c, text, err
	case p == nil:
		return written, text, &ByCodeError{dir, written.Process.Name}
	case process.SpecOf(p).Name != written.Process.Name:
		return written, text, fmt.Errorf("%s learns %s, not %s", dir, written.Process.Name, process.SpecOf(p).Name)
	}
	if c, err = train.ParseOn(p, path, text, assignments...); err != nil {
		return c, text, err
	}
	spec := process.SpecOf(p)
	if !reflect.DeepEqual(c.Process, spec) {
		return c, text, fmt.Errorf("%s learns another process named %s, with other tokens or samples; "+
			"rename the process, or use another folder", dir, spec.Name)
	}
	c.Process = spec
	return c, text, nil
}

// newTrainer makes the trainer of the run in a folder. Initial weights from another model
// are read from the run's own copy, or from the path in train.init if that copy is
// missing or altered.
func newTrainer(ctx context.Context, dir string, c train.Config, o Options) (*train.Trainer, error) {
	s, named := train.Setup{First: keptFirst(dir, c), Workers: o.Workers}, c.Process
	if !named.ByCode() {
		return train.NewTrainer(ctx, c, s)
	}
	s.Process, c.Process = o.ByCode, process.Spec{}
	t, err := train.NewTrainer(ctx, c, s)
	if err == nil {
		t.Config.Process = named
	}
	return t, err
}

// keptFirst reads the run's own copy of initial weights that came from another model. It
// returns nil if the weights were drawn from the seed, or if the copy is missing or
// altered.
func keptFirst(dir string, c train.Config) *model.Transformer[float32] {
	if c.Train.Init == "" {
		return nil
	}
	data, err := readSnapshot(dir, 0, "", c.Model)
	if err != nil {
		return nil
	}
	m, err := model.Read[float32](data, c.Model)
	if err != nil || m.Checksum() != c.Train.InitSHA256 {
		return nil
	}
	return m
}
