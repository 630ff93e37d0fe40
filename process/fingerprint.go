package process

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io"

	"foretell/internal/random"
)

// How much of a process its fingerprint looks at: so many samples, of so many tokens.
const (
	fingerprintSamples = 256
	fingerprintLength  = 32
)

// Fingerprint tells processes of one name apart that Go code makes: the SHA-256 of the
// tokens' names and of some samples, drawn from streams of its own, and of a [*Recording]
// of all that it is. Another fingerprint is another process; the same one can be of two
// that differ in what seldom comes, or in what they predict.
func Fingerprint(p Sampler) string {
	h := sha256.New()
	for _, name := range p.Tokens() {
		hashText(h, name)
	}
	if r, ok := p.(*Recording); ok {
		_ = binary.Write(h, binary.LittleEndian, int64(r.held))
		_ = binary.Write(h, binary.LittleEndian, r.levels) // a hash takes all
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

// hashText hashes a text so that two after each other are not one.
func hashText(w io.Writer, text string) {
	_ = binary.Write(w, binary.LittleEndian, int64(len(text)))
	_, _ = io.WriteString(w, text)
}
