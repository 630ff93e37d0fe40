package token

import (
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"foretell/internal/random"
)

// prose is a text with what the pattern of pieces distinguishes.
const prose = `It's a sine: we've seen 16 of its steps, they'll come again, I'm sure; don't ask 'why'.
A sine has 9 tokens, a signal has 32,	and a signal's token isn't a sample: it's an interval.

  The interval's ends are half-way; 3.14159 is about π, naïvely 22/7. “So it’s said,” said the sine.
The sine, the signal, the token, the interval; the signals, the tokens and the intervals.
`

// trained returns a vocabulary for tests.
func trained(t testing.TB, size int, special ...string) *BPE {
	t.Helper()
	b, err := TrainBPE(prose+prose, size, special...) // all of it twice, so that all can be merged
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// arbitrary draws n bytes, or runs of some.
func arbitrary(s *random.Stream, n int) string {
	alphabets := []string{"ab ", " \t\n\r'", "the signal's token ", "\x80\xff\xc3é", "0123 9٣½", "'s't'll", "日本 語\u3000\u0085\u00a0"}
	text := make([]byte, n)
	from := alphabets[s.IntN(len(alphabets))]
	for i := range text {
		text[i] = from[s.IntN(len(from))]
		if s.IntN(20) == 0 {
			text[i] = byte(s.Uint64())
		}
		if s.IntN(10) == 0 {
			from = alphabets[s.IntN(len(alphabets))]
		}
	}
	return string(text)
}

// roundTrip fails unless a text comes back from its pieces and its tokens.
func roundTrip(t *testing.T, b *BPE, text string) {
	t.Helper()
	if got := strings.Join(slices.Collect(Pieces(text)), ""); got != text {
		t.Fatalf("the pieces of %q are %q", text, got)
	}
	tokens := b.Encode(text)
	got, err := b.Decode(tokens)
	if err != nil || got != text {
		t.Fatalf("%q becomes %v and then %q, %v", text, tokens, got, err)
	}
}

func TestBPERoundTrip(t *testing.T) {
	s := random.New(1, "test/bpe")
	b := trained(t, 400, "<|endoftext|>")
	for _, text := range []string{"", " ", "a", "\x00", "\xff\xfe", prose, "<|endoftext|>", strings.Repeat(" ", 1000)} {
		roundTrip(t, b, text)
	}
	for range 2000 {
		roundTrip(t, b, arbitrary(s, s.IntN(60)))
	}
	if slices.Contains(b.Encode("<|endoftext|>"), 399) {
		t.Error("a text is encoded to a special token")
	}
}

func FuzzBPE(f *testing.F) {
	b := trained(f, 400)
	for _, text := range []string{"", "it's  a\n\nsine ", "\xf0\x9f\x98", "日本語 ½ 3", prose} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		roundTrip(t, b, text)
		if got, want := b.Encode(text), mergedOneByOne(b, text); !slices.Equal(got, want) {
			t.Errorf("%q: tokens %v, want %v", text, got, want)
		}
	})
}

// mergedOneByOne encodes as the definition says, a pass over a piece for each kind of
// merge.
func mergedOneByOne(b *BPE, text string) (tokens []int32) {
	for piece := range Pieces(text) {
		var parts []int32
		for i := range len(piece) {
			parts = append(parts, b.bytes[piece[i]])
		}
		for {
			best := merged{math.MaxInt32, 0}
			var found pair
			for i := 1; i < len(parts); i++ {
				p := pair{parts[i-1], parts[i]}
				if m, ok := b.merges[p]; ok && m.rank < best.rank {
					best, found = m, p
				}
			}
			if best.rank == math.MaxInt32 {
				break
			}
			var kept []int32
			for i := 0; i < len(parts); i++ {
				if i+1 < len(parts) && (pair{parts[i], parts[i+1]}) == found {
					kept = append(kept, best.token)
					i++
				} else {
					kept = append(kept, parts[i])
				}
			}
			parts = kept
		}
		tokens = append(tokens, parts...)
	}
	return tokens
}

func TestEncodeMergesAsDefined(t *testing.T) {
	s := random.New(2, "test/bpe")
	for _, size := range []int{256, 257, 300, 500} {
		b := trained(t, size)
		for range 300 {
			text := arbitrary(s, s.IntN(200))
			if got, want := b.Encode(text), mergedOneByOne(b, text); !slices.Equal(got, want) {
				t.Fatalf("%d tokens, %q: %v, want %v", size, text, got, want)
			}
		}
	}
}

// The rules of the pattern, one by one.
func TestPieces(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", ""},
		{"Hello world", "Hello| world"},
		{"it's they'll I'm we've you're he'd don't", "it|'s| they|'ll| I|'m| we|'ve| you|'re| he|'d| don|'t"},
		{"IT'S", "IT|'|S"},           // contractions are in small letters
		{"'sea", "'s|ea"},            // wherever a piece begins
		{" 's", " '|s"},              // and a blank begins one before
		{"''s", "''|s"},              // and so does an apostrophe
		{"a  b", "a| | b"},           // the last blank joins the word
		{"a   b", "a|  | b"},         //
		{"a \n b", "a| \n| b"},       //
		{"a\nb", "a|\n|b"},           // what is no blank does not join
		{"a\n\nb", "a|\n|\n|b"},      //
		{"a \tb", "a| |\t|b"},        //
		{"a  ", "a|  "},              // at the end all are one
		{" ", " "},                   //
		{"\u00a0x", "\u00a0|x"},      //
		{"a\u3000 b", "a|\u3000| b"}, //
		{"x1y22 3", "x|1|y|22| 3"},   //
		{"½ Ⅷ ٣", "½| Ⅷ| ٣"},         // numbers of any kind
		{"naïve 日本", "naïve| 日本"},    // letters of any kind
		{"e\u0301", "e|\u0301"},      // a mark is no letter
		{"a, b... c!", "a|,| b|...| c|!"},
		{" !?a", " !?|a"},
		{"a\xff\xfeb", "a|\xff\xfe|b"},
		{"a \x80", "a| \x80"},
		{"\x1c\x1d", "\x1c\x1d"}, // separators are not white space in Unicode
		{"\ufffd a", "\ufffd| a"},
	} {
		if got := strings.Join(slices.Collect(Pieces(test.text)), "|"); got != test.want {
			t.Errorf("%q: %q, want %q", test.text, got, test.want)
		}
	}
	for range Pieces("two words") {
		break // a loop that ends early is let go
	}
}

// What is merged, in which order, follows from counts; see Sennrich et al. 2016, Fig. 1.
func TestTrainBPE(t *testing.T) {
	text := strings.Repeat(" low", 5) + strings.Repeat(" lower", 2) + strings.Repeat(" newest", 6) + strings.Repeat(" widest", 3)
	b, err := TrainBPE(text, 256+8, "<|endoftext|>")
	if err != nil {
		t.Fatal(err)
	}
	// Of what ties (es and st, 9 times; lo, ow and “ l”, 7; ew, ne, “ n” and west, 6) the
	// pair whose ids are least is merged, and a blank's is greater than those of letters.
	want := []string{"es", "est", "lo", " lo", " low", "ew", "new", "<|endoftext|>"}
	if got := b.tokens[256:]; !slices.Equal(got, want) {
		t.Errorf("merges are %q, want %q", got, want)
	}
	if got, want := b.Encode(" lowest"), []int32{260, 257}; !slices.Equal(got, want) {
		t.Errorf(" lowest is %v, want %v", got, want)
	}
	if id, ok := b.Special("<|endoftext|>"); !ok || int(id) != b.Size()-1 {
		t.Errorf("the special token is %d, %v", id, ok)
	}
	if again, err := TrainBPE(text, 256+8, "<|endoftext|>"); err != nil || !slices.Equal(again.tokens, b.tokens) {
		t.Errorf("trained again: %v", err)
	}
}

// Every merge that training chooses is of a pair that is most frequent then.
func TestTrainBPEMergesTheMostFrequent(t *testing.T) {
	b := trained(t, 330)
	smaller := &BPE{tokens: b.tokens, ids: b.ids, bytes: b.bytes, merges: map[pair]merged{}}
	for rank, p := range b.order {
		counts := map[pair]int{}
		for piece := range Pieces(prose + prose) {
			list := mergedOneByOne(smaller, piece)
			for i := 1; i < len(list); i++ {
				counts[pair{list[i-1], list[i]}]++
			}
		}
		for q, n := range counts {
			if n > counts[p] || n == counts[p] && q.before(p) {
				t.Fatalf("merge %d is %q %q, %d times; %q %q is there %d times", rank, b.Token(p.left), b.Token(p.right),
					counts[p], b.Token(q.left), b.Token(q.right), n)
			}
		}
		smaller.learn(p, b.merges[p].token)
	}
}

func TestTrainBPEStopsWhereNothingOccursTwice(t *testing.T) {
	b, err := TrainBPE("abcabc", 1000)
	if err != nil || b.Size() != 258 {
		t.Fatalf("%v, %v", b, err)
	}
	if b, err = TrainBPE("", 256); err != nil || b.Size() != 256 {
		t.Fatalf("%v, %v", b, err)
	}
	for want, make := range map[string]func() (*BPE, error){
		"token: a vocabulary size of 255 is outside [256, 16777216]: it includes the 256 bytes and the special tokens": func() (*BPE, error) {
			return TrainBPE("a", 255)
		},
		"token: a vocabulary size of 256 is outside [257, 16777216]: it includes the 256 bytes and the special tokens": func() (*BPE, error) {
			return TrainBPE("a", 256, "<x>")
		},
		`token: the special token "end" is not of the form <…>, such as <|endoftext|>`: func() (*BPE, error) {
			return TrainBPE("a", 300, "end")
		},
		`token: the special token "<a>" is given twice; give it once`: func() (*BPE, error) {
			return TrainBPE("a", 300, "<a>", "<a>")
		},
		`token: the special token "<|>" is also a token learned from the text; give it another name`: func() (*BPE, error) {
			return TrainBPE("<|> <|> <|>", 300, "<|>")
		},
	} {
		if _, err := make(); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func TestDecodeRefusesWhatIsNoToken(t *testing.T) {
	b := trained(t, 300)
	for _, test := range []struct {
		tokens []int32
		want   string
	}{
		{[]int32{0, 300}, "token: token 300 at position 2 is outside the vocabulary [0, 299]"},
		{[]int32{-1}, "token: token -1 at position 1 is outside the vocabulary [0, 299]"},
	} {
		if _, err := b.Decode(test.tokens); err == nil || err.Error() != test.want {
			t.Errorf("%v: %v, want %s", test.tokens, err, test.want)
		}
	}
}

// Bytes are written as characters that no white space is among, and come back.
func TestBytesAreWrittenAsCharacters(t *testing.T) {
	seen := map[rune]bool{}
	for c, r := range byteRunes() {
		if seen[r] || len(strings.Fields(string(r))) != 1 {
			t.Errorf("byte %d is written %q", c, r)
		}
		seen[r] = true
		if token, ok := read(string(r)); !ok || token != string([]byte{byte(c)}) {
			t.Errorf("%q is read as %q", r, token)
		}
	}
	if got := written(" é\n"); got != "ĠÃ©Ċ" { // GPT-2's files have them so
		t.Errorf("written %q", got)
	}
	if got, ok := read("日"); ok {
		t.Errorf("read %q", got)
	}
	if !utf8.ValidString(written("\xff\x00")) {
		t.Error("what is written is no UTF-8")
	}
}

// The time of a piece grows with n·log n, not n²: a million bytes of one piece.
func BenchmarkEncode(b *testing.B) {
	bpe := trained(b, 400)
	for _, bench := range []struct{ name, text string }{
		{"prose", strings.Repeat(prose, 200)},
		{"one piece", strings.Repeat("signaltoken", 10_000)},
		{"one letter", strings.Repeat("a", 100_000)},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.SetBytes(int64(len(bench.text)))
			for b.Loop() {
				bpe.Encode(bench.text)
			}
		})
	}
}

func BenchmarkTrainBPE(b *testing.B) {
	text := strings.Repeat(prose, 20)
	for b.Loop() {
		if _, err := TrainBPE(text, 500); err != nil {
			b.Fatal(err)
		}
	}
}
