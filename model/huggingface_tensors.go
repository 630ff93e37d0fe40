package model

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// hubTensor is a tensor of a GPT-2 file, named without the prefix, and the parameters
// that it holds. It holds one parameter, or W_Q, W_K and W_V joined along their columns.
type hubTensor struct {
	name  string
	shape []int
	ours  []string
	how   hubLayout
}

// hubLayout is the way a tensor holds its parameters. GPT-2's matrices multiply a row
// vector from the right, like the matrices of this package (the library calls this
// Conv1D).
type hubLayout int

const (
	asOurs hubLayout = iota
	joined           // (d,3d): columns of the queries of all heads, then keys, then values
	turned           // (V,d), the transpose of W_U (d,V)
)

// hubTensors returns the tensors of a resolved GPT-2 configuration.
func hubTensors(c Config) []hubTensor {
	d, m := c.DModel, c.DMLP
	list := []hubTensor{
		{"wte.weight", []int{c.DVocab, d}, []string{"embed.W_E"}, asOurs},
		{"wpe.weight", []int{c.NCtx, d}, []string{"pos_embed.W_pos"}, asOurs},
	}
	norm := func(theirs, ours string) {
		list = append(list,
			hubTensor{theirs + ".weight", []int{d}, []string{ours + ".w"}, asOurs},
			hubTensor{theirs + ".bias", []int{d}, []string{ours + ".b"}, asOurs})
	}
	for i := range c.NLayers {
		h, b := fmt.Sprintf("h.%d", i), fmt.Sprintf("blocks.%d", i)
		heads := func(kind string) (names []string) {
			for _, x := range []string{"Q", "K", "V"} {
				names = append(names, b+".attn."+kind+"_"+x)
			}
			return names
		}
		norm(h+".ln_1", b+".ln1")
		list = append(list,
			hubTensor{h + ".attn.c_attn.weight", []int{d, 3 * d}, heads("W"), joined},
			hubTensor{h + ".attn.c_attn.bias", []int{3 * d}, heads("b"), joined},
			hubTensor{h + ".attn.c_proj.weight", []int{d, d}, []string{b + ".attn.W_O"}, asOurs},
			hubTensor{h + ".attn.c_proj.bias", []int{d}, []string{b + ".attn.b_O"}, asOurs})
		norm(h+".ln_2", b+".ln2")
		list = append(list,
			hubTensor{h + ".mlp.c_fc.weight", []int{d, m}, []string{b + ".mlp.W_in"}, asOurs},
			hubTensor{h + ".mlp.c_fc.bias", []int{m}, []string{b + ".mlp.b_in"}, asOurs},
			hubTensor{h + ".mlp.c_proj.weight", []int{m, d}, []string{b + ".mlp.W_out"}, asOurs},
			hubTensor{h + ".mlp.c_proj.bias", []int{d}, []string{b + ".mlp.b_out"}, asOurs})
	}
	norm("ln_f", "ln_final")
	if !c.TieUnembed {
		list = append(list, hubTensor{hubHead, []int{c.DVocab, d}, []string{"unembed.W_U"}, turned})
	}
	return list
}

// hubPrefix begins the names of all tensors except the output's in the file of a model
// with an output layer (GPT2LMHeadModel). The names in a GPT2Model's file do not have it.
const (
	hubPrefix = "transformer."
	hubHead   = "lm_head.weight"
)

// masks matches the names of tensors in older files that are not parameters: the causal
// mask, and the score that masked positions get.
var masks = regexp.MustCompile(`^h\.\d+\.attn\.(bias|masked_bias)$`)

// hubName returns a tensor's name without the prefix.
func hubName(name string) string { return strings.TrimPrefix(name, hubPrefix) }

// named returns a model's parameters by name.
func named[F Float](w *Weights[F]) map[string][]F {
	list := map[string][]F{}
	for _, t := range w.Tensors {
		list[t.Name] = t.Data
	}
	return list
}

// size returns the number of elements of the tensor.
func (t hubTensor) size() int { return slot[float32]{shape: t.shape}.size() }

// each calls move for each run of numbers that is contiguous both in a parameter (ours)
// and in the tensor (theirs). The function `move` copies one of the two to the other.
func each[F Float](t hubTensor, c Config, parameters map[string][]F, theirs []F, move func(ours, theirs []F)) {
	switch t.how {
	case asOurs:
		move(parameters[t.ours[0]], theirs)
	case joined:
		h, row := c.DHead, 3*c.DModel
		for i, name := range t.ours {
			ours := parameters[name] // shape (H,d,h), or (H,h) for a bias
			for at := 0; at < len(ours); at += h {
				rows := len(theirs) / row
				head, r := at/h/rows, at/h%rows
				from := r*row + i*c.DModel + head*h
				move(ours[at:at+h], theirs[from:from+h])
			}
		}
	case turned:
		ours := parameters[t.ours[0]] // shape (d,V)
		for i := range ours {
			from := i%c.DVocab*c.DModel + i/c.DVocab
			move(ours[i:i+1], theirs[from:from+1])
		}
	}
}

// toHub returns the tensor's numbers. The result may share memory with a parameter.
func toHub[F Float](t hubTensor, c Config, parameters map[string][]F) []F {
	if t.how == asOurs {
		return parameters[t.ours[0]]
	}
	theirs := make([]F, t.size())
	each(t, c, parameters, theirs, func(ours, theirs []F) { copy(theirs, ours) })
	return theirs
}

// checkFiniteHub returns a [*NotFiniteError] for the first number of a file's tensor that
// is NaN or infinite, with the tensor's name and index in the file. It searches the
// parameters that the tensor holds.
func checkFiniteHub[F Float](t hubTensor, c Config, parameters map[string][]F, name string) error {
	for _, ours := range t.ours {
		for _, x := range parameters[ours] {
			if !isFinite(x) {
				return checkFinite("tensor", Tensor[F]{Name: name, Shape: t.shape, Data: toHub(t, c, parameters)})
			}
		}
	}
	return nil
}

// checkHub returns an error unless the files have all tensors of a configuration, with
// their shapes, and no other tensors. Masks and the output of a tied model are also
// allowed. The function `shape` returns a tensor's shape, given its name without the
// prefix.
func checkHub(c Config, names []string, shape func(name string) ([]int, bool)) error {
	wanted := map[string]bool{hubHead: true}
	for _, t := range hubTensors(c) {
		wanted[t.name] = true
		has, ok := shape(t.name)
		if !ok {
			return fmt.Errorf("tensor %s is missing", t.name)
		}
		if !slices.Equal(has, t.shape) {
			return fmt.Errorf("tensor %s has shape %v; the %s gives %v", t.name, has, hubConfigFile, t.shape)
		}
	}
	head := []int{c.DVocab, c.DModel}
	if has, ok := shape(hubHead); ok && !slices.Equal(has, head) {
		return fmt.Errorf("tensor %s has shape %v; the %s gives %v", hubHead, has, hubConfigFile, head)
	}
	for _, name := range names {
		if !wanted[name] && !masks.MatchString(name) {
			return fmt.Errorf("tensor %q does not belong to a GPT-2 with %d layers", name, c.NLayers)
		}
	}
	return nil
}
