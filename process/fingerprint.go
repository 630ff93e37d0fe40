package process

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io"

	"foretell/internal/random"
)

// A fingerprint covers this number of samples, each of this number of tokens.
const (
	fingerprintSamples = 256
	fingerprintLength  = 32
)

// Fingerprint distinguishes processes of the same name that are defined by Go code. It is
// the SHA-256 of the tokens' names and of some samples, drawn from random streams
// reserved for this purpose. For a [*Recording] it is the SHA-256 of all its data.
// Different fingerprints mean different processes. The same fingerprint may belong to two
// processes that differ only in rare tokens or in their predictions.
func Fingerprint(p Sampler) string {
	h := sha256.New()
	for _, name := range p.Tokens() {
		hashText(h, name)
	}
	if r, ok := p.(*Recording); ok {
		_ = binary.Write(h, binary.LittleEndian, int64(r.held))
		_ = binary.Write(h, binary.LittleEndian, r.levels) // writing to a hash never fails
		_ = binary.Write(h, binary.LittleEndian, r.record)
		return hex.EncodeToString(h.Sum(nil))
	}
	sample, purpose := make([]int32, fingerprintLength), random.Purpose("process/fingerprint")
	var stream random.Stream
	for i := range uint64(fingerprintSamples) {
		stream.Reset(0, purpose, i)
		p.Sample(sample, &stream)
		_ = binary.Write(h, binary.LittleEndian, sample)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// hashText hashes a text and its length, so that the boundary between two texts matters.
func hashText(w io.Writer, text string) {
	_ = binary.Write(w, binary.LittleEndian, int64(len(text)))
	_, _ = io.WriteString(w, text)
}
