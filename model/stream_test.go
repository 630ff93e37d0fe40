package model

import (
	"fmt"
	"slices"
	"testing"

	"foretell/internal/panics"
	"foretell/internal/random"
)

// lengthy are configurations whose sequences take several passes of a stream.
var lengthy = []struct {
	name   string
	config Config
}{
	{"long, rotary", Config{DModel: 8, NLayers: 2, NHeads: Heads{2, 1}, DHead: 4, NCtx: 150, DVocab: 5, PositionalEmbeddingType: "rotary"}},
	{"long, learned, tied", Config{DModel: 8, NLayers: 2, NHeads: Heads{2}, NCtx: 131, DVocab: 70, TieUnembed: true, NormalizationType: "LNPre"}},
	{"long, concatenated", Config{Residual: "concat", NLayers: 2, NHeads: Heads{1, 2}, NCtx: 80, DVocab: 3, AttnScale: 2}},
	{"long, flat", Config{Architecture: "flat", DModel: 3, NLayers: 1, DMLP: 6, NCtx: 140, DVocab: 4}},
}

// streamed are all that a stream is tried with.
var streamed = append(slices.Clone(small), lengthy...)

// However a sequence comes, token by token or several at once, and whatever was there and
// was forgotten, the stream has the logits of the whole pass, to the bit.
func TestStreamIsForward(t *testing.T) {
	for _, test := range streamed {
		t.Run(test.name, func(t *testing.T) {
			streamIsForward[float32](t, test.config)
			streamIsForward[float64](t, test.config)
		})
	}
}

func streamIsForward[F Float](t *testing.T, c Config) {
	m := jittered[F](t, c)
	tokens, _, _ := batchOf[F](m.Config, 1)
	T, V := m.Config.NCtx, m.Config.DVocab
	want, err := m.Logits(tokens)
	if err != nil {
		t.Fatal(err)
	}
	draws := random.New(7, "test/stream")
	once := m.NewStream() // used again and again, with remains of what was there
	for try := range 12 {
		s := once
		if try%3 == 0 {
			s = m.NewStream()
		}
		s.Truncate(draws.IntN(s.Len() + 1))
		if try%4 == 0 {
			s.Truncate(0)
		}
		for s.Len() < T {
			n := 1
			if try != 0 {
				n += draws.IntN(T - s.Len())
			}
			got, err := s.Append(tokens[s.Len() : s.Len()+n]...)
			if err != nil {
				t.Fatal(err)
			}
			if row := want[(s.Len()-1)*V : s.Len()*V]; !slices.Equal(got, row) {
				t.Fatalf("try %d, after %d of %d tokens: %v, want %v", try, s.Len(), n, got, row)
			}
		}
	}
}

func TestStreamRefuses(t *testing.T) {
	for _, test := range streamed {
		m := jittered[float32](t, test.config)
		s := m.NewStream()
		tokens := make([]int32, m.Config.NCtx+1)
		for _, bad := range []struct {
			tokens []int32
			want   string
		}{
			{nil, fmt.Sprintf("model: a context of 0 tokens is outside [1, n_ctx = %d]", m.Config.NCtx)},
			{tokens, fmt.Sprintf("model: a context of %d tokens is outside [1, n_ctx = %d]", len(tokens), m.Config.NCtx)},
			{[]int32{-1}, fmt.Sprintf("model: token -1 at position 1 is outside the alphabet [0, %d]", m.Config.DVocab-1)},
		} {
			if _, err := s.Append(bad.tokens...); err == nil || err.Error() != bad.want || s.Len() != 0 {
				t.Errorf("%s: error %v with %d tokens, want %s", test.name, err, s.Len(), bad.want)
			}
		}
		if _, err := s.Append(0); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Append(); err == nil || err.Error() != "model: Append needs at least one token" {
			t.Errorf("%s: error %v", test.name, err)
		}
	}
}

// What was forgotten does not come back, though there is room where it was.
func TestTruncatePanics(t *testing.T) {
	s := jittered[float32](t, lengthy[0].config).NewStream()
	if _, err := s.Append(1, 1, 1); err != nil {
		t.Fatal(err)
	}
	s.Truncate(2)
	for _, n := range []int{-1, 3} {
		if !panics.Does(func() { s.Truncate(n) }) {
			t.Errorf("no panic for %d of %d tokens", n, s.Len())
		}
	}
}

// A stream that has room takes no more memory for a token than its logits need.
func TestStreamAllocatesLittle(t *testing.T) {
	m := jittered[float32](t, lengthy[0].config)
	s := m.NewStream()
	if _, err := s.Append(make([]int32, 100)...); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(20, func() {
		s.Truncate(100)
		if _, err := s.Append(1); err != nil {
			t.Error(err)
		}
	}); n > 2 {
		t.Errorf("%v allocations a token", n)
	}
}

// BenchmarkGenerate continues a prompt by 64 tokens up to a full context, with keys and
// values kept and by a pass over all tokens for each.
func BenchmarkGenerate(b *testing.B) {
	for _, size := range []struct {
		name   string
		config Config
	}{
		{"d64-L3-T64", Config{DModel: 64, NLayers: 3, NHeads: Heads{4}, NCtx: 64, DVocab: 32}},
		{"d128-L4-T256", Config{DModel: 128, NLayers: 4, NHeads: Heads{4}, NCtx: 256, DVocab: 256}},
		{"d256-L6-T512", Config{DModel: 256, NLayers: 6, NHeads: Heads{4}, NCtx: 512, DVocab: 1000, TieUnembed: true}},
	} {
		m, err := New[float32](size.config, 1)
		if err != nil {
			b.Fatal(err)
		}
		tokens, _, _ := batchOf[float32](m.Config, 1)
		most := min(64, m.Config.NCtx-1)
		from := m.Config.NCtx - most
		b.Run(size.name+"/kept", func(b *testing.B) {
			for b.Loop() {
				for _, err := range m.Generate(tokens[:from], Generation{Most: most}) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
		b.Run(size.name+"/whole", func(b *testing.B) {
			w := NewWorkspace[float32](m.Config, 1)
			for b.Loop() {
				for t := range most {
					m.ForwardLast(w, tokens[:from+t], 1)
				}
			}
		})
	}
}
