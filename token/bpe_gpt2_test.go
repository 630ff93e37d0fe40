package token

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"foretell/internal/random"

	"github.com/dlclark/regexp2/v2"
	"github.com/tiktoken-go/tokenizer/codec"
)

// reference is another implementation of GPT-2's encoding (MIT licence), which has its
// vocabulary built in.
var reference = sync.OnceValue(codec.NewR50kBase)

// gpt2 is GPT-2's vocabulary by us: each token's merge is the one of two parts that the
// merges before it leave of its bytes.
var gpt2 = sync.OnceValue(func() *BPE {
	b := newBPE()
	var e encoder
	for id := uint(256); id < 50256; id++ {
		text, err := reference().Decode([]uint{id})
		if err != nil {
			panic(err)
		}
		parts := e.encode(b, nil, text)
		if len(parts) != 2 {
			panic("token: " + text + " is no merge of two tokens")
		}
		b.learn(pair{parts[0], parts[1]}, b.append(text))
	}
	if err := b.addSpecial("<|endoftext|>"); err != nil {
		panic(err)
	}
	return b
})

func TestGPT2HasTheReferencesBytes(t *testing.T) {
	if n := gpt2().Size(); n != 50257 {
		t.Errorf("%d tokens", n)
	}
	for id := range 256 {
		text, err := reference().Decode([]uint{uint(id)})
		if err != nil || text != gpt2().Token(int32(id)) {
			t.Errorf("token %d is %q, %v; want %q", id, gpt2().Token(int32(id)), err, text)
		}
	}
}

// agrees fails unless the reference has the same tokens of a text.
func agrees(t *testing.T, text string) {
	t.Helper()
	ids, _, err := reference().Encode(text)
	if err != nil {
		t.Fatal(err)
	}
	var want []int32
	for _, id := range ids {
		want = append(want, int32(id))
	}
	if got := gpt2().Encode(text); !slices.Equal(got, want) {
		t.Errorf("%q: %v, want %v", text, got, want)
	}
}

// characters draws a text of n characters. U+007F is none of them: regexp2 2.12.0, with
// which the reference cuts, does not count it to [^\s\p{L}\p{N}] and loses it.
func characters(s *random.Stream, n int) string {
	var text strings.Builder
	for range n {
		switch s.IntN(7) {
		case 0:
			text.WriteRune(0x80 + rune(s.IntN(0x780)))
		case 1:
			text.WriteRune(rune(0x800 + s.IntN(0xd800-0x800)))
		case 2:
			text.WriteString([]string{" ", "  ", "\n", "\t", "\u00a0", "\u2003", "\r\n"}[s.IntN(7)])
		case 4:
			text.WriteByte(byte(s.IntN(0x7f)))
		case 3:
			text.WriteString([]string{"'s", "'ll", "'", "’", "'T", " '", "don't"}[s.IntN(7)])
		default:
			text.WriteString([]string{"the", " signal", "Token", " 2026", "7", ", ", "...", "ization", "<|endoftext|>"}[s.IntN(9)])
		}
	}
	return text.String()
}

// GPT-2's tokens of texts of every kind are those of the other implementation.
func TestEncodeAgreesWithTheReference(t *testing.T) {
	s := random.New(4, "test/gpt2")
	for _, text := range []string{"Hello world, it's me", prose, strings.Repeat("=", 200), strings.Repeat(" ", 77) + "x"} {
		agrees(t, text)
	}
	for range 3000 {
		agrees(t, characters(s, s.IntN(30)))
	}
	if got, want := gpt2().Encode("Hello world"), []int32{15496, 995}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// The scanner by hand finds the pieces of GPT-2's pattern, lookahead and all.
func TestPiecesAreThePatterns(t *testing.T) {
	pattern := regexp2.MustCompile(`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`, regexp2.None)
	s := random.New(5, "test/pattern")
	for range 5000 {
		text := characters(s, s.IntN(20))
		var want []string
		m, err := pattern.FindStringMatch(text)
		for ; m != nil && err == nil; m, err = pattern.FindNextMatch(m) {
			want = append(want, m.String())
		}
		if got := slices.Collect(Pieces(text)); err != nil || !slices.Equal(got, want) {
			t.Fatalf("%q: %q, want %q, %v", text, got, want, err)
		}
	}
}

// GPT-2's files, written and read.
func TestGPT2GoesThroughItsFiles(t *testing.T) {
	dir := t.TempDir()
	if err := gpt2().Save(dir); err != nil {
		t.Fatal(err)
	}
	b, err := LoadBPE(dir)
	if err != nil {
		t.Fatal(err)
	}
	sameBPE(t, b, gpt2())
}

func BenchmarkGPT2(b *testing.B) {
	text := strings.Repeat(prose, 50)
	b.Run("ours", func(b *testing.B) {
		gpt2()
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			gpt2().Encode(text)
		}
	})
	b.Run("reference", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			if _, _, err := reference().Encode(text); err != nil {
				b.Fatal(err)
			}
		}
	})
}
