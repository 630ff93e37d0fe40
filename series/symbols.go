package series

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"foretell/internal/datafile"
	"foretell/internal/decimal"
	"foretell/internal/text"
)

// MostSymbols bounds the number of different symbols of a series.
const MostSymbols = 256

// isTable reports whether symbols are in the column of a table, see [Read].
func isTable(source string, data []byte, o ReadOptions) bool {
	first, _, _ := bytes.Cut(data, []byte("\n"))
	named := slices.Contains([]string{".csv", ".tsv"}, filepath.Ext(source))
	return named || o.Column != "" || o.Time != "" || bytes.ContainsAny(first, ",;\t")
}

// readCharacters reads a text in which each character is a symbol, and blanks are left
// out.
func readCharacters(source string, data []byte) (*Series, error) {
	s, found := &Series{Source: source}, newDictionary(source)
	if n := utf8.RuneCount(data); n <= MostValues {
		s.Values = make([]float64, 0, n)
	}
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		if !unicode.IsSpace(r) {
			x, err := found.index(string(data[:size]))
			if err != nil {
				return nil, err
			}
			if len(s.Values) == MostValues {
				return nil, fmt.Errorf("%s has more than %d symbols; give a part of it", source, MostValues)
			}
			s.Values = append(s.Values, x)
		}
		data = data[size:]
	}
	found.sort(s)
	return s, nil
}

// A dictionary numbers symbols in the order of their first appearance.
type dictionary struct {
	source  string
	numbers map[string]float64
	names   []string
}

func newDictionary(source string) *dictionary {
	return &dictionary{source: source, numbers: map[string]float64{}}
}

// index returns the number of a symbol, NaN for a missing one.
func (d *dictionary) index(name string) (float64, error) {
	x, known := d.numbers[name]
	switch {
	case known:
		return x, nil
	case datafile.IsMissing(name):
		return math.NaN(), nil
	case len(d.names) == MostSymbols:
		return 0, fmt.Errorf("%s has more than %d different symbols, such as %q; are they numbers?",
			d.source, MostSymbols, text.Start(name, 40))
	}
	name = strings.Clone(name)
	d.numbers[name] = float64(len(d.names))
	d.names = append(d.names, name)
	return d.numbers[name], nil
}

// sort numbers the symbols of a series in increasing order of their names, which is the
// order of numbers if all are numbers, and sets Symbols.
func (d *dictionary) sort(s *Series) {
	s.Symbols = slices.Clone(d.names)
	slices.Sort(s.Symbols)
	if !slices.ContainsFunc(s.Symbols, func(name string) bool { return !decimal.IsNumber(name) }) {
		slices.SortStableFunc(s.Symbols, func(a, b string) int {
			x, _ := decimal.Parse(a, 64)
			y, _ := decimal.Parse(b, 64)
			return cmp.Compare(x, y)
		})
	}
	place := make([]float64, len(d.names))
	for i, name := range d.names {
		place[i] = float64(slices.Index(s.Symbols, name))
	}
	for i, x := range s.Values {
		if !math.IsNaN(x) {
			s.Values[i] = place[int(x)]
		}
	}
}
