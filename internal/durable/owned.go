package durable

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// ErrOwned is the error of [Output] for a file, existing or not, that belongs to a run or
// a report: overwriting it would falsify or destroy results. Files with other names may
// be written to these folders.
var ErrOwned = errors.New("belongs to the run or report in its folder; give another name")

// owners describes the folders that consist of files with fixed names: mark is the file
// that identifies such a folder, and own are its files, as patterns of [filepath.Match].
// Tests of packages run and report ensure that the lists are complete. Matching ignores
// case, as some file systems do.
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

// HoldsRun reports whether a folder contains a run, rather than only a model.
func HoldsRun(dir string) bool {
	for _, name := range []string{"metrics.jsonl", "summary.json", "checkpoints"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}

// checkOwned returns ErrOwned if a path names a file that belongs to a run or a report.
// The path must not contain links.
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
