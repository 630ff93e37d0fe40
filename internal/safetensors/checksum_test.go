package safetensors

import (
	"bytes"
	"strings"
	"testing"
)

// A file that carries a checksum is read if no byte of a tensor has changed, nor its name
// or shape.
func TestChecksum(t *testing.T) {
	tensors := []Tensor{
		{Name: "a", Shape: []int{2, 1}, F32: []float32{1, 2}},
		{Name: "b", Shape: []int{1, 2}, F64: []float64{3, 4}},
	}
	write := func(metadata map[string]string) []byte {
		var b bytes.Buffer
		if err := Write(&b, tensors, metadata); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	sealed := write(map[string]string{ChecksumKey: Checksum(tensors), "step": "5"})
	file, err := Read(sealed)
	if err != nil || file.Metadata["step"] != "5" {
		t.Fatalf("%+v, %v", file, err)
	}
	const want = "altered: its tensors do not match its checksum"
	data := len(sealed) - 2*4 - 2*8
	for i := data; i < len(sealed); i++ {
		altered := bytes.Clone(sealed)
		altered[i] ^= 1
		if _, err := Read(altered); err == nil || err.Error() != want {
			t.Errorf("byte %d: %v", i, err)
		}
	}
	for old, new := range map[string]string{`"a"`: `"c"`, `[2,1]`: `[1,2]`} {
		altered := bytes.Replace(sealed, []byte(old), []byte(new), 1)
		if _, err := Read(altered); err == nil || err.Error() != want {
			t.Errorf("%s for %s: %v", new, old, err)
		}
	}
	for _, metadata := range []map[string]string{nil, {"sha256": "of something else"}} { // files from elsewhere
		plain := write(metadata)
		plain[len(plain)-1] ^= 1
		if _, err := Read(plain); err != nil {
			t.Error(err)
		}
	}
	if got := Checksum(tensors); got != strings.ToLower(got) || len(got) != 64 || got == Checksum(tensors[:1]) {
		t.Error(got)
	}
}
