// Package torchfile writes and reads the files of PyTorch's torch.save without running
// any code: dictionaries of tensors, numbers and texts.
//
//	state = torch.load("ckpt.pt")    # {'model': {'lm_head.weight': tensor(…), …}, …}
//
// Such a file is a zip archive of uncompressed members:
//
//	archive/data.pkl     the values, in Python's pickle format
//	archive/data/0, …    the elements of each tensor, little-endian
//	archive/byteorder    the text "little"
//	archive/version      the text "3"
//
// A pickle is a program for a stack machine that can call any Python function, so a file
// from a stranger can run any code in a reader that allows this. [Read] knows only the
// instructions that build dictionaries, lists, tuples, numbers and texts, and the few
// calls that build tensors. Any other call is an error that names the function, like
// torch.load with weights_only=True. It reads the elements of a tensor when they are
// asked for ([Tensor.Floats]). [Write] uses protocol 2, which all versions of PyTorch
// since 1.6 read.
//
// The formats are described at https://docs.python.org/3/library/pickletools.html and
// https://pytorch.org/docs/stable/notes/serialization.html.
package torchfile

// Dict is a dictionary in the order of its entries.
type Dict struct {
	Keys   []any
	Values []any
}

// Set adds an entry at the end.
func (d *Dict) Set(key string, value any) {
	d.Keys = append(d.Keys, key)
	d.Values = append(d.Values, value)
}

// Get returns the value of the last entry with the given text as its key.
func (d *Dict) Get(key string) (value any, ok bool) {
	for i := len(d.Keys) - 1; i >= 0; i-- {
		if d.Keys[i] == key {
			return d.Values[i], true
		}
	}
	return nil, false
}

// List is a list, a tuple or a set of a file that was read.
type List struct{ Items []any }

// Floats is a float32 tensor for [Write], in row-major order. Two of them that share
// their elements share them in the file, too.
type Floats struct {
	Shape []int // empty for a scalar
	Data  []float32
}
