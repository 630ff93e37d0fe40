package durable

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// ErrOwned is the error of [Output] for a file, there or not yet, of which a run or a
// report is made: writing over it would make a result another's, or end it. Files of
// other names may be put into these folders.
var ErrOwned = errors.New("is a file of the run or report that it lies in; give another name")

// owners are the folders that are made of files of fixed names: mark is the file that
// makes a folder one of them, own what it is made of, as patterns of [filepath.Match].
// Tests of packages run and report hold that nothing is missing here. Upper and lower
// case are one, as on some file systems.
var owners = []struct {
	mark string
	own  []string
}{
	{"config.yaml", []string{ // a run, or a model
		"config.yaml", "model.safetensors", "env.json", "metrics.jsonl", "summary.json",
		"checkpoints/step-*/*", "snapshots/step-*.safetensors",
	}},
	{"claims.json", []string{"claims.json", "report.html", "report.md", "figures/*.svg", "data/*"}}, // a report
}

// HoldsRun says whether a folder holds a run, and not a model alone.
func HoldsRun(dir string) bool {
	for _, name := range []string{"metrics.jsonl", "summary.json", "checkpoints"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}

// checkOwned returns ErrOwned if a path, which has no links in it, is that of such a
// file.
func checkOwned(path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	for _, owner := range owners {
		for _, pattern := range owner.own {
			folder := path
			for range strings.Count(pattern, "/") + 1 {
				folder = filepath.Dir(folder)
			}
			below, err := filepath.Rel(folder, path)
			if err != nil {
				return err
			}
			if ours, _ := filepath.Match(pattern, filepath.ToSlash(strings.ToLower(below))); !ours {
				continue
			}
			if _, err := os.Lstat(filepath.Join(folder, owner.mark)); err == nil {
				return ErrOwned
			}
		}
	}
	return nil
}
