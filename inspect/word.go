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
	"foretell/internal/strict"
	"foretell/model"
)

// ParseWord reads a word as a person writes it: numbers of tokens or the names that they
// have, separated by commas, or by spaces as samples are printed. A name that is a number
// does not count, and no names are known where names is nil. What is no token is an error
// that shows how to write one; whether the word can occur is not looked at.
func ParseWord(text string, names []string) ([]int32, error) {
	fields := strings.Fields(text)
	if strings.Contains(text, ",") {
		fields = strings.Split(text, ",")
	}
	var word []int32
	for i, field := range fields {
		field = strings.TrimSpace(field)
		if at := slices.Index(names, field); at >= 0 && !isNumber(field) {
			word = append(word, int32(at))
			continue
		}
		n, err := strconv.ParseInt(field, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("%q at position %d is not a token; %s", brief(field), i+1, meant(field, names))
		}
		word = append(word, int32(n))
	}
	return word, nil
}

// FormatWord writes a word as [ParseWord] reads it, tokens separated by spaces: by their
// names where every name can be read back from a command line, and by number otherwise,
// as where a name is a number, has a space or a comma, or there are no names.
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
func brief(field string) string {
	if runes := []rune(field); len(runes) > longestField {
		return string(runes[:longestField-1]) + "…"
	}
	return field
}

// longestField is far above the name of any token.
const longestField = 60

// mostWord bounds the bytes of a file of tokens.
const mostWord = 16 << 20

// ReadWord returns a word as a person writes it, for [ParseWord]: a text as it is, or
// what the file of @FILE holds, or for - what comes from stdin, 16 MiB at most, whose
// lines end a token, too. Errors are those of reading, a [limit.Error] for what is not
// read.
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
		if line = strings.TrimSuffix(strings.TrimSpace(line), ","); line != "" {
			lines = append(lines, line)
		}
	}
	if strings.Contains(string(data), ",") {
		return strings.Join(lines, ","), nil
	}
	return strings.Join(lines, " "), nil
}

// examples shows how tokens can be written.
// meant says which name a field that is no token was probably to be, or how tokens are
// written.
func meant(field string, names []string) string {
	if near := strict.Nearest(brief(field), names); near != "" && !isNumber(near) {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "write tokens as " + examples(names)
}

func examples(names []string) string {
	named := strings.Join(names[:min(3, len(names))], ",")
	if named == "" || isNumber(names[0]) {
		return "0,1,2"
	}
	return "0,1,2 or by their names, as " + named
}

func isNumber(text string) bool {
	_, err := strconv.Atoi(text)
	return err == nil
}

// CheckLength returns an error unless a word is as long as a model takes.
func CheckLength(c model.Config, word []int32) error {
	if len(word) < 1 || len(word) > c.NCtx {
		return fmt.Errorf("%d tokens given; the model takes 1 to %d, such as 0,1", len(word), c.NCtx)
	}
	return nil
}
