package inspect

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"foretell/describe"
	"foretell/model"
	"foretell/process"
	"foretell/run"
	"foretell/train"
)

// ParamsError is the error if parameters are given for a process or model that takes no
// parameters.
type ParamsError struct {
	Path   string // name or path of the process or the model
	Reason string // such as "is a file; give parameters in it"
}

func (e *ParamsError) Error() string { return e.Path + " " + e.Reason }

// Find returns a process: one of the catalogue with parameters, the one that a YAML file
// defines, or the one that a run's folder or a training configuration names. Only
// processes of the catalogue take parameters. A name of the catalogue has precedence over
// a folder with that name. Find returns an error if the name or a parameter is unknown, a
// value is out of range, the file defines no process, or parameters are given for a file
// (a [*ParamsError]).
func Find(name string, params process.Params) (describe.Subject, error) {
	entry, _, _ := process.Resolve(name, nil)
	if process.IsFile(name) || entry.Name == "" && isRun(name) {
		return load(name, params)
	}
	return describe.Named(name, params)
}

// isRun reports whether name is a run's folder.
func isRun(name string) bool {
	info, err := os.Stat(filepath.Join(name, model.ConfigFile))
	return name != "" && err == nil && info.Mode().IsRegular()
}

// load returns the process that a file defines or, if the path is a training run's folder
// or configuration, the process that this run learns.
func load(path string, params process.Params) (describe.Subject, error) {
	if len(params) > 0 {
		return describe.Subject{}, &ParamsError{path, "is a file; give parameters in it"}
	}
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return learned(filepath.Join(path, model.ConfigFile))
	case errors.Is(err, fs.ErrNotExist) && run.Meant(path) != "":
		return describe.Subject{}, fmt.Errorf("%s: no such run or file%s", path, run.Meant(path))
	}
	p, err := process.LoadSampler(path)
	if err == nil {
		return Defined(path, p), nil
	}
	if s, other := learned(path); other == nil {
		return s, nil
	}
	return describe.Subject{}, err
}

// learned returns the process that a training configuration names.
func learned(config string) (describe.Subject, error) {
	c, err := train.Load(config)
	if err != nil {
		return describe.Subject{}, err
	}
	if entry, ok := c.Process.Entry(); ok {
		return describe.Named(entry.Name, c.Process.Params)
	}
	p, err := c.Process.BuildSampler()
	if err != nil {
		return describe.Subject{}, err
	}
	return Defined(config, p), nil
}

// Defined returns a process with the name of the file that defines it.
func Defined(file string, p process.Sampler) describe.Subject {
	entry := process.Entry{Name: p.Name(), Summary: "defined in " + file}
	return describe.Subject{Process: p, Entry: entry, Params: process.Params{}}
}
