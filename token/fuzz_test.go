package token

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// numbers reads bytes as float64, and words as int32; what is left over is dropped.
func numbers(data []byte) []float64 {
	x := make([]float64, 0, len(data)/8)
	for part := range slices.Chunk(data[:len(data)/8*8], 8) {
		x = append(x, math.Float64frombits(binary.LittleEndian.Uint64(part)))
	}
	return x
}

func words(data []byte) []int32 {
	z := make([]int32, 0, len(data)/4)
	for part := range slices.Chunk(data[:len(data)/4*4], 4) {
		z = append(z, int32(binary.LittleEndian.Uint32(part)))
	}
	return z
}

func bytesOf(x ...float64) (data []byte) {
	for _, v := range x {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
	}
	return data
}

// holds checks the laws of a quantiser on any samples and tokens: an error of one line
// that leaves dst as it was, or tokens that decode and encode again.
func holds(t rapid.TB, q Quantizer, loose bool, x []float64, tokens []int32) {
	t.Helper()
	encoded, err := q.Encode([]int32{7}, x)
	if encoded[0] != 7 || err != nil && len(encoded) != 1 {
		t.Fatalf("dst became %v (%v)", encoded, err)
	}
	if err != nil {
		isOneLine(t, err)
	} else {
		x, err := q.Decode(nil, encoded[1:])
		if err != nil {
			t.Fatal(err)
		}
		if again, err := q.Encode([]int32{7}, x); !loose && (err != nil || !slices.Equal(again, encoded)) {
			t.Fatalf("tokens %v, decoded and encoded %v (%v)", encoded, again, err)
		}
	}
	decoded, err := q.Decode([]float64{7}, tokens)
	if decoded[0] != 7 || err != nil && len(decoded) != 1 {
		t.Fatalf("dst became %v (%v)", decoded, err)
	}
	if err != nil {
		isOneLine(t, err)
	} else if len(decoded)-1 != len(tokens)/len(q.Levels())*q.Block() {
		t.Fatalf("%d samples of %d tokens", len(decoded)-1, len(tokens))
	}
}

// FuzzCode gives fitted quantisers any samples and tokens.
func FuzzCode(f *testing.F) {
	f.Add([]byte{}, []byte{})
	f.Add(bytesOf(0, 1, -3, math.NaN()), []byte{1, 0, 0, 0, 2, 0, 0, 0})
	f.Add(bytesOf(math.Inf(1), 5e-324, 1e150, -1e308), []byte{255, 255, 255, 255})
	train := wave(1<<12, 0, 8)
	quantizers := make([]Quantizer, len(table))
	for i, row := range table {
		if row.name == learned {
			continue // its own tests train it
		}
		var err error
		if quantizers[i], err = Fit(row.name, row.params, train); err != nil {
			f.Fatal(err)
		}
	}
	f.Fuzz(func(t *testing.T, samples, tokens []byte) {
		for i, q := range quantizers {
			if q == nil {
				continue
			}
			x, z := numbers(samples), words(tokens)
			holds(t, q, table[i].loose, x, z)
			holds(t, q, table[i].loose, x[:len(x)/q.Block()*q.Block()], z[:len(z)/len(q.Levels())*len(q.Levels())])
			for k := range z {
				z[k] = int32(uint32(z[k]) % uint32(q.Levels()[k%len(q.Levels())]))
			}
			holds(t, q, table[i].loose, nil, z)
		}
	})
}

// FuzzFit fits every kind on any samples: an error of one line, or a quantiser of which
// the laws hold.
func FuzzFit(f *testing.F) {
	f.Add([]byte{}, 3.0)
	f.Add(bytesOf(0, 1, 2, 3, 4, 5), 2.0)
	f.Add(bytesOf(1e150, -1e150, 5e-324, 0), 3.0)
	f.Add(bytesOf(1, math.Nextafter(1, 2), math.NaN()), 300.0)
	f.Fuzz(func(t *testing.T, samples []byte, levels float64) {
		x := numbers(samples)
		if len(x) > 1000 {
			return
		}
		for _, entry := range Tokenizers() {
			params := Params{}
			for _, p := range entry.Params {
				if p.Name == "levels" || p.Name == "codewords" {
					params[p.Name] = levels
				}
				if p.Name == "window" || p.Name == "means" || p.Name == "block" {
					params[p.Name] = 4
				}
				if p.Name == "steps" {
					params[p.Name] = p.Low
				}
			}
			q, err := Fit(entry.Name, params, x)
			if err != nil {
				isOneLine(t, err)
				continue
			}
			holds(t, q, entry.Name == learned, x[:len(x)/q.Block()*q.Block()], nil)
		}
	})
}

// FuzzEvents gives detectors any samples and an event code any tokens.
func FuzzEvents(f *testing.F) {
	f.Add(bytesOf(0, 1, 0, -1, 0), []byte{1, 0, 0, 0, 4, 0, 0, 0, 2, 0, 0, 0})
	f.Add(bytesOf(1e150, math.NaN()), []byte{255, 255, 255, 255})
	all := detectors(f)
	f.Fuzz(func(t *testing.T, samples, tokens []byte) {
		x := numbers(samples)
		for _, d := range all {
			events, err := d.Detect(x)
			if err != nil {
				isOneLine(t, err)
				continue
			}
			back, err := d.Rebuild(events, len(x))
			if err != nil {
				t.Fatal(err)
			}
			if again, err := d.Detect(back); err != nil || !slices.Equal(again, events) {
				t.Fatalf("events %v, rebuilt %v (%v)", events, again, err)
			}
		}
		values, err := NewUniform(-1, 1, 5)
		if err != nil {
			t.Fatal(err)
		}
		code, err := NewEventCode(3, 4, values)
		if err != nil {
			t.Fatal(err)
		}
		events, n, err := code.Decode(words(tokens))
		if err != nil {
			isOneLine(t, err)
			return
		}
		z, err := code.Encode(nil, events, n)
		if err != nil {
			t.Fatal(err)
		}
		if again, m, err := code.Decode(z); err != nil || m != n || !slices.Equal(again, events) {
			t.Fatalf("events %v of %d samples, encoded and decoded %v of %d (%v)", events, n, again, m, err)
		}
	})
}
