package safetensors

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
)

// ChecksumKey is the metadata key of a file's [Checksum].
const ChecksumKey = "foretell.sha256"

// Checksum returns the SHA-256 of tensors as hexadecimal digits. It covers each tensor's
// name, type and shape, as written in the header, and its elements, as written in the
// data.
func Checksum(tensors []Tensor) string {
	h := sha256.New()
	for _, t := range tensors {
		dtype, _ := t.dtype()
		fmt.Fprintf(h, "%s %s %s\n", encode(t.Name), dtype, encode(append([]int{}, t.Shape...)))
		if err := writeElements(h, t); err != nil {
			panic("safetensors: " + err.Error()) // writing to a hash cannot fail
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// checkSum returns an error if the file contains a checksum that does not match its
// tensors.
func (f *File) checkSum() error {
	if want, ok := f.Metadata[ChecksumKey]; ok && want != Checksum(f.Tensors) {
		return errAltered
	}
	return nil
}

// errAltered reports a checksum that does not match.
var errAltered = errors.New("altered: its tensors do not match its checksum")
