package walk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"foretell/internal/fuse"
	"foretell/internal/panics"
)

// counting returns a matrix of 1, 2, 3, …
func counting(rows, columns int) Matrix {
	m := zeros(rows, columns)
	for i := range m.Data {
		m.Data[i] = float64(i + 1)
	}
	return m
}

// Two matrices are combined place by place where they have one shape, or where a single
// row or column stands for all; other shapes panic.
func TestCombineShapes(t *testing.T) {
	pair := func(x, y float64) float64 { return 1000*x + y }
	for rowsA := 1; rowsA <= 3; rowsA++ {
		for columnsA := 1; columnsA <= 3; columnsA++ {
			for rowsB := 1; rowsB <= 3; rowsB++ {
				for columnsB := 1; columnsB <= 3; columnsB++ {
					a, b := counting(rowsA, columnsA), counting(rowsB, columnsB)
					good := (rowsA == rowsB || rowsA == 1 || rowsB == 1) && (columnsA == columnsB || columnsA == 1 || columnsB == 1)
					var out Matrix
					if got := panics.Does(func() { out = combine(a, b, pair) }); got == good {
						t.Errorf("%d×%d beside %d×%d: panic %v", rowsA, columnsA, rowsB, columnsB, got)
					}
					if !good {
						continue
					}
					if out.Rows != max(rowsA, rowsB) || out.Columns != max(columnsA, columnsB) {
						t.Errorf("%d×%d beside %d×%d is %d×%d", rowsA, columnsA, rowsB, columnsB, out.Rows, out.Columns)
					}
					for i := range out.Rows {
						for j := range out.Columns {
							if want := pair(a.At(i%rowsA, j%columnsA), b.At(i%rowsB, j%columnsB)); out.At(i, j) != want {
								t.Errorf("%v beside %v: %v at (%d, %d), want %v", a, b, out.At(i, j), i, j, want)
							}
						}
					}
				}
			}
		}
	}
}

// A product has the sums over the shared side, which must be one; numbers are as many as
// their matrix has, and matrices side by side have all columns.
func TestMatrixShapes(t *testing.T) {
	for n := 1; n <= 3; n++ {
		for k := 1; k <= 3; k++ {
			for m := 1; m <= 3; m++ {
				a, b := counting(n, k), counting(k, m)
				c := multiply(a, b)
				for i := range n {
					for j := range m {
						want := 0.0
						for l := range k {
							want += float64(i*k+l+1) * float64(l*m+j+1)
						}
						if c.Rows != n || c.Columns != m || c.At(i, j) != want {
							t.Errorf("%d×%d·%d×%d has %v at (%d, %d), want %v", n, k, k, m, c.At(i, j), i, j, want)
						}
					}
				}
				for other := 1; other <= 4; other++ {
					if got := panics.Does(func() { multiply(a, counting(other, m)) }); got != (other != k) {
						t.Errorf("%d×%d·%d×%d: panic %v", n, k, other, m, got)
					}
				}
				both := beside([]Matrix{a, counting(n, m), a})
				for i := range n {
					want := slices.Concat(a.Row(i), counting(n, m).Row(i), a.Row(i))
					if !slices.Equal(both.Row(i), want) {
						t.Errorf("side by side row %d is %v, want %v", i, both.Row(i), want)
					}
				}
			}
		}
		for numbers := range 10 {
			if got := panics.Does(func() { newMatrix(n, 2, make([]float64, numbers)) }); got != (numbers != 2*n) {
				t.Errorf("%d numbers as %d×2: panic %v", numbers, n, got)
			}
		}
	}
}

// Twelve numbers are listed whole; of more, the first six and the last three.
func TestListsOfNumbers(t *testing.T) {
	for n := range 30 {
		var numbers []int
		var want []string
		for i := range n {
			numbers = append(numbers, 7*i)
			if n <= 12 || i < 6 || n-i <= 3 {
				want = append(want, fmt.Sprint(7*i))
			} else if i == 6 {
				want = append(want, "…")
			}
		}
		if got := list(numbers); got != strings.Join(want, ", ") {
			t.Errorf("%d numbers: %s, want %s", n, got, strings.Join(want, ", "))
		}
	}
}

// Texts longer than a column end in an ellipsis and fit; the others are as they were.
func TestCutColumns(t *testing.T) {
	texts := []string{"", "α", "abc", "äbcd", "abcde", "abcdefgh"}
	for width := 1; width <= 10; width++ {
		var c column
		for _, text := range texts {
			c.add(text)
		}
		if c.width != 8 {
			t.Fatalf("%q are %d wide", texts, c.width)
		}
		c.cut(width)
		for i, text := range texts {
			want := []rune(text)
			if len(want) > width {
				want = append(want[:width-1:width-1], '…')
			}
			if c.texts[i] != string(want) {
				t.Errorf("%q cut to %d is %q, want %q", text, width, c.texts[i], string(want))
			}
		}
		if c.width != min(width, 8) {
			t.Errorf("cut to %d the column is %d wide", width, c.width)
		}
	}
}

// A name's ending is of its format, none of the first; a file has what is written.
func TestFormatOf(t *testing.T) {
	d := documents(t)["abc"]
	for i, f := range Formats {
		for _, name := range []string{"walk" + f.Extension, "a/b.c/walk" + f.Extension, f.Extension} {
			if got, err := FormatOf(name); err != nil || got.Name != f.Name {
				t.Errorf("%s is %s (%v), want %s", name, got.Name, err, f.Name)
			}
		}
		path := filepath.Join(t.TempDir(), fmt.Sprint("walk", i, f.Extension))
		if err := f.WriteFile(path, d); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil || string(got) != render(t, f, d) {
			t.Errorf("%s: the file has %d bytes (%v)", f.Name, len(got), err)
		}
		failed := errors.New("no room")
		f.Write = func(io.Writer, *Document) error { return failed }
		if err := f.WriteFile(path, d); !errors.Is(err, failed) {
			t.Errorf("%s: %v", f.Name, err)
		}
		if again, err := os.ReadFile(path); err != nil || string(again) != string(got) {
			t.Errorf("%s: what failed has changed the file (%v)", f.Name, err)
		}
	}
	for _, name := range []string{"walk", "a.tex/walk", "-"} {
		if got, err := FormatOf(name); err != nil || got.Name != Formats[0].Name {
			t.Errorf("%s is %s (%v)", name, got.Name, err)
		}
	}
	for _, name := range []string{"walk.pdf", "walk.", "walk.md.bak"} {
		if got, err := FormatOf(name); err == nil || got.Name != "" {
			t.Errorf("%s is %s", name, got.Name)
		}
	}
}

// Activations are what their names say, at zero, far out, and between.
func TestActivationsByTheirDefinitions(t *testing.T) {
	for name, want := range map[string]func(x float64) float64{
		"relu": func(x float64) float64 {
			if x < 0 {
				return 0
			}
			return x
		},
		"gelu": func(x float64) float64 { return x * (1 + math.Erf(x/math.Sqrt2)) / 2 },
		"silu": func(x float64) float64 { return x * (1 + math.Tanh(x/2)) / 2 },
		"gelu_new": func(x float64) float64 {
			return x / (1 + math.Exp(-2*math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
		},
	} {
		xs := []float64{-30, -2, -0.5, 0, 1e-9, 0.7, 3, 40}
		f, _ := activation(name)
		got := f.value(Matrix{1, len(xs), xs})
		for i, x := range xs {
			if d := math.Abs(got.Data[i] - want(x)); d > 1e-14*(1+math.Abs(x)) {
				t.Errorf("%s(%v) = %v, want %v", name, x, got.Data[i], want(x))
			}
		}
	}
	if !panics.Does(func() { activation("tanh") }) {
		t.Error("tanh is an activation")
	}
}

// A walk ends with its context, at whatever step.
func TestInterruptedWalk(t *testing.T) {
	for steps := range 4 {
		if _, err := New(fuse.New(steps+1), ABC(), []int32{0, 1, 2}, Defaults); !errors.Is(err, context.Canceled) {
			t.Errorf("ended at question %d: %v", steps, err)
		}
	}
}

// Arrows are drawn between at most so many positions.
func TestArrowsOfManyPositions(t *testing.T) {
	d := documents(t)["abc"]
	for _, n := range []int{1, mostArrows, mostArrows + 1} {
		weights := zeros(n, n)
		for i := range n {
			weights.Data[i*n+i] = 1
		}
		d.Tokens = make([]int32, n)
		if got := panics.Does(func() {
			if drawn := d.arrows(weights) != ""; drawn != (n <= mostArrows) {
				t.Errorf("%d positions: drawn %v", n, drawn)
			}
		}); got {
			t.Errorf("%d positions: a panic", n)
		}
	}
}

// The numbers of a model and its activations are bounded.
func TestCheckSize(t *testing.T) {
	c := ABC().Config
	if err := CheckSize(c, 3); err != nil {
		t.Error(err)
	}
	c.NCtx = 1 << 24
	if err := CheckSize(c, 1<<23); err == nil {
		t.Error("a walk of 2²³ tokens")
	}
}

// The mean of a row moves with it, to rounding, and its variance does not, also where the
// row lies far from 0.
func TestMeanAndVarianceOfMovedRows(t *testing.T) {
	row := []float64{0.1, -0.7, 0.35, 2.6, -1.15}
	m := Matrix{1, len(row), row}
	for _, by := range []float64{0, 1, -3.3, 1e6, -1e9, 1e12} {
		moved := m.apply(func(x float64) float64 { return x + by })
		if d := mean.value(moved).At(0, 0) - by - 0.24; math.Abs(d) > 1e-15*(1+math.Abs(by)) {
			t.Errorf("moved by %g the mean is off by %g", by, d)
		}
		want := 0.0
		for _, x := range row {
			want += (x - 0.24) * (x - 0.24) / 5
		}
		if v := variance.value(moved).At(0, 0); math.Abs(v-want) > 1e-14+4e-16*math.Abs(by) {
			t.Errorf("moved by %g the variance is %v, want %v", by, v, want)
		}
	}
}
