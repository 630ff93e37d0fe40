package runtable

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"foretell/internal/build"
	"foretell/internal/durable"
	"foretell/internal/limit"
	"foretell/run"
	"foretell/settings"
	"foretell/train"
)

const (
	indexFormat = 1
	// fewIndexed is the number of runs below which there is no index: reading them takes a
	// moment.
	fewIndexed = 100
	mostIndex  = 1 << 30 // limit in bytes of an index
	// settles is how long a file must have been unchanged when it is read, so that any later
	// change has another time. It exceeds the resolution of times on every file system.
	settles = 2 * time.Second
)

// index keeps what was read of the runs below a folder, see the package comment.
type index struct {
	path string // of its file; "" for an index that keeps nothing
	root string // absolute path of the folder
	old  map[string]entry

	lock  sync.Mutex
	fresh map[string]entry // of the present listing
	read  int              // number of runs that were read from their own files
}

// indexFile is the contents of an index, after a line with their SHA-256.
type indexFile struct {
	Format  int              `json:"format"`
	Program string           `json:"program"` // version and engine
	Root    string           `json:"root"`
	Texts   []string         `json:"texts"` // paths and texts of settings, each once
	Runs    map[string]entry `json:"runs"`  // by path from the root
}

// entry is a run in an index.
type entry struct {
	Mark     string             `json:"mark"` // of the run's files when it was read, see [markOf]
	Process  string             `json:"process,omitempty"`
	Step     int                `json:"step,omitempty"`
	Steps    int                `json:"steps,omitempty"`
	Complete bool               `json:"complete,omitempty"`
	Stop     *run.Chosen        `json:"stop,omitempty"`
	Diverged bool               `json:"diverged,omitempty"`
	Tokens   int64              `json:"tokens,omitempty"`
	Seconds  *float64           `json:"seconds,omitempty"`
	Results  map[string]float64 `json:"results,omitempty"`
	// Settings are a path and a text for each setting, as positions in the list of texts.
	Settings []int `json:"settings"`

	settings settings.Settings
}

// program is the version by which indexes are valid.
func program() string { return fmt.Sprintf("%s, engine %d", build.Version(), train.BitsVersion) }

// openIndex opens the index of a folder with a number of runs.
func openIndex(root string, runs int) *index {
	x := &index{fresh: map[string]entry{}}
	cache, err := os.UserCacheDir()
	if err == nil {
		x.root, err = filepath.Abs(root)
	}
	if err != nil || runs < fewIndexed {
		return x
	}
	name := sha256.Sum256([]byte(x.root))
	x.path = filepath.Join(cache, "foretell", "runs", hex.EncodeToString(name[:8])+".json")
	x.old = readIndex(x.path, x.root)
	return x
}

// readIndex reads the entries of an index; none if it is not the intact index of this
// folder by this program.
func readIndex(path, root string) map[string]entry {
	data, err := limit.ReadFile(path, "an index", mostIndex)
	if err != nil {
		return nil
	}
	hash, data, _ := bytes.Cut(data, []byte("\n"))
	var file indexFile
	if sum := sha256.Sum256(data); string(hash) != hex.EncodeToString(sum[:]) || json.Unmarshal(data, &file) != nil {
		return nil
	}
	if file.Format != indexFormat || file.Program != program() || file.Root != root {
		return nil
	}
	for name, e := range file.Runs {
		pairs := make([][2]string, len(e.Settings)/2)
		for i := range pairs {
			pairs[i] = [2]string{file.Texts[e.Settings[2*i]], file.Texts[e.Settings[2*i+1]]}
		}
		e.settings = settings.Of(pairs...)
		file.Runs[name] = e
	}
	return file.Runs
}

// row returns a run, from the index if its files are those that were read for it; nil if
// it is not there any more.
func (x *index) row(dir string) *Row {
	now := time.Now()
	mark, changed := "", now
	if x.path != "" {
		mark, changed = markOf(dir)
		if e, ok := x.old[x.name(dir)]; ok && mark != "" && e.Mark == mark {
			x.keep(dir, e)
			return &Row{
				Info: run.Info{
					Dir: dir, Process: e.Process, Step: e.Step, Steps: e.Steps, Complete: e.Complete, Stop: e.Stop,
				},
				Diverged: e.Diverged, Tokens: e.Tokens, Seconds: e.Seconds, Results: e.Results, Settings: e.settings,
			}
		}
	}
	r, ok := readRow(dir)
	if !ok {
		return nil
	}
	x.lock.Lock()
	x.read++
	x.lock.Unlock()
	if mark != "" && r.Err == nil && now.Sub(changed).Abs() > settles {
		x.keep(dir, entry{
			mark, r.Process, r.Step, r.Steps, r.Complete, r.Stop, r.Diverged, r.Tokens, r.Seconds, r.Results,
			nil, r.Settings,
		})
	}
	return &r
}

func (x *index) keep(dir string, e entry) {
	x.lock.Lock()
	defer x.lock.Unlock()
	x.fresh[x.name(dir)] = e
}

// name returns the name of a run in the index.
func (x *index) name(dir string) string {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	name, err := filepath.Rel(x.root, dir)
	if err != nil {
		return ""
	}
	return name
}

// save writes the index if runs were read that it does not have. An index that cannot be
// written costs time alone, so save returns no error.
func (x *index) save() {
	if x.path == "" || x.read == 0 && len(x.fresh) == len(x.old) {
		return
	}
	file := indexFile{Format: indexFormat, Program: program(), Root: x.root, Runs: x.fresh}
	known := map[string]int{}
	number := func(text string) int {
		n, ok := known[text]
		if !ok {
			n = len(file.Texts)
			known[text] = n
			file.Texts = append(file.Texts, text)
		}
		return n
	}
	for name, e := range file.Runs {
		e.Settings = nil
		for _, path := range e.settings.Paths() {
			e.Settings = append(e.Settings, number(path), number(e.settings.Text(path)))
		}
		file.Runs[name] = e
	}
	data, err := json.Marshal(file)
	if err == nil {
		err = durable.Folder(filepath.Dir(x.path))
	}
	if err == nil {
		sum := sha256.Sum256(data)
		_ = durable.WriteFile(x.path, append([]byte(hex.EncodeToString(sum[:])+"\n"), data...))
	}
}

// markOf returns a text that differs whenever one of the files that [readRow] reads has
// changed, and the time of the latest change. The text has the size, the times,
// the inode and the device of each file. It is empty on a system that does not have them.
func markOf(dir string) (mark string, changed time.Time) {
	var all []byte
	for _, name := range run.Files {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			all = append(all, "absent\n"...)
			continue
		}
		identity, at := identify(info)
		if identity == "" {
			return "", changed
		}
		if at.After(changed) {
			changed = at
		}
		all = append(all, identity+"\n"...)
	}
	sum := sha256.Sum256(all)
	return hex.EncodeToString(sum[:16]), changed
}
