package sweep

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"foretell/internal/durable"
	"foretell/internal/exactjson"
	"foretell/internal/limit"
	"foretell/internal/strict"
	"foretell/train"
)

// Manifest lists the runs of a study. A folder's manifest never changes.
type Manifest struct {
	Title  string   // what listed the runs of [List]; empty for a study of settings
	Engine int      // the [train.BitsVersion] of all runs
	Varied []string // paths of the settings that differ between runs
	Metric Metric
	Runs   []Planned
	// Repeated is the number of combinations drawn by method: random that repeat an earlier
	// one and are left out.
	Repeated int
}

// header is the first line of manifest.jsonl.
type header struct {
	Format   int      `json:"format"`
	Title    string   `json:"title,omitempty"`
	Engine   int      `json:"engine"`
	Varied   []string `json:"varied"`
	Metric   Metric   `json:"metric"`
	Repeated int      `json:"repeated,omitempty"`
	Runs     int      `json:"runs"`
	SHA256   string   `json:"sha256"` // of the lines of the runs
}

const (
	format       = 1
	manifestFile = "manifest.jsonl"
	studyFile    = "study.yaml"
	mostManifest = 1 << 30 // limit in bytes of a manifest.jsonl
)

// text returns the contents of manifest.jsonl.
func (m *Manifest) text() ([]byte, error) {
	var lines, out bytes.Buffer
	encoder := json.NewEncoder(&lines)
	encoder.SetEscapeHTML(false) // the configurations are kept as they are
	for _, planned := range m.Runs {
		if err := encoder.Encode(planned); err != nil {
			return nil, err
		}
	}
	err := json.NewEncoder(&out).Encode(header{
		format, m.Title, m.Engine, m.Varied, m.Metric, m.Repeated, len(m.Runs), hexHash(lines.Bytes()),
	})
	out.Write(lines.Bytes())
	return out.Bytes(), err
}

func hexHash(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }

// Hash returns the SHA-256 of the runs, which identifies the study.
func (m *Manifest) Hash() string {
	text, err := m.text()
	if err != nil {
		panic("sweep: " + err.Error()) // its parts have been JSON before
	}
	_, lines, _ := bytes.Cut(text, []byte("\n"))
	return hexHash(lines)
}

// readManifest reads the manifest in a study's folder.
func readManifest(dir string) (*Manifest, error) {
	path := filepath.Join(dir, manifestFile)
	data, err := limit.ReadFile(path, "a manifest", mostManifest)
	if err != nil {
		return nil, err
	}
	first, lines, _ := bytes.Cut(data, []byte("\n"))
	var h header
	if err := exactjson.Unmarshal(first, &h); err != nil {
		return nil, fmt.Errorf("%s:1: %w", path, err)
	}
	if h.Format > format {
		return nil, fmt.Errorf("%s has format %d, written by a newer program; this program reads format %d",
			path, h.Format, format)
	}
	if hexHash(lines) != h.SHA256 {
		return nil, fmt.Errorf("%s does not match its own hash: it has been changed", path)
	}
	m := &Manifest{Title: h.Title, Engine: h.Engine, Varied: h.Varied, Metric: h.Metric, Repeated: h.Repeated}
	for line := range bytes.Lines(lines) {
		var planned Planned
		if err := json.Unmarshal(line, &planned); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, len(m.Runs)+2, err)
		}
		m.Runs = append(m.Runs, planned)
	}
	if len(m.Runs) != h.Runs {
		return nil, fmt.Errorf("%s has %d runs, and its first line says %d", path, len(m.Runs), h.Runs)
	}
	return m, nil
}

// Configuration returns the configuration of a run.
func (p Planned) Configuration() (train.Config, error) {
	if p.resolved != nil {
		return *p.resolved, nil
	}
	return train.Parse("run "+p.ID, p.Config)
}

// Study is a study in a folder.
type Study struct {
	*Manifest
	Dir string

	look looking
}

// Begin makes a folder the folder of a study, or opens it if it already is the folder of
// this study. The error for a folder of another study says what differs. The folder of a
// study of [List] may hold other files. Runs that another command has begun in runs
// become attempts there, which the study continues. studyText is the contents of
// study.yaml; nil means that there is no such file.
func Begin(dir string, m *Manifest, studyText []byte) (*Study, error) {
	have, err := readManifest(dir)
	switch {
	case err == nil:
		if err := have.same(m); err != nil {
			return nil, fmt.Errorf("%s holds another study: %w; give another folder", dir, err)
		}
		s := newStudy(dir, m)
		return s, s.adoptBegun()
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	if m.Title == "" {
		if err := checkFree(dir); err != nil {
			return nil, err
		}
	}
	s := newStudy(dir, m)
	if err := s.adoptBegun(); err != nil {
		return nil, err
	}
	text, err := m.text()
	if err != nil {
		return nil, err
	}
	for _, folder := range []string{runsFolder, attemptsFolder, failedFolder} {
		if err := durable.Folder(filepath.Join(dir, folder)); err != nil {
			return nil, err
		}
	}
	if studyText != nil {
		if err := durable.WriteFile(filepath.Join(dir, studyFile), studyText); err != nil {
			return nil, err
		}
	}
	return s, durable.WriteFile(filepath.Join(dir, manifestFile), text)
}

// Open opens the study in a folder.
func Open(dir string) (*Study, error) {
	m, err := readManifest(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s holds no study: it has no %s", dir, manifestFile)
	}
	if err != nil {
		return nil, err
	}
	return newStudy(dir, m), nil
}

// With returns the study with a manifest from [List], which has the Go code that measures
// watched numbers. It returns an error if the study is another one.
func (s *Study) With(m *Manifest) (*Study, error) {
	if err := s.same(m); err != nil {
		return nil, fmt.Errorf("%s holds another study: %w", s.Dir, err)
	}
	return newStudy(s.Dir, m), nil
}

func newStudy(dir string, m *Manifest) *Study { return &Study{Manifest: m, Dir: dir, look: readNames} }

// checkFree returns an error if a folder holds anything that does not belong to a study
// whose beginning was interrupted.
func checkFree(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	own := []string{runsFolder, attemptsFolder, failedFolder, studyFile}
	for _, e := range entries {
		if !slices.Contains(own, e.Name()) && !durable.IsTemporary(e.Name()) {
			return fmt.Errorf("%s holds %s, which does not belong to a study; give a new folder", dir, e.Name())
		}
	}
	return nil
}

// same returns an error that says how another manifest differs, nil if it does not.
func (m *Manifest) same(o *Manifest) error {
	switch {
	case m.Title != o.Title:
		return fmt.Errorf("it trains %s, not %s", cmp.Or(m.Title, "a study file"), cmp.Or(o.Title, "a study file"))
	case m.Engine != o.Engine:
		return fmt.Errorf("its runs have the bits of engine %d, and this program has engine %d", m.Engine, o.Engine)
	case !slices.Equal(m.Varied, o.Varied):
		return fmt.Errorf("it varies %v, not %v", m.Varied, o.Varied)
	case len(m.Runs) != len(o.Runs):
		return fmt.Errorf("it has %d runs, not %d", len(m.Runs), len(o.Runs))
	}
	for i, planned := range m.Runs {
		if other := o.Runs[i]; planned.ID != other.ID {
			if planned.Name != "" {
				return fmt.Errorf("its run %s has other settings in this program", planned.Name)
			}
			return fmt.Errorf("its run %d has %s, which the other study has as %s", i+1,
				firstDifference(planned, other), firstDifference(other, planned))
		}
	}
	return nil
}

// firstDifference returns the first setting of a run that another run does not have.
func firstDifference(planned, other Planned) string {
	a, b := settingsOf(planned), settingsOf(other)
	for i, s := range a {
		if i >= len(b) || b[i] != s {
			return s.Path + "=" + s.Text
		}
	}
	return "fewer settings"
}

func settingsOf(p Planned) []strict.Setting {
	document, err := strict.Parse(p.ID, p.Config)
	if err != nil {
		return nil
	}
	return document.Settings()
}
