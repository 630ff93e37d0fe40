package runtable

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"foretell/curves"
	"foretell/document"
	"foretell/internal/text"
	"foretell/run"
)

// Shown is one run: its settings, its results and its files.
type Shown struct {
	Row
	Weights  *Weights      `json:"weights,omitempty"` // nil if there is no checkpoint yet
	Files    int           `json:"files"`
	Bytes    int64         `json:"bytes"`
	Sessions []run.Session `json:"sessions"` // see [run.Sessions]
}

// Open reads one run.
func Open(dir string) (*Shown, error) {
	r, _, err := openRow(dir)
	if err != nil {
		return nil, err
	}
	s := &Shown{Row: r}
	if w := weightsOf(dir); w.Error == "" {
		s.Weights = &w
	}
	if s.Sessions, err = run.Sessions(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			s.Files++
			s.Bytes += info.Size()
		}
		return err
	})
	return s, err
}

// MarshalJSON writes the run as an entry of [Table.MarshalJSON], with its files.
func (s *Shown) MarshalJSON() ([]byte, error) {
	t := &Table{Rows: []Row{s.Row}}
	return json.Marshal(struct {
		row
		Weights  *Weights      `json:"weights,omitempty"`
		Files    int           `json:"files"`
		Bytes    int64         `json:"bytes"`
		Sessions []run.Session `json:"sessions"`
	}{t.json()[0], s.Weights, s.Files, s.Bytes, s.Sessions})
}

// Forms returns the forms of the run: text and .json.
func (s *Shown) Forms() document.Forms {
	return document.Forms{
		document.Terminal: document.Text(func() []document.Section { return []document.Section{s.section()} }),
		".json":           document.IndentedJSON(s),
	}
}

func (s *Shown) section() document.Section {
	var d document.Section
	fact := func(name, value string) { d.Facts = append(d.Facts, document.Fact{Name: name, Value: value}) }
	fact("run", s.Dir)
	state := s.State()
	if s.Complete {
		state = fmt.Sprintf("complete, %d steps", s.Steps)
	}
	fact("state", state)
	if s.Stop != nil {
		fact("", s.Stop.String())
	}
	for _, name := range curves.InOrder(slices.Sorted(maps.Keys(s.Results))) {
		fact(name, document.Number(formatOf(name), s.Results[name]))
	}
	if s.Tokens > 0 {
		fact("tokens", fmt.Sprint(s.Tokens))
	}
	if s.Seconds != nil {
		fact("time", time.Duration(*s.Seconds*float64(time.Second)).Round(time.Second/10).String())
	}
	fact("process", s.Settings.Process())
	for _, section := range []string{"model", "train"} {
		fact(section, s.Settings.Below(section+"."))
	}
	if w := s.Weights; w != nil {
		fact("weights", fmt.Sprintf("SHA-256 %.12s, step %d", w.SHA256, w.Step))
	}
	fact("files", fmt.Sprintf("%s, %s", text.Count(s.Files, "file"), text.Bytes(s.Bytes)))
	for i, l := range s.Sessions {
		name := ""
		if i == 0 {
			name = "sessions"
		}
		fact(name, fmt.Sprintf("%s, from step %d, foretell %s, engine %d, %s",
			l.Started.Format(time.RFC3339), l.Step, l.Program, l.Engine, strings.TrimSpace(l.Host+" "+l.ISA)))
	}
	return d
}
