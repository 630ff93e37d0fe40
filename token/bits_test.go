package token

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"testing"
)

// What is fitted, encoded and decoded has the same bits on every architecture.
func TestBitsAreTheseEverywhere(t *testing.T) {
	want := map[string]string{
		"uniform": "5c0a6ac200e47c1e", "mu_law": "14522a56030457cb", "a_law": "e5de25f86386fcf5",
		"lloyd_max": "5f366699c3565b93", "optimal": "01133ca6494e8b80", "high_rate": "9839d190d09cacf8",
		"vector": "4cb9a5e11889140e", "product": "9d8fedb5ab47656a", "window": "274900950e761bb5",
		"dft": "7a5a1b6518967d3e", "dct": "4b0a948e5be025a0", "haar": "9e6ab351eab2d222", "daubechies4": "c3df9d1c2e2d7519",
	}
	train := gaussian(1<<12, 3, 2, 1)
	hashes := map[string]string{}
	for _, row := range table {
		if row.name == learned {
			continue // its bits are held by its own test
		}
		q, err := Fit(row.name, row.params, train)
		if err != nil {
			t.Fatal(err)
		}
		whole := train[:len(train)/q.Block()*q.Block()]
		tokens, err := q.Encode(nil, whole)
		if err != nil {
			t.Fatal(err)
		}
		x, err := q.Decode(nil, tokens)
		if err != nil {
			t.Fatal(err)
		}
		h := sha256.New()
		_ = binary.Write(h, binary.LittleEndian, tokens)
		_ = binary.Write(h, binary.LittleEndian, x)
		h.Write([]byte(hashes[row.name]))
		hashes[row.name] = hex.EncodeToString(h.Sum(nil))[:16]
	}
	for name, got := range hashes {
		if got != want[name] {
			t.Errorf("%s: the hash of tokens and samples is %s, want %s", name, got, want[name])
		}
	}
}
