package token

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"foretell/internal/durable"
	"foretell/internal/limit"
)

// The files of GPT-2's vocabulary in a model folder.
const (
	VocabFile  = "vocab.json"
	MergesFile = "merges.txt"
)

// The size limits of each file and of a merge, in bytes. GPT-2's files have one million
// and half a million bytes, and its longest merge has 128 bytes.
const (
	mostVocabulary = 16 << 20
	longestMerge   = 4096
)

// LoadBPE reads vocab.json and merges.txt from a folder; see [ReadBPE].
func LoadBPE(dir string) (*BPE, error) {
	vocab, err := limit.ReadFile(filepath.Join(dir, VocabFile), "a vocabulary", mostVocabulary)
	if err != nil {
		return nil, err
	}
	merges, err := limit.ReadFile(filepath.Join(dir, MergesFile), "a list of merges", mostVocabulary)
	if err != nil {
		return nil, err
	}
	b, err := ReadBPE(vocab, merges)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return b, nil
}

// ReadBPE reads the contents of a vocab.json, which has the id of each token, and of a
// merges.txt, which has one merge of two tokens on each line. Tokens are written with one
// character for each byte (a space is Ġ).
//
// It returns an error that names the file and the line in each of these cases: the ids
// are not 0 … n−1, each once; a byte is not a token; a merge uses or makes a string that
// is not a token, precedes the merge that makes one of its tokens, or occurs twice; a
// token is not made by any merge and does not have the form of a special token (<…>).
func ReadBPE(vocab, merges []byte) (*BPE, error) {
	names, err := readVocab(vocab)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", VocabFile, err)
	}
	b := &BPE{
		tokens: make([]string, len(names)), ids: map[string]int32{},
		special: map[string]int32{}, merges: map[pair]merged{},
	}
	ids := make(map[string]int32, len(names))
	for id, name := range names {
		ids[name] = int32(id)
	}
	for c, r := range byteRunes() {
		id, ok := ids[string(r)]
		if !ok {
			return nil, fmt.Errorf("%s: the byte %#02x, written %q, is not a token; each of the 256 bytes must be one",
				VocabFile, c, string(r))
		}
		b.bytes[c] = id
		b.name(id, string([]byte{byte(c)}))
	}
	if err := b.readMerges(ids, merges); err != nil {
		return nil, fmt.Errorf("%s: %w", MergesFile, err)
	}
	for id, name := range names {
		if b.tokens[id] != "" {
			continue
		}
		if !isSpecial(name) {
			return nil, fmt.Errorf("%s: the token %q is not made by any line of %s; "+
				"use two files of the same vocabulary",
				VocabFile, name, MergesFile)
		}
		b.tokens[id], b.special[name] = name, int32(id)
	}
	return b, nil
}

// name records the bytes of the token with the given id.
func (b *BPE) name(id int32, token string) { b.tokens[id], b.ids[token] = token, id }

// isSpecial reports whether name has the form of a special token.
func isSpecial(name string) bool {
	return len(name) > 2 && strings.HasPrefix(name, "<") && strings.HasSuffix(name, ">")
}

// readVocab returns the names of the tokens in a vocab.json, indexed by id.
func readVocab(data []byte) ([]string, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return nil, errors.New(`is not a JSON object of tokens and their ids, such as {"a": 0, "b": 1}`)
	}
	type entry struct {
		name string
		id   int64
	}
	var entries []entry
	for d.More() {
		var e entry
		key, err := d.Token()
		if err == nil {
			e.name, _ = key.(string)
			e.id, err = readID(d)
		}
		if err != nil {
			return nil, fmt.Errorf("after %d tokens: %w; an entry is a token and its id, such as \"a\": 0",
				len(entries), err)
		}
		entries = append(entries, e)
	}
	if _, err := d.Token(); err != nil {
		return nil, fmt.Errorf("ends after %d tokens without the closing }", len(entries))
	}
	if d.More() {
		return nil, errors.New("has more text after its closing }; remove it")
	}
	names, ids := make([]string, len(entries)), make(map[string]int64, len(entries))
	taken := make([]bool, len(entries))
	for _, e := range entries {
		if before, twice := ids[e.name]; twice {
			return nil, fmt.Errorf("the token %q has the ids %d and %d; give it one id", e.name, before, e.id)
		}
		if e.id < 0 || e.id >= int64(len(entries)) {
			return nil, fmt.Errorf("the token %q has the id %d; the ids of %d tokens must be 0 to %d, without gaps",
				e.name, e.id, len(entries), len(entries)-1)
		}
		if taken[e.id] {
			return nil, fmt.Errorf("the tokens %q and %q have the same id %d; each needs its own",
				names[e.id], e.name, e.id)
		}
		names[e.id], ids[e.name], taken[e.id] = e.name, e.id, true
	}
	return names, nil
}

// readID reads the id of a token. It decodes into a pointer to detect null: into a
// number, package json would decode null without an error.
func readID(d *json.Decoder) (int64, error) {
	var id *int64
	if err := d.Decode(&id); err != nil {
		return 0, err
	}
	if id == nil {
		return 0, errors.New("null is not an id")
	}
	return *id, nil
}

// readMerges reads a merges.txt; ids maps the tokens, as written in the files, to their
// ids.
func (b *BPE) readMerges(ids map[string]int32, data []byte) error {
	number := 0
	for line := range strings.Lines(string(data)) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if line == "" || number == 1 && strings.HasPrefix(line, "#version") {
			continue
		}
		if len(line) > longestMerge {
			return fmt.Errorf("line %d: has %d bytes; a merge is two tokens separated by a space, "+
				"at most %d bytes", number, len(line), longestMerge)
		}
		if err := b.readMerge(ids, line); err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
	}
	return nil
}

// readMerge reads one line of a merges.txt.
func (b *BPE) readMerge(ids map[string]int32, line string) error {
	left, right, ok := strings.Cut(line, " ")
	if !ok || left == "" || right == "" || strings.Contains(right, " ") {
		return fmt.Errorf("%q is not a merge; write two tokens separated by a space, such as Ġ t", line)
	}
	var p pair
	for _, half := range []struct {
		name string
		id   *int32
	}{{left, &p.left}, {right, &p.right}} {
		token, readable := read(half.name)
		id, known := b.ids[token]
		if _, somewhere := ids[half.name]; readable && !known && somewhere {
			return fmt.Errorf("the merge %q uses %q before a line makes %[2]q; move that line up", line, half.name)
		}
		if !readable || !known {
			return fmt.Errorf("the merge %q uses %q, which is not a token in %s", line, half.name, VocabFile)
		}
		*half.id = id
	}
	id, ok := ids[left+right]
	if !ok {
		return fmt.Errorf("the merge %q makes %q, which is not a token in %s", line, left+right, VocabFile)
	}
	if _, twice := b.merges[p]; twice {
		return fmt.Errorf("the merge %q occurs twice; remove one of the lines", line)
	}
	b.name(id, b.tokens[p.left]+b.tokens[p.right])
	b.learn(p, id)
	return nil
}

// Save writes the vocabulary to a folder as vocab.json and merges.txt. It creates the
// folder if necessary. [LoadBPE] and Hugging Face's tokenizers can read these files.
func (b *BPE) Save(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	vocab, err := b.vocabJSON()
	if err != nil {
		return err
	}
	if err := durable.WriteFile(filepath.Join(dir, VocabFile), vocab); err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(dir, MergesFile), b.mergesText())
}

// vocabJSON returns the contents of vocab.json.
func (b *BPE) vocabJSON() ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	for id, token := range b.tokens {
		name := written(token)
		if _, special := b.special[token]; special && b.special[token] == int32(id) {
			name = token
		}
		out.WriteString(map[bool]string{true: "{", false: ", "}[id == 0])
		if err := enc.Encode(name); err != nil {
			return nil, err
		}
		out.Truncate(out.Len() - 1) // removes the encoder's newline
		fmt.Fprintf(&out, ": %d", id)
	}
	out.WriteString("}\n")
	return out.Bytes(), nil
}

// mergesText returns the contents of merges.txt.
func (b *BPE) mergesText() []byte {
	var out bytes.Buffer
	out.WriteString("#version: 0.2\n")
	for _, p := range b.order {
		fmt.Fprintf(&out, "%s %s\n", written(b.tokens[p.left]), written(b.tokens[p.right]))
	}
	return out.Bytes()
}
