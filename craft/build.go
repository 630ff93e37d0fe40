package craft

import (
	"fmt"
	"math"

	"foretell/model"
)

// Build returns the transformer of a design, with relu, no normalisation, and
// TransformerLens's names. It returns an error if two directions interfere (they are not
// orthogonal, or different parts of the forward pass write to the same one, so that
// neither could be read alone), if a direction is read before anything has written to it,
// or if a number is not finite.
func (d Design) Build() (*model.Transformer[float64], error) {
	if err := d.Waves.check(d); err != nil {
		return nil, fmt.Errorf("craft: %w", err)
	}
	d = d.lowered()
	basis, err := d.basis()
	if err != nil {
		return nil, fmt.Errorf("craft: %w", err)
	}
	m, err := model.Zero[float64](d.config(basis.width))
	if err != nil {
		return nil, fmt.Errorf("craft: %w", err)
	}
	w := writer{basis, m.Weights}
	for t, name := range d.Tokens {
		copy(w.row("embed.W_E", t), basis.vectors[name])
	}
	for i, name := range d.Positions {
		copy(w.row("pos_embed.W_pos", i), basis.vectors[name])
	}
	for i, b := range d.Blocks {
		for h := range b.Heads {
			w.head(m.Config, d.Waves, fmt.Sprintf("blocks.%d.attn.", i), h, b.Heads[h])
		}
		w.mlp(fmt.Sprintf("blocks.%d.mlp.", i), b)
	}
	for _, l := range d.Logits {
		w.read("unembed.W_U", "unembed.b_U", 0, len(d.Tokens), d.token(l.To), l.From, l.Times)
	}
	for _, t := range m.Weights.Tensors {
		for _, x := range t.Data {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return nil, fmt.Errorf("craft: %s holds %v; "+
					"numbers of a design must be finite, and attention weights positive",
					t.Name, x)
			}
		}
	}
	return m, nil
}

// writer sets the weights of a transformer.
type writer struct {
	basis
	weights *model.Weights[float64]
}

// row returns row i of a parameter whose rows are vectors of the residual stream.
func (w writer) row(name string, i int) []float64 {
	return w.weights.Get(name).Data[i*w.width : (i+1)*w.width]
}

// read adds the direction `from`, multiplied by `times`, to column j of a matrix of shape
// (d,n). If the parameter has a matrix for each head, `head` selects it. If `from` is
// Always, read adds `times` to entry j of that matrix's bias instead.
func (w writer) read(matrix, bias string, head, n, j int, from string, times float64) {
	if from == Always {
		w.weights.Get(bias).Data[head*n+j] += times
		return
	}
	data := w.weights.Get(matrix).Data[head*w.width*n:]
	for i, x := range w.vector(from) {
		data[i*n+j] += times * x
	}
}

// write adds the direction `to`, multiplied by `times`, to a row of a parameter.
func (w writer) write(matrix string, row int, to string, times float64) {
	data := w.row(matrix, row)
	for i, x := range w.vectors[to] {
		data[i] += times * x
	}
}

// head sets the weights of one head. Each direction that the head's queries read takes
// one dimension of its queries and keys. Each direction that the head writes to takes one
// dimension of its values. With rotary positions each direction that is read takes the
// first dimension of a plane, and the first direction takes the slowest plane. The score
// of source j at position i is then multiplied by cos((i − j)·ω).
func (w writer) head(c model.Config, waves Waves, name string, index int, h Head) {
	dimension := map[string]int{}
	for j, query := range h.queries() {
		if waves.Kind == Rotary {
			j = waves.Planes() - 1 - j
		}
		dimension[query] = j
		w.read(name+"W_Q", name+"b_Q", index, c.DHead, j, query, 1)
	}
	scale := math.Sqrt(float64(c.DHead)) // attention divides scores by this
	for _, s := range h.Attend {
		w.read(name+"W_K", name+"b_K", index, c.DHead, dimension[s.Query], s.Key, s.Nats*scale)
	}
	w.turns(c, waves, name, index, h.Turns)
	clear(dimension)
	for j, to := range h.targets() {
		dimension[to] = j
		w.write(name+"W_O", index*c.DHead+j, to, 1)
	}
	for _, m := range h.Move {
		w.read(name+"W_V", name+"b_V", index, c.DHead, dimension[m.To], m.From, m.Times)
	}
}

// turns adds to the weights the turns of a head with rotary positions. In each plane the
// query is (1, 0), which the model rotates by iω at position i, and the key is Nats·(cos
// oω, sin oω), which it rotates by jω at position j; o is the offset.
func (w writer) turns(c model.Config, waves Waves, name string, index int, turns []Turn) {
	scale := math.Sqrt(float64(c.DHead))
	for _, t := range turns {
		sin, cos := math.Sincos(t.Offset * waves.Frequency(t.Plane))
		first, second := index*c.DHead+t.Plane, index*c.DHead+t.Plane+c.DHead/2
		w.weights.Get(name + "b_Q").Data[first] = 1
		keys := w.weights.Get(name + "b_K").Data
		keys[first] += t.Nats * scale * cos
		keys[second] += t.Nats * scale * sin
	}
}

// neuron is ReLU(sign·Σ reads − Σ unless + bias), multiplied by times and added to the
// direction `to`.
type neuron struct {
	reads      []string
	unless     []string
	sign, bias float64
	to         string
	times      float64
}

func (b Block) neurons() []neuron {
	var list []neuron
	for _, a := range b.Functions {
		for _, r := range a.Function.Ramps {
			list = append(list, neuron{[]string{a.From}, nil, r.sign(), -r.sign() * r.Knot, a.To, r.Slope})
		}
	}
	for _, r := range b.Rules {
		list = append(list, neuron{r.If, r.Unless, 1, 1 - float64(len(r.If)), r.To, r.Times})
	}
	return list
}

func (w writer) mlp(name string, b Block) {
	list := b.neurons()
	if len(list) == 0 {
		return
	}
	width := w.weights.Get(name + "b_in").Shape[0]
	for j, n := range list {
		for _, from := range n.reads {
			w.read(name+"W_in", name+"b_in", 0, width, j, from, n.sign)
		}
		for _, from := range n.unless {
			w.read(name+"W_in", name+"b_in", 0, width, j, from, -1)
		}
		w.weights.Get(name + "b_in").Data[j] += n.bias
		w.write(name+"W_out", j, n.to, n.times)
	}
	for _, a := range b.Functions {
		w.write(name+"b_out", 0, a.To, a.Function.Offset)
	}
}
