package exchange

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"foretell/internal/strict"
	"foretell/internal/torchfile"
	"foretell/model"
)

// nanoTensor is a tensor of nanoGPT and the parameters that it holds, one after the
// other. In a matrix of torch.nn.Linear, (outputs,inputs), they are transposed, in blocks
// of (rows,columns) of our numbers; rows is 0 for other tensors.
type nanoTensor struct {
	name          string
	shape         []int
	ours          []string
	rows, columns int
}

// nanoHead is the output of nanoGPT, which is tied to the embedding.
const nanoHead = "lm_head.weight"

// nanoTensors returns the tensors of nanoGPT for a resolved configuration, except the
// output.
func nanoTensors(c model.Config) []nanoTensor {
	d, m := c.DModel, c.DMLP
	list := []nanoTensor{
		{name: "transformer.wte.weight", shape: []int{c.DVocab, d}, ours: []string{"embed.W_E"}},
		{name: "transformer.wpe.weight", shape: []int{c.NCtx, d}, ours: []string{"pos_embed.W_pos"}},
	}
	vector := func(name string, n int, ours ...string) {
		list = append(list, nanoTensor{name: name, shape: []int{n}, ours: ours})
	}
	linear := func(name string, inputs, outputs, rows, columns int, ours ...string) {
		list = append(list, nanoTensor{name + ".weight", []int{outputs, inputs}, ours, rows, columns})
	}
	for i := range c.NLayers {
		h, b := fmt.Sprintf("transformer.h.%d.", i), fmt.Sprintf("blocks.%d.", i)
		vector(h+"ln_1.weight", d, b+"ln1.w")
		vector(h+"ln_1.bias", d, b+"ln1.b")
		linear(h+"attn.c_attn", d, 3*d, d, c.DHead, b+"attn.W_Q", b+"attn.W_K", b+"attn.W_V")
		vector(h+"attn.c_attn.bias", 3*d, b+"attn.b_Q", b+"attn.b_K", b+"attn.b_V")
		linear(h+"attn.c_proj", d, d, d, d, b+"attn.W_O")
		vector(h+"attn.c_proj.bias", d, b+"attn.b_O")
		vector(h+"ln_2.weight", d, b+"ln2.w")
		vector(h+"ln_2.bias", d, b+"ln2.b")
		linear(h+"mlp.c_fc", d, m, d, m, b+"mlp.W_in")
		vector(h+"mlp.c_fc.bias", m, b+"mlp.b_in")
		linear(h+"mlp.c_proj", m, d, m, d, b+"mlp.W_out")
		vector(h+"mlp.c_proj.bias", d, b+"mlp.b_out")
	}
	vector("transformer.ln_f.weight", d, "ln_final.w")
	vector("transformer.ln_f.bias", d, "ln_final.b")
	return list
}

// size returns the number of elements.
func (t nanoTensor) size() int {
	n := 1
	for _, k := range t.shape {
		n *= k
	}
	return n
}

// turn transposes each block of our numbers, or of theirs if back is set.
func (t nanoTensor) turn(data []float32, back bool) []float32 {
	if t.rows == 0 {
		return data
	}
	rows, columns := t.rows, t.columns
	if back {
		rows, columns = columns, rows
	}
	var out []float32
	for block := range slices.Chunk(data, rows*columns) {
		out = append(out, transposed(block, rows, columns)...)
	}
	return out
}

// checkNano returns an error unless nanoGPT's model.py can have the configuration.
func checkNano(c model.Config) error {
	if err := adds("nanogpt", c); err != nil {
		return err
	}
	const no = "nanogpt"
	switch {
	case c.AttnOnly:
		return refused(no, "attn_only", "= true, but nanoGPT's blocks have an MLP")
	case c.NormalizationType != "LN":
		return refused(no, "normalization_type", "= %s, but nanoGPT has LN", c.NormalizationType)
	case c.PositionalEmbeddingType != "learned":
		return refused(no, "positional_embedding_type", "= %s, but nanoGPT's positions are learned",
			c.PositionalEmbeddingType)
	case c.ActFn != "gelu":
		return refused(no, "act_fn", "= %s, but nanoGPT has gelu", c.ActFn)
	case !c.TieUnembed:
		return refused(no, "tie_unembed", "= false, but nanoGPT's output is tied to its embedding; "+
			"train with tie_unembed: true")
	case c.DMLP != 4*c.DModel:
		return refused(no, "d_mlp", "= %d, but nanoGPT has 4·d_model = %d", c.DMLP, 4*c.DModel)
	case c.Eps != 1e-5:
		return refused(no, "eps", "= %v, but nanoGPT has 1e-5", c.Eps)
	}
	for _, heads := range c.NHeads {
		if heads != c.NHeads[0] || heads*c.DHead != c.DModel {
			return refused(no, "n_heads", "= %v with d_head = %d, but in each layer of nanoGPT n_heads·d_head is "+
				"d_model = %d", []int(c.NHeads), c.DHead, c.DModel)
		}
	}
	return nil
}

// writeNano writes a checkpoint as train.py does, without the state of the optimiser.
func writeNano(w io.Writer, s Source) error {
	c := s.Model.Config
	if err := checkNano(c); err != nil {
		return err
	}
	state := &torchfile.Dict{}
	for _, t := range nanoTensors(c) {
		data := s.Model.Weights.Get(t.ours[0]).Data
		if len(t.ours) > 1 {
			data = slices.Clone(data)
			for _, name := range t.ours[1:] {
				data = append(data, s.Model.Weights.Get(name).Data...)
			}
		}
		state.Set(t.name, torchfile.Floats{Shape: t.shape, Data: t.turn(data, false)})
	}
	head := torchfile.Floats{Shape: []int{c.DVocab, c.DModel}, Data: s.Model.Weights.Get("embed.W_E").Data}
	state.Set(nanoHead, head)
	args := &torchfile.Dict{}
	for _, size := range []struct {
		name  string
		value int
	}{
		{"n_layer", c.NLayers},
		{"n_head", c.NHeads[0]},
		{"n_embd", c.DModel},
		{"block_size", c.NCtx},
	} {
		args.Set(size.name, size.value)
	}
	args.Set("bias", true)
	args.Set("vocab_size", c.DVocab)
	args.Set("dropout", 0)
	checkpoint := &torchfile.Dict{}
	checkpoint.Set("model", state)
	checkpoint.Set("model_args", args)
	checkpoint.Set("iter_num", s.Origin.Step)
	return torchfile.Write(w, checkpoint)
}

// readNano returns the model of a nanoGPT checkpoint.
func readNano(from *tensors, given config) (*model.Transformer[float32], error) {
	args, err := given.nano(from.args)
	if err != nil {
		return nil, err
	}
	c := args.config()
	from = from.without("_orig_mod.", "module.") // which torch.compile and DDP add
	if c.TieUnembed, err = nanoTied(from); err != nil {
		return nil, err
	}
	if !c.TieUnembed {
		c.UnembedBias = new(false)
	}
	if c, err = c.Resolve(); err != nil {
		return nil, err
	}
	expected := nanoTensors(c)
	if !c.TieUnembed {
		head := nanoTensor{nanoHead, []int{c.DVocab, c.DModel}, []string{"unembed.W_U"}, c.DModel, c.DVocab}
		expected = append(expected, head)
	}
	if err := from.onlyNano(expected); err != nil {
		return nil, err
	}
	m, err := model.Zero[float32](c)
	if err != nil {
		return nil, err
	}
	for _, t := range expected {
		if err := from.fillNano(t, args.Bias, m); err != nil {
			return nil, err
		}
	}
	return m, m.Weights.CheckFinite()
}

// nanoArgs are the arguments of nanoGPT's GPTConfig.
type nanoArgs struct {
	NLayer    int     `yaml:"n_layer"`
	NHead     int     `yaml:"n_head"`
	NEmbd     int     `yaml:"n_embd"`
	BlockSize int     `yaml:"block_size"`
	VocabSize int     `yaml:"vocab_size"`
	Bias      bool    `yaml:"bias"`
	Dropout   float64 `yaml:"dropout"` // ignored: it matters only for training
}

func (a nanoArgs) config() model.Config {
	return model.Config{
		DModel: a.NEmbd, NLayers: a.NLayer, NHeads: model.Heads{a.NHead}, NCtx: a.BlockSize, DVocab: a.VocabSize,
		ActFn: "gelu",
	}
}

// nano returns the arguments that a file gives or, without one, the checkpoint's.
func (c config) nano(stored *torchfile.Dict) (a nanoArgs, err error) {
	a.Bias = true
	if c.text == nil && stored == nil {
		return a, errors.New("it has no model_args; give the arguments of GPTConfig (n_layer, n_head, n_embd, " +
			"block_size, vocab_size, bias) as a configuration")
	}
	if c.text != nil {
		doc, err := strict.Parse(c.path, c.text)
		if err != nil {
			return a, err
		}
		if err := doc.Decode(&a); err != nil {
			return a, err
		}
		return a, doc.Explain(a.check())
	}
	for name, size := range a.sizes() {
		value, _ := stored.Get(name)
		*size, _ = value.(int)
	}
	if bias, ok := stored.Get("bias"); ok {
		a.Bias = bias == true
	}
	return a, strict.Within("model_args", a.check())
}

func (a *nanoArgs) sizes() map[string]*int {
	return map[string]*int{
		"n_layer": &a.NLayer, "n_head": &a.NHead, "n_embd": &a.NEmbd, "block_size": &a.BlockSize,
		"vocab_size": &a.VocabSize,
	}
}

// check returns an error for a size that is missing or out of range.
func (a *nanoArgs) check() error {
	const most = 1 << 20
	sizes := a.sizes()
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		if n := *sizes[name]; n < 1 || n > most {
			return strict.Fieldf(name, "= %d is missing or outside [1, %d]", n, most)
		}
	}
	if a.NEmbd%a.NHead != 0 {
		return strict.Fieldf("n_embd", "= %d is not a multiple of n_head = %d", a.NEmbd, a.NHead)
	}
	return nil
}

// nanoTied reports whether the output of a checkpoint has the embedding's numbers.
func nanoTied(from *tensors) (bool, error) {
	if _, ok := from.shape(nanoHead); !ok {
		return true, nil
	}
	head, err := from.read(nanoHead)
	if err != nil {
		return false, fmt.Errorf("tensor %s: %w", nanoHead, err)
	}
	if _, ok := from.shape("transformer.wte.weight"); !ok {
		return false, errors.New("tensor transformer.wte.weight is missing")
	}
	embed, err := from.read("transformer.wte.weight")
	return slices.Equal(head, embed), err
}

// fillNano copies the numbers of a tensor to the parameters of m. The biases of a model
// with bias=False are zeros.
func (from *tensors) fillNano(t nanoTensor, bias bool, m *model.Transformer[float32]) error {
	if _, ok := from.shape(t.name); !ok && !bias && strings.HasSuffix(t.name, ".bias") {
		return nil
	}
	data := make([]float32, t.size())
	if err := from.fill(t.name, t.shape, data); err != nil {
		return err
	}
	data = t.turn(data, true)
	for _, name := range t.ours {
		data = data[copy(m.Weights.Get(name).Data, data):]
	}
	return nil
}

// onlyNano returns an error if the file has a tensor that is not expected, except a
// causal mask.
func (from *tensors) onlyNano(expected []nanoTensor) error {
	for _, name := range from.names {
		known := name == nanoHead || strings.HasSuffix(name, ".attn.bias")
		if !known && !slices.ContainsFunc(expected, func(t nanoTensor) bool { return t.name == name }) {
			return fmt.Errorf("tensor %.80q does not belong to nanoGPT with these model_args", name)
		}
	}
	return nil
}
