package exchange

import (
	"fmt"
	"io"
	"math"
	"strconv"

	"foretell/internal/limit"
	"foretell/internal/portable"
	"foretell/internal/strict"
	"foretell/model"
)

// The versions of ONNX's format and operators. The operators include LayerNormalization.
const (
	onnxFormat    = 8
	onnxOperators = 17
)

// mostONNX is the largest size of an ONNX file in bytes, the limit of Protocol Buffers.
const mostONNX = 1 << 31

// writeONNX writes the graph of a model: its input tokens is (batch,position), int64; its
// output logits is (batch,position,d_vocab).
func writeONNX(w io.Writer, s Source) error {
	c := s.Model.Config
	if size := 4 * float64(c.Parameters()); size > mostONNX*0.99 {
		return fmt.Errorf("onnx: the weights take %s, and a file of ONNX has less than %s",
			limit.Size(size), limit.Size(mostONNX))
	}
	config := s.Origin.Config
	if config == nil {
		text, err := strict.MarshalJSON(section{Model: c})
		if err != nil {
			return err
		}
		config = text
	}
	g := &graph{m: s.Model, constants: map[string]string{}}
	g.network()
	_, err := w.Write(g.encode(config))
	return err
}

// graph is an ONNX graph that is being built. Its methods add operators, and return the
// names of their results. In comments B, T, d, H and h are as in package model.
type graph struct {
	m            *model.Transformer[float32]
	nodes        []message
	initializers []message
	constants    map[string]string // names of constants by their text
	mask         string            // (T,T), true where the source is later than the destination
	shape, pos   string            // (2) the shape of tokens; (T) 0, 1, …
	cos, sin     string            // (T,h/2), rotary positions only
}

// encode returns the ModelProto.
func (g *graph) encode(config []byte) message {
	var body, m, operators, metadata message
	for _, n := range g.nodes {
		body.bytes(1, n)
	}
	body.text(2, "foretell")
	for _, t := range g.initializers {
		body.bytes(5, t)
	}
	body.bytes(11, valueInfo("tokens", onnxInt64, "batch", "position"))
	body.bytes(12, valueInfo("logits", onnxFloat, "batch", "position", g.m.Config.DVocab))
	m.int(1, onnxFormat)
	m.text(2, "foretell")
	m.bytes(7, body)
	operators.text(1, "")
	operators.int(2, onnxOperators)
	m.bytes(8, operators)
	metadata.text(1, "foretell.config")
	metadata.text(2, string(config))
	m.bytes(14, metadata)
	return m
}

// op adds an operator with one result.
func (g *graph) op(kind string, inputs []string, attributes ...attribute) string {
	return g.ops(kind, 1, inputs, attributes...)[0]
}

// ops adds an operator with several results.
func (g *graph) ops(kind string, results int, inputs []string, attributes ...attribute) (names []string) {
	var n message
	for _, input := range inputs {
		n.text(1, input)
	}
	for i := range results {
		names = append(names, fmt.Sprintf("%s_%d_%d", kind, len(g.nodes), i))
		n.text(2, names[i])
	}
	n.text(3, fmt.Sprintf("%s_%d", kind, len(g.nodes)))
	n.text(4, kind)
	for _, a := range attributes {
		n.bytes(5, a.encode())
	}
	g.nodes = append(g.nodes, n)
	return names
}

// tensor adds a constant array.
func (g *graph) tensor(name string, shape []int, data []float32) string {
	g.initializers = append(g.initializers, tensorProto(name, shape, onnxFloat, floatBytes(data)))
	return name
}

// weight adds a parameter, perhaps under another shape.
func (g *graph) weight(name string, shape ...int) string {
	t := g.m.Weights.Get(name)
	if shape == nil {
		shape = t.Shape
	}
	return g.tensor(name, shape, t.Data)
}

// scalar returns a constant number.
func (g *graph) scalar(x float32) string {
	text := "number " + strconv.FormatFloat(float64(x), 'g', -1, 32)
	if g.constants[text] == "" {
		g.constants[text] = g.tensor(text, nil, []float32{x})
	}
	return g.constants[text]
}

// whole returns a constant whole number, or a list of them.
func (g *graph) whole(shape []int, x ...int) string {
	text := fmt.Sprintf("whole %v %v", shape, x)
	if g.constants[text] == "" {
		g.constants[text] = text
		g.initializers = append(g.initializers, tensorProto(text, shape, onnxInt64, intBytes(x)))
	}
	return text
}

func (g *graph) list(x ...int) string { return g.whole([]int{len(x)}, x...) }

func (g *graph) binary(kind, a, b string) string { return g.op(kind, []string{a, b}) }

func (g *graph) transpose(x string, order ...int) string {
	return g.op("Transpose", []string{x}, attribute{"perm", order})
}

// reshape gives an array another shape; 0 keeps a dimension.
func (g *graph) reshape(x string, shape ...int) string {
	return g.op("Reshape", []string{x, g.list(shape...)})
}

// network adds all operators.
func (g *graph) network() {
	c := g.m.Config
	g.shape = g.op("Shape", []string{"tokens"})
	T := g.op("Gather", []string{g.shape, g.whole(nil, 1)})
	g.pos = g.op("Range", []string{g.whole(nil, 0), T, g.whole(nil, 1)})
	rows := g.op("Unsqueeze", []string{g.pos, g.list(1)})
	g.mask = g.binary("Greater", g.pos, rows)
	logits := ""
	switch {
	case c.Flat():
		logits = g.flat()
	case c.Concatenates():
		logits = g.concat()
	default:
		logits = g.add()
	}
	if c.Output == "probabilities" { // their logarithms; 0 becomes the smallest normal number, as in package model
		logits = g.op("Log", []string{g.binary("Max", logits, g.scalar(0x1p-126))})
	}
	var n message
	n.text(1, logits)
	n.text(2, "logits")
	n.text(3, "logits")
	n.text(4, "Identity")
	g.nodes = append(g.nodes, n)
}

// add adds a network that adds to its residual stream, and returns its logits.
func (g *graph) add() string {
	c := g.m.Config
	x := g.op("Gather", []string{g.weight("embed.W_E"), "tokens"})
	switch c.PositionalEmbeddingType {
	case "learned":
		x = g.binary("Add", x, g.op("Gather", []string{g.weight("pos_embed.W_pos"), g.pos}))
	case "sinusoidal":
		x = g.binary("Add", x, g.op("Gather", []string{g.sinusoids(), g.pos}))
	case "rotary":
		g.cos, g.sin = g.rotary()
	}
	for i := range c.NLayers {
		name := fmt.Sprintf("blocks.%d.", i)
		x = g.binary("Add", x, g.attention(name+"attn.", c.NHeads[i], g.norm(name+"ln1", x)))
		if !c.AttnOnly {
			x = g.binary("Add", x, g.mlp(name+"mlp.", g.norm(name+"ln2", x)))
		}
	}
	x = g.norm("ln_final", x)
	if c.TieUnembed {
		return g.binary("MatMul", x, g.transpose("embed.W_E", 1, 0))
	}
	x = g.binary("MatMul", x, g.weight("unembed.W_U"))
	if c.HasUnembedBias() {
		x = g.binary("Add", x, g.weight("unembed.b_U"))
	}
	return x
}

// sinusoids returns the table of fixed positions, (n_ctx,d).
func (g *graph) sinusoids() string {
	table, err := fixedPositions(g.m)
	if err != nil {
		panic("exchange: " + err.Error()) // the arguments of the pass are ours
	}
	return g.tensor("sinusoidal positions", []int{g.m.Config.NCtx, g.m.Config.DModel}, table)
}

// rotary returns the cosines and sines of the angles at each position, (T,h/2); see
// package model, rotary.go.
func (g *graph) rotary() (cos, sin string) {
	c := g.m.Config
	half := c.DHead / 2
	var cosines, sines []float32
	for p := range c.NCtx {
		for j := range half {
			s, k := portable.Sincos(float64(p) * portable.Exp(-math.Ln10*4*float64(2*j)/float64(c.DHead)))
			cosines = append(cosines, float32(k))
			sines = append(sines, float32(s))
		}
	}
	shape := []int{c.NCtx, half}
	return g.op("Gather", []string{g.tensor("cosines", shape, cosines), g.pos}),
		g.op("Gather", []string{g.tensor("sines", shape, sines), g.pos})
}

// norm returns the layer norm of x.
func (g *graph) norm(name, x string) string {
	c, eps := g.m.Config, attribute{"epsilon", float32(g.m.Config.Eps)}
	switch c.NormalizationType {
	case "none":
		return x
	case "LN":
		return g.op("LayerNormalization", []string{x, g.weight(name + ".w"), g.weight(name + ".b")},
			attribute{"axis", -1}, eps)
	}
	ones := "ones"
	if g.constants[ones] == "" {
		g.constants[ones] = ones
		data := make([]float32, c.DModel)
		for i := range data {
			data[i] = 1
		}
		g.tensor(ones, []int{c.DModel}, data)
	}
	return g.op("LayerNormalization", []string{x, ones}, attribute{"axis", -1}, eps)
}

// attention returns what a layer's attention adds to the stream, given its input x.
func (g *graph) attention(name string, heads int, x string) string {
	c := g.m.Config
	project := func(kind string) string { // (B,H,T,h)
		y := g.binary("MatMul", g.op("Unsqueeze", []string{x, g.list(1)}), g.weight(name+"W_"+kind))
		return g.binary("Add", y, g.weight(name+"b_"+kind, heads, 1, c.DHead))
	}
	q, k := g.turn(project("Q")), g.transpose(g.turn(project("K")), 0, 1, 3, 2)
	scores := g.binary("Mul", g.binary("MatMul", q, k), g.scalar(float32(1/math.Sqrt(float64(c.DHead)))))
	z := g.binary("MatMul", g.softmax(scores), project("V"))
	z = g.reshape(g.transpose(z, 0, 2, 1, 3), 0, 0, heads*c.DHead)
	out := g.binary("MatMul", z, g.weight(name+"W_O", heads*c.DHead, c.DModel))
	return g.binary("Add", out, g.weight(name+"b_O"))
}

// turn rotates queries or keys by their positions, if the model does.
func (g *graph) turn(x string) string {
	if g.cos == "" {
		return x
	}
	halves := g.ops("Split", 2, []string{x}, attribute{"axis", -1})
	a, b := halves[0], halves[1]
	first := g.binary("Sub", g.binary("Mul", a, g.cos), g.binary("Mul", b, g.sin))
	second := g.binary("Add", g.binary("Mul", b, g.cos), g.binary("Mul", a, g.sin))
	return g.op("Concat", []string{first, second}, attribute{"axis", -1})
}

// softmax returns the causal attention pattern of scores (B,H,T,T).
func (g *graph) softmax(scores string) string {
	masked := g.op("Where", []string{g.mask, g.scalar(float32(math.Inf(-1))), scores})
	return g.op("Softmax", []string{masked}, attribute{"axis", -1})
}

// mlp returns what a layer's MLP adds to the stream, given its input x.
func (g *graph) mlp(name, x string) string {
	x = g.activation(g.binary("Add", g.binary("MatMul", x, g.weight(name+"W_in")), g.weight(name+"b_in")))
	return g.binary("Add", g.binary("MatMul", x, g.weight(name+"W_out")), g.weight(name+"b_out"))
}

// activation returns the activation function of x.
func (g *graph) activation(x string) string {
	one, half := g.scalar(1), g.scalar(0.5)
	gate := ""
	switch g.m.Config.ActFn {
	case "relu":
		return g.op("Relu", []string{x})
	case "silu":
		return g.binary("Mul", x, g.op("Sigmoid", []string{x}))
	case "gelu":
		gate = g.op("Erf", []string{g.binary("Mul", x, g.scalar(float32(math.Sqrt2/2)))})
	case "gelu_new":
		cube := g.binary("Mul", x, g.binary("Mul", x, x))
		sum := g.binary("Add", x, g.binary("Mul", cube, g.scalar(0.044715)))
		gate = g.op("Tanh", []string{g.binary("Mul", sum, g.scalar(float32(math.Sqrt(2/math.Pi))))})
	}
	return g.binary("Mul", g.binary("Mul", x, half), g.binary("Add", gate, one))
}

// concat adds a network with concatenated heads, and returns its logits; see
// [model.Config.Concatenates].
func (g *graph) concat() string {
	c := g.m.Config
	oneHot := func(indices string, depth int) string {
		values := g.tensor(fmt.Sprintf("one-hot of %d", len(g.nodes)), []int{2}, []float32{0, 1})
		return g.op("OneHot", []string{indices, g.list(depth), values}, attribute{"axis", -1})
	}
	positions := g.op("Expand", []string{g.pos, g.shape})
	x := g.op("Concat", []string{oneHot("tokens", c.DVocab), oneHot(positions, c.NCtx)}, attribute{"axis", -1})
	for i, heads := range c.NHeads {
		own := g.op("Unsqueeze", []string{x, g.list(1)}) // (B,1,T,d)
		q := g.binary("MatMul", own, g.weight(fmt.Sprintf("blocks.%d.attn.W_A", i)))
		scores := g.binary("Mul", g.binary("MatMul", q, g.transpose(own, 0, 1, 3, 2)), g.scalar(float32(1/c.AttnScale)))
		z := g.transpose(g.binary("MatMul", g.softmax(scores), own), 0, 2, 1, 3)
		x = g.op("Concat", []string{x, g.reshape(z, 0, 0, heads*c.Width(i))}, attribute{"axis", -1})
	}
	return g.binary("MatMul", x, g.weight("unembed.W_U"))
}

// flat adds a network without attention, and returns its logits; see [model.Config.Flat].
func (g *graph) flat() string {
	c := g.m.Config
	x := g.op("Gather", []string{g.weight("embed.W_E"), "tokens"})
	x = g.op("Pad", []string{x, g.list(0, c.NCtx-1, 0, 0, 0, 0)})
	distances := make([]int, c.NCtx)
	for i := range distances {
		distances[i] = i
	}
	window := g.binary("Add", g.op("Unsqueeze", []string{g.pos, g.list(1)}), g.list(distances...)) // (T,n_ctx)
	x = g.op("Gather", []string{x, window}, attribute{"axis", 1})
	x = g.reshape(x, 0, 0, c.NCtx*c.DModel)
	for i := range c.NLayers {
		name := fmt.Sprintf("blocks.%d.mlp.", i)
		x = g.binary("Add", g.binary("MatMul", x, g.weight(name+"W_in")), g.weight(name+"b_in"))
		x = g.activation(x)
	}
	x = g.binary("MatMul", x, g.weight("unembed.W_U"))
	if c.HasUnembedBias() {
		x = g.binary("Add", x, g.weight("unembed.b_U"))
	}
	return x
}
