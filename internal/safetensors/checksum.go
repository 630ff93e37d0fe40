package safetensors

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
)

// ChecksumKey is the key of the metadata under which a file carries its [Checksum].
const ChecksumKey = "foretell.sha256"

// Checksum is the SHA-256 of tensors, in hexadecimal digits: of the name, the type and
// the shape of each, as the header has them, and of its elements, as the data do.
func Checksum(tensors []Tensor) string {
	h := sha256.New()
	for _, t := range tensors {
		dtype, _ := t.dtype()
		fmt.Fprintf(h, "%s %s %s\n", encode(t.Name), dtype, encode(append([]int{}, t.Shape...)))
		if err := writeElements(h, t); err != nil {
			panic("safetensors: " + err.Error()) // a hash takes everything
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// checkSum returns an error if a file carries a checksum that is not its tensors'.
func (f *File) checkSum() error {
	if want, ok := f.Metadata[ChecksumKey]; ok && want != Checksum(f.Tensors) {
		return errAltered
	}
	return nil
}

// errAltered is of a file whose checksum is another's.
var errAltered = errors.New("altered: its tensors do not match the checksum that it carries")
