package token

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// sameBPE fails unless two vocabularies are one.
func sameBPE(t *testing.T, got, want *BPE) {
	t.Helper()
	if !slices.Equal(got.tokens, want.tokens) || got.bytes != want.bytes || !slices.Equal(got.order, want.order) ||
		!maps.Equal(got.ids, want.ids) || !maps.Equal(got.special, want.special) || !maps.Equal(got.merges, want.merges) {
		t.Error("the vocabularies differ")
	}
}

func TestBPEGoesThroughItsFiles(t *testing.T) {
	for _, special := range [][]string{nil, {"<|endoftext|>"}, {"<a>", "<é\"\\>", "<Ġ>"}} {
		b, dir := trained(t, 380, special...), filepath.Join(t.TempDir(), "new")
		if err := b.Save(dir); err != nil {
			t.Fatal(err)
		}
		got, err := LoadBPE(dir)
		if err != nil {
			t.Fatal(err)
		}
		sameBPE(t, got, b)
	}
}

// GPT-2's own files escape what is not ASCII, and a line may end as Windows ends it.
func TestReadBPETakesWhatOthersWrite(t *testing.T) {
	b := trained(t, 300)
	vocab, err := b.vocabJSON()
	if err != nil {
		t.Fatal(err)
	}
	var escaped strings.Builder
	for _, r := range string(vocab) {
		if r < 0x80 {
			escaped.WriteRune(r)
		} else {
			fmt.Fprintf(&escaped, `\u%04x`, r)
		}
	}
	merges := strings.ReplaceAll(string(b.mergesText()), "\n", "\r\n")
	for _, text := range []string{merges, strings.TrimPrefix(merges, "#version: 0.2\r\n"), strings.TrimSpace(merges)} {
		got, err := ReadBPE([]byte(escaped.String()), []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		sameBPE(t, got, b)
	}
}

// What is wrong with files is said in a line, with the file and where.
func TestReadBPERefuses(t *testing.T) {
	b, err := TrainBPE("abab abc abc", 260, "<end>")
	if err != nil {
		t.Fatal(err)
	}
	good, err := b.vocabJSON()
	if err != nil {
		t.Fatal(err)
	}
	merges := string(b.mergesText())
	if want := "#version: 0.2\na b\nĠ ab\nĠab c\n"; merges != want {
		t.Fatalf("merges are %q", merges)
	}
	vocab := func(old, new string) string {
		if !strings.Contains(string(good), old) {
			t.Fatalf("the vocabulary has no %s", old)
		}
		return strings.Replace(string(good), old, new, 1)
	}
	for _, test := range []struct{ vocab, merges, want string }{
		{"", merges, `vocab.json: is not a JSON object of tokens and their ids, such as {"a": 0, "b": 1}`},
		{"[1]", merges, `vocab.json: is not a JSON object of tokens and their ids, such as {"a": 0, "b": 1}`},
		{"{}", merges, `vocab.json: the byte 0x00, written "Ā", is not a token; each of the 256 bytes must be one`},
		{`{"a": 0`, merges, "vocab.json: ends after 1 tokens without the closing }"},
		{`{"a": null}`, merges, "vocab.json: after 0 tokens: null is not an id; an entry is a token and its id, such as \"a\": 0"},
		{`{"a": 0}{`, merges, "vocab.json: has more text after its closing }; remove it"},
		{`{"a": "b"}`, merges, `vocab.json: after 0 tokens: json: cannot unmarshal string into Go value of type int64; an entry is a token and its id, such as "a": 0`},
		{`{"a": 1e99}`, merges, `vocab.json: after 0 tokens: json: cannot unmarshal number 1e99 into Go value of type int64; an entry is a token and its id, such as "a": 0`},
		{vocab(`"ab": 256`, `"ab": 257`), merges, `vocab.json: the tokens "ab" and "Ġab" have the same id 257; each needs its own`},
		{vocab(`"ab": 256`, `"ab": 260`), merges, `vocab.json: the token "ab" has the id 260; the ids of 260 tokens must be 0 to 259, without gaps`},
		{vocab(`"ab": 256`, `"ab": -1`), merges, `vocab.json: the token "ab" has the id -1; the ids of 260 tokens must be 0 to 259, without gaps`},
		{vocab(`"ab": 256, `, ``), merges, `vocab.json: the token "<end>" has the id 259; the ids of 259 tokens must be 0 to 258, without gaps`},
		{vocab(`"<end>": 259`, `"ab": 259`), merges, `vocab.json: the token "ab" has the ids 256 and 259; give it one id`},
		{vocab(`"<end>"`, `"end"`), merges, `vocab.json: the token "end" is not made by any line of merges.txt; use two files of the same vocabulary`},
		{vocab(`"a":`, `"aa":`), merges, `vocab.json: the byte 0x61, written "a", is not a token; each of the 256 bytes must be one`},
		{string(good), "", `vocab.json: the token "ab" is not made by any line of merges.txt; use two files of the same vocabulary`},
		{string(good), "a b\nab\n", `merges.txt: line 2: "ab" is not a merge; write two tokens separated by a space, such as Ġ t`},
		{string(good), "a  b\n", `merges.txt: line 1: "a  b" is not a merge; write two tokens separated by a space, such as Ġ t`},
		{string(good), "a b\na b\n", `merges.txt: line 2: the merge "a b" occurs twice; remove one of the lines`},
		{string(good), "a b\n" + strings.Repeat("a", 5000) + " b\n", `merges.txt: line 2: has 5002 bytes; a merge is two tokens separated by a space, at most 4096 bytes`},
		{string(good), "a z\n", `merges.txt: line 1: the merge "a z" makes "az", which is not a token in vocab.json`},
		{string(good), "a b\nzz ab\n", `merges.txt: line 2: the merge "zz ab" uses "zz", which is not a token in vocab.json`},
		{string(good), "日 b\n", `merges.txt: line 1: the merge "日 b" uses "日", which is not a token in vocab.json`},
		{string(good), "#version: 0.2\nĠ ab\na b\n", `merges.txt: line 2: the merge "Ġ ab" uses "ab" before a line makes "ab"; move that line up`},
	} {
		if _, err := ReadBPE([]byte(test.vocab), []byte(test.merges)); err == nil || err.Error() != test.want {
			t.Errorf("error %v, want %s", err, test.want)
		}
	}
}

func TestLoadBPESaysWhatIsMissing(t *testing.T) {
	dir := t.TempDir()
	if _, err := LoadBPE(dir); !os.IsNotExist(err) || !strings.Contains(err.Error(), "vocab.json") {
		t.Errorf("error %v", err)
	}
	if err := trained(t, 300).Save(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, MergesFile)); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadBPE(dir); !os.IsNotExist(err) || !strings.Contains(err.Error(), "merges.txt") {
		t.Errorf("error %v", err)
	}
}

// A file that is too large for a vocabulary is refused for its size, unread: these have
// no bytes on the disk.
func TestLoadBPERefusesLargeFiles(t *testing.T) {
	for name, what := range map[string]string{VocabFile: "a vocabulary", MergesFile: "a list of merges"} {
		dir := t.TempDir()
		if err := trained(t, 300).Save(dir); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name)
		if err := os.Truncate(path, 40e6); err != nil {
			t.Fatal(err)
		}
		want := path + " holds 40.0 MB; " + what + " has at most 16.8 MB"
		if _, err := LoadBPE(dir); err == nil || err.Error() != want {
			t.Errorf("%.300v, want %s", err, want)
		}
	}
}

// Files of any bytes are an error or a vocabulary that comes back.
func FuzzReadBPE(f *testing.F) {
	b := trained(f, 280, "<|endoftext|>")
	vocab, err := b.vocabJSON()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(vocab), string(b.mergesText()))
	f.Add(`{"a": 0}`, "a b")
	f.Fuzz(func(t *testing.T, vocab, merges string) {
		b, err := ReadBPE([]byte(vocab), []byte(merges))
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("%q is not one line", err)
			}
			return
		}
		roundTrip(t, b, prose)
		again, err := b.vocabJSON()
		if err != nil {
			t.Fatal(err)
		}
		got, err := ReadBPE(again, b.mergesText())
		if err != nil {
			t.Fatal(err)
		}
		sameBPE(t, got, b)
	})
}
