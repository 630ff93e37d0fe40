package inspect

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"foretell/internal/limit"
	"foretell/internal/printable"
	"foretell/internal/random"
	"foretell/internal/strict"
	"foretell/model"
	"foretell/process"
)

// ParseWord reads a word as a person writes it: tokens of the process by number or by
// name, separated by commas, or by spaces as samples are printed. A name that is a number
// does not count. Text that is not a token is an error that shows how to write one, with
// a word that can occur; a word that cannot occur is not an error.
func (s Subject) ParseWord(text string) ([]int32, error) {
	names := s.Process.Tokens()
	known := alphabet{len(names), names}
	return known.parseWord(text, func() string { return spelled(someWord(s.Process, fewTokens), names) })
}

// ParseWord is [Subject.ParseWord] for the tokens of the model, which takes 1 to n_ctx
// of them.
func (m *Model) ParseWord(text string) ([]int32, error) {
	word, err := m.ParsePrompt(text)
	if err == nil {
		err = m.checkLength(word)
	}
	if err != nil {
		return nil, err
	}
	return word, nil
}

// CheckWord returns an error unless the model's alphabet has the tokens of a word and,
// where the model is written by hand, its process emits it: the weights of others mean
// nothing then.
func (m *Model) CheckWord(word []int32) error {
	if err := m.Config().CheckTokens(word); err != nil {
		return err
	}
	return m.possible(word)
}

// possible is the error of a hand-written model's word that cannot occur, with one that
// can.
func (m *Model) possible(word []int32) error {
	if m.Crafted == nil {
		return nil
	}
	_, err := Optimum(m.Crafted.Process, word)
	if err != nil {
		err = fmt.Errorf("%w; one that can occur is %s", err, commas(m.someWord(fewTokens), m.Names()))
	}
	return err
}

// ParsePrompt is [Model.ParseWord] of a word of any length.
func (m *Model) ParsePrompt(text string) ([]int32, error) {
	known := alphabet{m.Config().DVocab, m.Names()}
	return known.parseWord(text, func() string { return spelled(m.someWord(fewTokens), known.names) })
}

// checkLength is [CheckLength] with a word that can occur in the model's process.
func (m *Model) checkLength(word []int32) error {
	if CheckLength(m.Config(), word) == nil {
		return nil
	}
	return lengthError(m.Config(), word, commas(m.someWord(2), m.Names()))
}

// lengthError is the error of a word of a wrong length, beside one of a right length.
func lengthError(c model.Config, word []int32, right string) error {
	return fmt.Errorf("%d tokens given; the model takes 1 to %d, such as %s", len(word), c.NCtx, right)
}

// alphabet are the tokens that a word may be written with.
type alphabet struct {
	size  int
	names []string // nil where tokens have only numbers
}

// parseWord reads a word; example writes one, for errors. A number outside the alphabet
// is not an error.
func (a alphabet) parseWord(text string, example func() string) ([]int32, error) {
	fields := strings.Fields(text)
	if strings.Contains(text, ",") {
		fields = strings.Split(text, ",")
	}
	var word []int32
	for i, field := range fields {
		field = strings.TrimSpace(field)
		token, ok := a.token(field)
		if !ok {
			return nil, fmt.Errorf("%q at position %d is not a token; %s", brief(field), i+1, a.meant(field, example))
		}
		word = append(word, token)
	}
	return word, nil
}

// token reads a token by its name or its number. Several tokens without a separator, as
// 012, are not one.
func (a alphabet) token(field string) (token int32, ok bool) {
	if at := slices.Index(a.names, field); at >= 0 && !isNumber(field) {
		return int32(at), true
	}
	n, err := strconv.ParseInt(field, 10, 32)
	plain := n >= 0 && n < int64(a.size) && !(len(field) > 1 && field[0] == '0')
	if err != nil || !plain && a.separated(field) != "" {
		return 0, false
	}
	return int32(n), true
}

// separated writes a field with commas between its characters, of which there are at
// least two. It is empty unless each of them is a token.
func (a alphabet) separated(field string) string {
	characters := strings.Split(field, "")
	if len(characters) < 2 {
		return ""
	}
	for _, c := range characters {
		if n, err := strconv.Atoi(c); err == nil && n < a.size || err != nil && slices.Contains(a.names, c) {
			continue
		}
		return ""
	}
	return strings.Join(characters, ",")
}

// FormatWord writes a word as [Subject.ParseWord] reads it, tokens separated by spaces:
// by their names where every name can be read back from a command line, and by number
// otherwise, as where a name is a number, has a space or a comma, or there are no
// names.
func FormatWord(word []int32, names []string) string {
	byName := !slices.ContainsFunc(names, unreadable) && distinct(names)
	var line []byte
	for i, z := range word {
		if i > 0 {
			line = append(line, ' ')
		}
		if byName && z >= 0 && int(z) < len(names) {
			line = append(line, names[z]...)
		} else {
			line = strconv.AppendInt(line, int64(z), 10)
		}
	}
	return string(line)
}

// unreadable says whether a name in a printed word would be read as something else, or
// would do more on a terminal than show.
func unreadable(name string) bool {
	return name == "" || name == "-" || name[0] == '@' || isNumber(name) || !utf8.ValidString(name) ||
		strings.ContainsFunc(name, func(r rune) bool { return r == ' ' || r == ',' || !unicode.IsPrint(r) })
}

// distinct says whether no two names are the same.
func distinct(names []string) bool {
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		seen[name] = true
	}
	return len(seen) == len(names)
}

// brief is a field as an error shows it.
func brief(field string) string { return printable.Start(field, longestField) }

// longestField is far above the name of any token.
const longestField = 60

// mostWord bounds the bytes of a file of tokens.
const mostWord = 16 << 20

// ReadWord returns a word as a person writes it, for [Subject.ParseWord]: a text as it
// is, or what the file of @FILE holds, or for - what comes from stdin, 16 MiB at most,
// whose lines end a token, too. Errors are those of reading, a [limit.Error] for what
// is not read.
func ReadWord(text string, stdin io.Reader) (string, error) {
	file, named := strings.CutPrefix(text, "@")
	var data []byte
	var err error
	switch {
	case named:
		data, err = limit.ReadFile(file, "a word", mostWord)
	case text == "-":
		data, err = limit.Read(stdin, "standard input", "a word", mostWord)
	default:
		return text, nil
	}
	if err != nil {
		return "", err
	}
	var lines []string
	for line := range strings.Lines(strings.TrimPrefix(string(data), "\ufeff")) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, strings.TrimSuffix(line, ","))
		}
	}
	if strings.Contains(string(data), ",") {
		return strings.Join(lines, ","), nil
	}
	return strings.Join(lines, " "), nil
}

// meant says which tokens were probably meant by a field that is not a token, or how
// tokens are written.
func (a alphabet) meant(field string, example func() string) string {
	if word := a.separated(field); word != "" {
		return fmt.Sprintf("did you mean %s?", brief(word))
	}
	if near := strict.Nearest(brief(field), a.names); near != "" && !isNumber(near) {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "write tokens as " + example()
}

// fewTokens is how many tokens the word of an error has.
const fewTokens = 3

// someWord is a word of at most so many tokens that can occur in a process: 0, 1, 2 where
// it can, or a sampled one; 0, 1, 2 where no process is known.
func someWord(p process.Sampler, most int) []int32 {
	word := []int32{0, 1, 2}[:min(most, fewTokens)]
	known, ok := p.(process.Process)
	if !ok {
		return word
	}
	if _, err := Optimum(known, word); err != nil {
		p.Sample(word, random.New(1, "inspect/word"))
	}
	return word
}

// someWord is a word that the model takes.
func (m *Model) someWord(most int) []int32 { return someWord(m.sampler(), min(most, m.Config().NCtx)) }

// spelled shows how a word is written, by number and by name.
func spelled(word []int32, names []string) string {
	numbers, named := commas(word, nil), commas(word, names)
	if named == numbers {
		return numbers
	}
	return numbers + " or by their names, as " + named
}

// commas is [FormatWord] with commas between tokens.
func commas(word []int32, names []string) string {
	return strings.ReplaceAll(FormatWord(word, names), " ", ",")
}

func isNumber(text string) bool {
	_, err := strconv.Atoi(text)
	return err == nil
}

// CheckLength returns an error unless a word is as long as a model takes.
func CheckLength(c model.Config, word []int32) error {
	if len(word) < 1 || len(word) > c.NCtx {
		return lengthError(c, word, "0,1")
	}
	return nil
}
