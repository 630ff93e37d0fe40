package walk

import "math"

// function is a named function of a matrix. Its field bound computes upper bounds on
// magnitudes from such bounds; see [Formula].
type function struct {
	name         string
	value, bound func(Matrix) Matrix
}

// softmax turns each row into a distribution: exp(x_j)/Σ exp(x_k).
var softmax = function{
	name: "softmax",
	value: func(m Matrix) Matrix {
		out := zeros(m.Rows, m.Columns)
		for i := range m.Rows {
			top, total := math.Inf(-1), 0.0
			for _, x := range m.Row(i) {
				top = max(top, x)
			}
			row := out.Row(i)
			for j, x := range m.Row(i) {
				row[j] = math.Exp(x - top)
				total += row[j]
			}
			for j := range row {
				row[j] /= total
			}
		}
		return out
	},
	bound: func(m Matrix) Matrix { return m.apply(func(float64) float64 { return 1 }) },
}

func average(row []float64) float64 {
	total := 0.0
	for _, x := range row {
		total += x
	}
	return total / float64(len(row))
}

// mean is the mean of each row.
var mean = function{
	name:  "mean",
	value: func(m Matrix) Matrix { return m.reduce(average) },
	bound: func(m Matrix) Matrix { return m.reduce(average) },
}

// variance is the mean squared distance of each row's numbers from the row's mean.
var variance = function{
	name: "var",
	value: func(m Matrix) Matrix {
		return m.reduce(func(row []float64) float64 {
			center, total := average(row), 0.0
			for _, x := range row {
				total += (x - center) * (x - center)
			}
			return total / float64(len(row))
		})
	},
	bound: func(m Matrix) Matrix { return m.apply(func(x float64) float64 { return 4 * x * x }).reduce(average) },
}

// activation returns the activation function named in a configuration, and its definition
// as it appears in a sentence.
func activation(name string) (f function, is string) {
	list := map[string]struct {
		is string
		f  func(float64) float64
	}{
		"relu": {"max(x, 0)", func(x float64) float64 { return max(x, 0) }},
		"gelu": {
			"x times the normal distribution function of x",
			func(x float64) float64 { return x * math.Erfc(-x/math.Sqrt2) / 2 },
		},
		"gelu_new": {"x times a tanh approximation of the normal distribution function", func(x float64) float64 {
			return x / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
		}},
		"silu": {"x/(1 + exp(-x))", func(x float64) float64 { return x / (1 + math.Exp(-x)) }},
	}
	choice, ok := list[name]
	if !ok {
		panic("walk: configuration is not resolved: act_fn is " + name)
	}
	return function{
		name:  name,
		value: func(m Matrix) Matrix { return m.apply(choice.f) },
		bound: func(m Matrix) Matrix { return m },
	}, choice.is
}

// sinusoid returns the function that maps a column of positions to their embeddings of
// width d (Vaswani et al. 2017, "Attention is all you need", Sec. 3.5).
func sinusoid(d int) function {
	return function{
		name: "sinusoid",
		value: func(t Matrix) Matrix {
			out := zeros(t.Rows, d)
			for i, p := range t.Data {
				for j := range d {
					sin, cos := math.Sincos(p * math.Pow(10000, -float64(j/2*2)/float64(d)))
					out.Row(i)[j] = sin
					if j%2 == 1 {
						out.Row(i)[j] = cos
					}
				}
			}
			return out
		},
		bound: func(t Matrix) Matrix {
			return combine(zeros(1, d), t, func(_, p float64) float64 { return 1 + p })
		},
	}
}

// turn rotates queries or keys as rotary position embeddings do. Row i belongs to
// position p = first + i. Of the h columns, columns j and j+h/2 are the coordinates of a
// plane that is rotated by the angle p·10000^(−2j/h).
func turn(first int) function {
	rotate := func(m Matrix, combine func(a, b, sin, cos float64) (float64, float64)) Matrix {
		out, half := zeros(m.Rows, m.Columns), m.Columns/2
		for i := range m.Rows {
			x, y := m.Row(i), out.Row(i)
			for j := range half {
				sin, cos := math.Sincos(float64(first+i) * math.Pow(10000, -2*float64(j)/float64(m.Columns)))
				y[j], y[j+half] = combine(x[j], x[j+half], sin, cos)
			}
		}
		return out
	}
	return function{
		name: "turn",
		value: func(m Matrix) Matrix {
			return rotate(m, func(a, b, sin, cos float64) (float64, float64) { return a*cos - b*sin, b*cos + a*sin })
		},
		bound: func(m Matrix) Matrix {
			// The rounding error of the angle itself grows with the position.
			return rotate(m, func(a, b, _, _ float64) (float64, float64) {
				most := (a + b) * float64(1+first+m.Rows)
				return most, most
			})
		},
	}
}
