package printable

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"
)

// Sprintf is [fmt.Sprintf] for people: texts among the arguments are shown as [Text] has
// them, so that the format alone has line breaks, tabs and colours.
func Sprintf(format string, args ...any) string {
	for i, arg := range args { // in their place, for vet to see that it is a Sprintf
		args[i] = showable(arg)
	}
	return fmt.Sprintf(format, args...)
}

// Fprintf prints what [Sprintf] returns. An error is out's to keep.
func Fprintf(out io.Writer, format string, args ...any) {
	_, _ = fmt.Fprint(out, Sprintf(format, args...))
}

// showable returns an argument as it can be shown.
func showable(arg any) any {
	switch arg := arg.(type) {
	case error:
		return Text(OneLine(arg))
	case fmt.Stringer:
		return Text(arg.String())
	}
	if value := reflect.ValueOf(arg); value.Kind() == reflect.String {
		return Text(value.String())
	}
	return arg
}

// Error returns the [Message] of an error. args are the program's arguments: a long one
// is cut wherever it stands in the text, whatever it holds.
func Error(err error, args []string) string {
	text := Text(OneLine(err))
	for _, arg := range args {
		_, value, _ := strings.Cut(arg, "=")
		for _, long := range []string{arg, value} {
			if utf8.RuneCountInString(long) > LongestPiece {
				text = strings.ReplaceAll(text, Text(long), Cut(Text(long), LongestPiece))
			}
		}
	}
	return Message(text)
}

// OneLine returns an error's text with those that [errors.Join] has joined beside each
// other, with semicolons, not below. Other line breaks are somebody's and stay.
func OneLine(err error) string {
	text := err.Error()
	switch err := err.(type) {
	case interface{ Unwrap() error }:
		if cause := err.Unwrap(); cause != nil {
			text = strings.Replace(text, cause.Error(), OneLine(cause), 1)
		}
	case interface{ Unwrap() []error }:
		causes := err.Unwrap()
		texts := make([]string, len(causes))
		for i, cause := range causes {
			texts[i] = OneLine(cause)
		}
		if text == errors.Join(causes...).Error() {
			return strings.Join(texts, "; ")
		}
		for i, cause := range causes {
			text = strings.Replace(text, cause.Error(), texts[i], 1)
		}
	}
	return text
}

// ShellLine writes a command line so that a shell reads each of its words as one.
func ShellLine(words ...string) string {
	var list []string
	for _, word := range words {
		list = append(list, ShellWord(word))
	}
	return strings.Join(list, " ")
}

// ShellWord writes a word so that a shell reads it as one. What does not show in it is
// escaped as bash, zsh and ksh read it.
func ShellWord(word string) string {
	bare := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./,=:+@%", r)
	}
	switch {
	case word != "" && strings.IndexFunc(word, func(r rune) bool { return !bare(r) }) < 0:
		return word
	case shows(word):
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	var quoted strings.Builder
	for _, c := range []byte(word) {
		switch {
		case c == '\'' || c == '\\':
			quoted.WriteString(`\` + string(rune(c)))
		case c >= ' ' && c < 0x7f:
			quoted.WriteByte(c)
		default:
			fmt.Fprintf(&quoted, `\x%02x`, c)
		}
	}
	return "$'" + quoted.String() + "'"
}
