package describe

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strconv"

	"foretell/document"
	"foretell/internal/csvtable"
	"foretell/internal/random"
	"foretell/process"
	"foretell/token"
)

// Sample describes sequences from the start of a process. They are drawn on demand, so
// there may be more of them than fit into memory. Sequence i depends only on the seed and
// i; therefore a larger sample begins with the same sequences as a smaller one.
type Sample struct {
	Subject
	Number int // number of sequences
	Length int // tokens in a sequence
	Seed   uint64
}

// Check returns an error if sequences are longer than the data from which they are drawn.
// In that case the other methods panic.
func (s Sample) Check() error {
	w, ok := s.Process.(process.Windowed)
	if !ok || w.Windows(s.Length) > 0 {
		return nil
	}
	return fmt.Errorf("%s: sequences of %d tokens are longer than the part of the recording that is not held out",
		s.Process.Name(), s.Length)
}

// Sequences draws the sequences. Each slice is valid only until the next one is drawn.
// Sequences stops when ctx ends.
func (s Sample) Sequences(ctx context.Context) iter.Seq[[]int32] {
	return func(yield func([]int32) bool) {
		tokens := make([]int32, s.Length)
		for i := range s.Number {
			if ctx.Err() != nil {
				return
			}
			s.Process.Sample(tokens, random.New(s.Seed, "sample", uint64(i)))
			if !yield(tokens) {
				return
			}
		}
	}
}

// Forms returns the forms of the sample: for a terminal a line for each sequence (see
// [token.Names.Format]), .csv, .json and .svg. In all but the picture, each sequence is
// written as soon as it is sampled. They return ctx's error if ctx ends; a picture
// returns one if there are too many sequences or tokens to draw.
func (s Sample) Forms(ctx context.Context) document.Forms {
	return document.Forms{
		document.Terminal: func(w io.Writer) error { return s.print(ctx, w) },
		".svg":            document.Picture(s.figure),
		".csv":            func(w io.Writer) error { return s.writeCSV(ctx, w) },
		".json":           func(w io.Writer) error { return s.writeJSON(ctx, w) },
	}
}

// writeCSV writes a row for each token: the sequence and the position, both from 0, the
// token, its name and, for a signal, its value.
func (s Sample) writeCSV(ctx context.Context, w io.Writer) error {
	rows, names, levels, sequence := csvtable.NewWriter(w), s.Process.Tokens(), process.LevelsOf(s.Process), 0
	header := []string{"sequence", "position", "token", "name"}
	if levels != nil {
		header = append(header, "value")
	}
	rows.Write(header)
	for tokens := range s.Sequences(ctx) {
		for t, z := range tokens {
			row := []string{strconv.Itoa(sequence), strconv.Itoa(t), strconv.Itoa(int(z)), names[z]}
			if levels != nil {
				row = append(row, exact(levels[z]))
			}
			if err := rows.Write(row); err != nil {
				return err
			}
		}
		sequence++
	}
	rows.Flush()
	return cmp.Or(rows.Error(), ctx.Err())
}

func (s Sample) print(ctx context.Context, w io.Writer) error {
	names := token.Names(s.Process.Tokens())
	for tokens := range s.Sequences(ctx) {
		if _, err := fmt.Fprintln(w, names.Format(tokens, " ")); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// writeJSON writes {"process": …, "params": {…}, "seed": …, "tokens":[[…], …]} on a line,
// one sequence at a time; for a signal it also writes "values", the value of each token
// in the alphabet, before "tokens".
func (s Sample) writeJSON(ctx context.Context, w io.Writer) error {
	head, err := json.Marshal(struct {
		Source
		Seed   uint64    `json:"seed"`
		Values []float64 `json:"values,omitempty"`
	}{s.Source(), s.Seed, process.LevelsOf(s.Process)})
	if err != nil {
		return err
	}
	before := string(head[:len(head)-1]) + `,"tokens":[`
	for tokens := range s.Sequences(ctx) {
		row, err := json.Marshal(tokens)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "%s%s", before, row); err != nil {
			return err
		}
		before = ","
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	_, err = fmt.Fprintln(w, "]}")
	return err
}
