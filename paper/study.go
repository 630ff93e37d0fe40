package paper

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"foretell/figure"
	"foretell/internal/durable"
	"foretell/internal/npz"
)

// Study is one reproduction under way.
type Study struct {
	Out     string // folder for figures, data and runs
	Profile Profile
	Workers int

	// Progress, if not nil, is told what is being done and how far it is:
	// done of total steps of training. It is called by one goroutine at a time.
	Progress func(label string, done, total int)
	// Notice, if not nil, is told what the user should know, such as that a run
	// went on from an earlier checkpoint because the latest was damaged. It is
	// called by one goroutine at a time.
	Notice func(text string)
	// Finished, if not nil, is called after each row with all rows finished so
	// far and the ids of those to come.
	Finished func(claims []Claim, pending []string) error

	ctx      context.Context
	subjects map[condition]*subject
	planned  []condition // all models that the rows will train, for the progress
	reports  sync.Mutex  // of what models that train side by side report
	trained  int         // steps of training done
}

// Reproduce tests the rows one by one and returns their claims. It stops at the
// first error, or when ctx ends.
func (s *Study) Reproduce(ctx context.Context, rows []Row) ([]Claim, error) {
	s.ctx, s.subjects, s.planned, s.trained = ctx, map[condition]*subject{}, nil, 0
	s.plan(rows)
	for _, folder := range []string{"figures", "data"} {
		if err := os.MkdirAll(filepath.Join(s.Out, folder), 0o755); err != nil {
			return nil, err
		}
	}
	var claims []Claim
	for i, row := range rows {
		if err := ctx.Err(); err != nil {
			return claims, err
		}
		if err := s.prepare(row); err != nil {
			return claims, err
		}
		s.report("testing " + row.ID)
		start := time.Now()
		c := Claim{
			ID: row.ID, Source: row.Source, Statement: row.Statement, Expected: row.Expected, Verdict: Open,
			Figures: []string{}, Data: []string{}, Captions: []string{},
		}
		if err := row.test(s, &c); err != nil {
			return claims, fmt.Errorf("%s: %w", row.ID, err)
		}
		c.Seconds = time.Since(start).Seconds()
		claims = append(claims, c)
		if s.Finished == nil {
			continue
		}
		var pending []string
		for _, next := range rows[i+1:] {
			pending = append(pending, next.ID)
		}
		if err := s.Finished(claims, pending); err != nil {
			return claims, err
		}
	}
	return claims, nil
}

// Select returns the rows with the given ids, or all if there is none. An
// unknown id is an error.
func Select(rows []Row, ids []string) ([]Row, error) {
	if len(ids) == 0 {
		return rows, nil
	}
	for _, id := range ids {
		if !slices.ContainsFunc(rows, func(r Row) bool { return r.ID == id }) {
			var known []string
			for _, r := range rows {
				known = append(known, r.ID)
			}
			return nil, fmt.Errorf("unknown claim %q; there are %s", id, strings.Join(known, ", "))
		}
	}
	return slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return !slices.Contains(ids, r.ID) }), nil
}

func (s *Study) report(label string) {
	if s.Progress == nil {
		return
	}
	total := 0
	for _, c := range s.planned {
		total += c.steps()
	}
	s.Progress(label, s.trained, total)
}

// addFigure writes a figure and enters it into the claim with its caption.
func (s *Study) addFigure(c *Claim, name, caption string, f *figure.Figure) error {
	path := "figures/" + c.ID + "-" + name + ".svg"
	if err := f.WriteFile(filepath.Join(s.Out, path)); err != nil {
		return err
	}
	c.Figures, c.Captions = append(c.Figures, path), append(c.Captions, caption)
	return nil
}

// addCSV writes a table of numbers and enters it into the claim. The first
// row holds the names of the columns.
func (s *Study) addCSV(c *Claim, name string, header []string, rows [][]float64) error {
	var text bytes.Buffer
	w := csv.NewWriter(&text)
	w.Write(header)
	for _, row := range rows {
		if len(row) != len(header) {
			return errors.New("a row of " + name + " does not fit its header")
		}
		fields := make([]string, len(row))
		for i, x := range row {
			fields[i] = strconv.FormatFloat(x, 'g', 10, 64)
		}
		w.Write(fields)
	}
	w.Flush()
	path := "data/" + c.ID + "-" + name + ".csv"
	c.Data = append(c.Data, path)
	return durable.WriteFile(filepath.Join(s.Out, path), text.Bytes())
}

// addArrays writes arrays as an npz file and enters it into the claim.
func (s *Study) addArrays(c *Claim, name string, arrays []npz.Array) error {
	var data bytes.Buffer
	if err := npz.Write(&data, arrays); err != nil {
		return err
	}
	path := "data/" + c.ID + "-" + name + ".npz"
	c.Data = append(c.Data, path)
	return durable.WriteFile(filepath.Join(s.Out, path), data.Bytes())
}
