package torchfile

import (
	"archive/zip"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// global is the name of a Python function or class.
type global struct{ module, name string }

// The only calls that are understood.
var (
	orderedDict      = global{"collections", "OrderedDict"}
	rebuildTensor    = global{"torch._utils", "_rebuild_tensor_v2"}
	rebuildParameter = global{"torch._utils", "_rebuild_parameter"}
	newSize          = global{"torch", "Size"}
)

// known reports whether a name is one of these, or the type of a storage.
func (g global) known() bool {
	switch g {
	case orderedDict, rebuildTensor, rebuildParameter, newSize:
		return true
	}
	_, storage := elementBytes[g.name]
	return g.module == "torch" && storage
}

// unpickler runs the instructions of a pickle that only build values.
type unpickler struct {
	data   []byte
	at     int // index of the next byte
	stack  []any
	marks  []int // indices in the stack
	memo   map[uint64]any
	member func(key string) *zip.File
}

var (
	errCut   = errors.New("the pickle is cut off")
	errStack = errors.New("an instruction without its values")
)

// run returns the value at the end of the instructions.
func (u *unpickler) run() (any, error) {
	u.memo = map[uint64]any{}
	for {
		code, err := u.bytes(1)
		if err != nil {
			return nil, err
		}
		if code[0] == '.' {
			if len(u.stack) != 1 {
				return nil, errStack
			}
			return u.stack[0], nil
		}
		if err := u.step(code[0]); err != nil {
			return nil, err
		}
	}
}

// bytes returns the next n bytes.
func (u *unpickler) bytes(n uint64) ([]byte, error) {
	if n > uint64(len(u.data)-u.at) {
		return nil, errCut
	}
	b := u.data[u.at : u.at+int(n)]
	u.at += int(n)
	return b, nil
}

// line returns the text up to the end of the line.
func (u *unpickler) line() (string, error) {
	text, _, ok := strings.Cut(string(u.data[u.at:min(len(u.data), u.at+256)]), "\n")
	if !ok {
		return "", errCut
	}
	u.at += len(text) + 1
	return text, nil
}

func (u *unpickler) push(value any) { u.stack = append(u.stack, value) }

// floor is the index in the stack of the first value that an instruction may take.
func (u *unpickler) floor() int {
	if len(u.marks) == 0 {
		return 0
	}
	return u.marks[len(u.marks)-1]
}

// pop removes the last n values, which must be above the last mark.
func (u *unpickler) pop(n int) ([]any, error) {
	from := len(u.stack) - n
	if from < u.floor() {
		return nil, errStack
	}
	list := append([]any{}, u.stack[from:]...)
	u.stack = u.stack[:from]
	return list, nil
}

// popMark removes the values above the last mark, and the mark.
func (u *unpickler) popMark() ([]any, error) {
	if len(u.marks) == 0 {
		return nil, errStack
	}
	list, err := u.pop(len(u.stack) - u.floor())
	u.marks = u.marks[:len(u.marks)-1]
	return list, err
}

// top returns the last value.
func (u *unpickler) top() (any, error) {
	if len(u.stack) <= u.floor() {
		return nil, errStack
	}
	return u.stack[len(u.stack)-1], nil
}

// sizes are the numbers of bytes of an argument, or of the length of an argument, by
// instruction.
var sizes = map[byte]uint64{
	'\x80': 1, '\x95': 8, 'K': 1, 'M': 2, 'J': 4, 'G': 8, 'q': 1, 'r': 4, 'h': 1, 'j': 4,
	'X': 4, '\x8c': 1, '\x8d': 8, '\x8a': 1,
}

// step runs one instruction.
func (u *unpickler) step(code byte) error {
	argument, err := u.bytes(sizes[code])
	if err != nil {
		return err
	}
	n := little(argument)
	switch code {
	case '\x80', '\x95': // protocol, frame
	case '(':
		u.marks = append(u.marks, len(u.stack))
	case 'N':
		u.push(nil)
	case '\x88', '\x89':
		u.push(code == '\x88')
	case 'K', 'M':
		u.push(int(n))
	case 'J':
		u.push(int(int32(n)))
	case 'G':
		u.push(math.Float64frombits(binary.BigEndian.Uint64(argument)))
	case '\x8a':
		return u.long(n)
	case 'X', '\x8c', '\x8d':
		return u.string(n)
	case '}':
		u.push(&Dict{})
	case ']', ')', '\x8f':
		u.push(&List{})
	case 'q', 'r', '\x94':
		return u.remember(code, n)
	case 'h', 'j':
		value, ok := u.memo[n]
		if !ok {
			return errStack
		}
		u.push(value)
	default:
		return u.build(code)
	}
	return nil
}

// long pushes a whole number of n bytes.
func (u *unpickler) long(n uint64) error {
	b, err := u.bytes(n)
	if err != nil {
		return err
	}
	if n > 8 {
		return fmt.Errorf("a whole number of %d bytes, want at most 8", n)
	}
	x := int64(little(b))
	if shift := 64 - 8*n; n > 0 {
		x = x << shift >> shift // extends the sign
	}
	if int64(int(x)) != x {
		return fmt.Errorf("the number %d is too large for this machine", x)
	}
	u.push(int(x))
	return nil
}

// string pushes a text of n bytes.
func (u *unpickler) string(n uint64) error {
	b, err := u.bytes(n)
	if err != nil {
		return err
	}
	if !utf8.Valid(b) {
		return errors.New("a text that is not UTF-8")
	}
	u.push(string(b))
	return nil
}

// remember stores the last value under a number; without one under the next.
func (u *unpickler) remember(code byte, n uint64) error {
	value, err := u.top()
	if code == '\x94' {
		n = uint64(len(u.memo))
	}
	u.memo[n] = value
	return err
}

// build runs an instruction that makes a value from others.
func (u *unpickler) build(code byte) error {
	switch code {
	case '\x85', '\x86', '\x87':
		list, err := u.pop(int(code - '\x84'))
		u.push(&List{list})
		return err
	case 't':
		list, err := u.popMark()
		u.push(&List{list})
		return err
	case 's':
		list, err := u.pop(2)
		if err != nil {
			return err
		}
		return u.setItems(list)
	case 'u':
		list, err := u.popMark()
		if err != nil {
			return err
		}
		return u.setItems(list)
	case 'a':
		list, err := u.pop(1)
		if err != nil {
			return err
		}
		return u.extend(list)
	case 'e', '\x90':
		list, err := u.popMark()
		if err != nil {
			return err
		}
		return u.extend(list)
	}
	return u.call(code)
}

// setItems adds entries to the dictionary on the stack: keys and values in turn.
func (u *unpickler) setItems(list []any) error {
	top, err := u.top()
	if err != nil {
		return err
	}
	d, ok := top.(*Dict)
	if !ok || len(list)%2 != 0 {
		return errStack
	}
	for i := 0; i < len(list); i += 2 {
		d.Keys = append(d.Keys, list[i])
		d.Values = append(d.Values, list[i+1])
	}
	return nil
}

// extend adds items to the list on the stack.
func (u *unpickler) extend(list []any) error {
	top, err := u.top()
	if err != nil {
		return err
	}
	items, ok := top.(*List)
	if !ok {
		return errStack
	}
	items.Items = append(items.Items, list...)
	return nil
}

// call runs an instruction that names or calls a Python function, if it only builds a
// tensor or a dictionary.
func (u *unpickler) call(code byte) error {
	switch code {
	case 'c':
		module, err := u.line()
		if err != nil {
			return err
		}
		name, err := u.line()
		if err != nil {
			return err
		}
		return u.name(global{module, name})
	case '\x93':
		list, err := u.pop(2)
		if err != nil {
			return err
		}
		module, one := list[0].(string)
		name, two := list[1].(string)
		if !one || !two {
			return errStack
		}
		return u.name(global{module, name})
	case 'Q':
		list, err := u.pop(1)
		if err != nil {
			return err
		}
		s, err := newStorage(list[0], u.member)
		u.push(s)
		return err
	case 'R':
		return u.reduce()
	case 'b': // the state of an object; OrderedDicts of PyTorch have versions there
		_, err := u.pop(1)
		return err
	}
	return fmt.Errorf("the instruction %q, which is not one of those that build tensors, dictionaries, lists, "+
		"numbers and texts", code)
}

// name pushes a name, if it is one that is understood.
func (u *unpickler) name(g global) error {
	if !g.known() {
		return fmt.Errorf("it asks for %.60q of %.60q, which could run code; save tensors, numbers and texts only",
			g.name, g.module)
	}
	u.push(g)
	return nil
}

// reduce calls a function with a tuple of arguments.
func (u *unpickler) reduce() error {
	list, err := u.pop(2)
	if err != nil {
		return err
	}
	function, _ := list[0].(global)
	var arguments []any
	tuple, ok := list[1].(*List)
	if ok {
		arguments = tuple.Items
	}
	switch {
	case !ok:
	case function == orderedDict && len(arguments) == 0:
		u.push(&Dict{})
		return nil
	case function == rebuildTensor:
		t, err := newTensor(arguments)
		u.push(t)
		return err
	case function == rebuildParameter && len(arguments) > 0:
		if t, ok := arguments[0].(*Tensor); ok {
			u.push(t)
			return nil
		}
	case function == newSize && len(arguments) == 1:
		u.push(arguments[0])
		return nil
	}
	return fmt.Errorf("a call of %.60q that does not build a tensor or a dictionary", function.name)
}
