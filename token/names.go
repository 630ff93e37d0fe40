package token

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"foretell/internal/limit"
	"foretell/internal/strict"
	"foretell/internal/text"
)

// Names are the names of an alphabet's tokens, by number. A token without a name, such as
// any token if Names is nil, is written as its number.
type Names []string

// Of returns the name of a token.
func (n Names) Of(token int32) string {
	if int(token) < len(n) {
		return n[token]
	}
	return strconv.Itoa(int(token))
}

// Join returns the names of the tokens of a sequence with a separator between them.
func (n Names) Join(word []int32, separator string) string {
	list := make([]string, len(word))
	for i, z := range word {
		list[i] = n.Of(z)
	}
	return strings.Join(list, separator)
}

// Format formats a sequence as [Names.Parse] reads it if the separator is a space or a
// comma. Tokens are names if every name can be read back from a command line. Otherwise
// they are numbers, for example if a name is a number or has a space or a comma.
func (n Names) Format(word []int32, separator string) string {
	byName := !slices.ContainsFunc(n, unreadable) && distinct(n)
	var line []byte
	for i, z := range word {
		if i > 0 {
			line = append(line, separator...)
		}
		if byName && z >= 0 && int(z) < len(n) {
			line = append(line, n[z]...)
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

// Parse parses a sequence as a person writes it: tokens of an alphabet of the given size
// by number or name, separated by commas or by spaces. A name that looks like a number is
// not recognised. Text that is not a token is an error, which shows an example of a valid
// sequence; a number outside the alphabet is not an error. The function example, which
// returns the example, is called only for an error.
func (n Names) Parse(word string, size int, example func() []int32) ([]int32, error) {
	fields := strings.Fields(word)
	if strings.Contains(word, ",") {
		fields = strings.Split(word, ",")
	}
	var tokens []int32
	for i, field := range fields {
		field = strings.TrimSpace(field)
		token, ok := n.token(field, size)
		if !ok {
			return nil, fmt.Errorf("%q at position %d is not a token; %s",
				text.Start(field, longestField), i+1, n.meant(field, size, example))
		}
		tokens = append(tokens, token)
	}
	return tokens, nil
}

// token parses a token from its name or its number. It does not accept several tokens
// without a separator, such as 012.
func (n Names) token(field string, size int) (token int32, ok bool) {
	if at := slices.Index(n, field); at >= 0 && !isNumber(field) {
		return int32(at), true
	}
	z, err := strconv.ParseInt(field, 10, 32)
	plain := z >= 0 && z < int64(size) && !(len(field) > 1 && field[0] == '0')
	if err != nil || !plain && n.separated(field, size) != "" {
		return 0, false
	}
	return int32(z), true
}

// separated returns a field with commas between its characters. It returns "" if there
// are fewer than two characters, or if one of them is not a token.
func (n Names) separated(field string, size int) string {
	characters := strings.Split(field, "")
	if len(characters) < 2 {
		return ""
	}
	for _, c := range characters {
		if z, err := strconv.Atoi(c); err == nil && z < size || err != nil && slices.Contains(n, c) {
			continue
		}
		return ""
	}
	return strings.Join(characters, ",")
}

// longestField is the largest number of characters of a field in an error message. It is
// far above the length of any token's name.
const longestField = 60

// meant returns a hint for a field that is not a token: the tokens that were probably
// meant, or else an example of how tokens are written, by number and, if that differs, by
// name.
func (n Names) meant(field string, size int, example func() []int32) string {
	if word := n.separated(field, size); word != "" {
		return fmt.Sprintf("did you mean %s?", text.Start(word, longestField))
	}
	if near := strict.Nearest(text.Start(field, longestField), n); near != "" && !isNumber(near) {
		return fmt.Sprintf("did you mean %q?", near)
	}
	word := example()
	numbers, named := Names(nil).Format(word, ","), n.Format(word, ",")
	if named == numbers {
		return "write tokens as " + numbers
	}
	return "write tokens as " + numbers + " or by their names, as " + named
}

func isNumber(text string) bool {
	_, err := strconv.Atoi(text)
	return err == nil
}

// mostWord is the largest size of a file of tokens in bytes.
const mostWord = 16 << 20

// ReadWord returns the text of a sequence for [Names.Parse]: if text is @FILE, the
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
