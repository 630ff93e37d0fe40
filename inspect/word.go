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
	"foretell/internal/random"
	"foretell/internal/strict"
	"foretell/internal/text"
	"foretell/model"
	"foretell/process"
)

// ParseWord parses a sequence as a person writes it: tokens of the process by number or
// name, separated by commas or by spaces, as samples are printed. A name that looks like
// a number is not recognised. Text that is not a token is an error, which shows an
// example of a valid sequence; a sequence of probability 0 is not an error.
func (s Subject) ParseWord(text string) ([]int32, error) {
	names := s.Process.Tokens()
	known := alphabet{len(names), names}
	return known.parseWord(text, func() string { return spelled(someWord(s.Process, fewTokens), names) })
}

// ParseWord is [Subject.ParseWord] for the tokens of the model, which takes 1 to n_ctx of
// them.
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

// CheckWord returns an error if a sequence has a token outside the model's alphabet. For
// a hand-written model, it also returns an error if the sequence has probability 0 under
// the model's process, because the weights are meaningless for such a sequence.
func (m *Model) CheckWord(word []int32) error {
	if err := m.Config().CheckTokens(word); err != nil {
		return err
	}
	return m.possible(word)
}

// possible returns an error if the model is hand-written and a sequence has probability 0
// under its process. The error shows a sequence of positive probability.
func (m *Model) possible(word []int32) error {
	if !m.byHand {
		return nil
	}
	_, err := Optimum(m.optimum, word)
	if err != nil {
		err = fmt.Errorf("%w; a possible sequence is %s", err, commas(m.someWord(fewTokens), m.Names()))
	}
	return err
}

// ParsePrompt is [Model.ParseWord] for a sequence of any length.
func (m *Model) ParsePrompt(text string) ([]int32, error) {
	known := alphabet{m.Config().DVocab, m.Names()}
	return known.parseWord(text, func() string { return spelled(m.someWord(fewTokens), known.names) })
}

// checkLength is [CheckLength], but the example in its error has positive probability
// under the model's process.
func (m *Model) checkLength(word []int32) error {
	if CheckLength(m.Config(), word) == nil {
		return nil
	}
	return lengthError(m.Config(), word, commas(m.someWord(2), m.Names()))
}

// lengthError returns the error for a sequence of a wrong length. example is a sequence
// of a valid length, to show in the error.
func lengthError(c model.Config, word []int32, example string) error {
	return fmt.Errorf("%d tokens given; the model takes 1 to %d, such as %s", len(word), c.NCtx, example)
}

// alphabet is the set of tokens that can occur in a sequence.
type alphabet struct {
	size  int
	names []string // nil if tokens have only numbers
}

// parseWord parses a sequence. A number outside the alphabet is not an error. The
// function example returns a valid sequence to show in errors.
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

// token parses a token from its name or its number. It does not accept several tokens
// without a separator, such as 012.
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

// separated returns a field with commas between its characters. It returns "" if there
// are fewer than two characters, or if one of them is not a token.
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

// FormatWord formats a sequence as [Subject.ParseWord] reads it, with spaces between
// tokens. Tokens are names if every name in names can be read back from a command line.
// Otherwise they are numbers, for example if a name is a number or has a space or a
// comma.
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

// unreadable reports whether a name in a printed sequence would be parsed as something
// else, or would control the terminal.
func unreadable(name string) bool {
	return name == "" || name == "-" || name[0] == '@' || isNumber(name) || !utf8.ValidString(name) ||
		strings.ContainsFunc(name, func(r rune) bool { return r == ' ' || r == ',' || !unicode.IsPrint(r) })
}

// distinct reports whether all names differ.
func distinct(names []string) bool {
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		seen[name] = true
	}
	return len(seen) == len(names)
}

// brief returns the beginning of a field, short enough for an error message.
func brief(field string) string { return text.Start(field, longestField) }

// longestField is the largest number of characters of a field in an error message. It is
// far above the length of any token's name.
const longestField = 60

// mostWord is the largest size of a file of tokens in bytes.
const mostWord = 16 << 20

// ReadWord returns the text of a sequence for [Subject.ParseWord]: if text is @FILE, the
// contents of the file; if it is -, the input from stdin; otherwise text itself. Files
// and stdin may have at most 16 MiB, and their line ends also separate tokens. It returns
// the errors of reading, and a [limit.Error] for input that is too large.
func ReadWord(text string, stdin io.Reader) (string, error) {
	file, named := strings.CutPrefix(text, "@")
	var data []byte
	var err error
	switch {
	case named:
		data, err = limit.ReadFile(file, "a sequence", mostWord)
	case text == "-":
		data, err = limit.Read(stdin, "standard input", "a sequence", mostWord)
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

// meant returns a hint for a field that is not a token: the tokens that were probably
// meant, or else an example of how tokens are written.
func (a alphabet) meant(field string, example func() string) string {
	if word := a.separated(field); word != "" {
		return fmt.Sprintf("did you mean %s?", brief(word))
	}
	if near := strict.Nearest(brief(field), a.names); near != "" && !isNumber(near) {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "write tokens as " + example()
}

// fewTokens is the number of tokens in an example.
const fewTokens = 3

// someWord returns an example of a sequence with at most n tokens, and at most three. If
// the process is known, the example has positive probability: it is 0, 1, 2 if possible,
// or else a sampled sequence. If no process is known, it is 0, 1, 2.
func someWord(p process.Sampler, n int) []int32 {
	word := []int32{0, 1, 2}[:min(n, fewTokens)]
	known, ok := p.(process.Process)
	if !ok {
		return word
	}
	if _, err := Optimum(known, word); err != nil {
		p.Sample(word, random.New(1, "inspect/word"))
	}
	return word
}

// someWord returns an example of a sequence that the model takes, with at most n tokens.
func (m *Model) someWord(n int) []int32 { return someWord(m.sampler, min(n, m.Config().NCtx)) }

// spelled returns a sequence as text: by number and, if that differs, also by name.
func spelled(word []int32, names []string) string {
	numbers, named := commas(word, nil), commas(word, names)
	if named == numbers {
		return numbers
	}
	return numbers + " or by their names, as " + named
}

// commas is [FormatWord] with commas instead of spaces between tokens.
func commas(word []int32, names []string) string {
	return strings.ReplaceAll(FormatWord(word, names), " ", ",")
}

func isNumber(text string) bool {
	_, err := strconv.Atoi(text)
	return err == nil
}

// CheckLength returns an error unless a sequence has a length that the model takes.
func CheckLength(c model.Config, word []int32) error {
	if len(word) < 1 || len(word) > c.NCtx {
		return lengthError(c, word, "0,1")
	}
	return nil
}
