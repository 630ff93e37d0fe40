package text

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"
)

// Sprintf is [fmt.Sprintf] for people: texts among the arguments are escaped by [Escape];
// only the format can contain line breaks, tabs and colours.
func Sprintf(format string, args ...any) string {
	for i, arg := range args { // changed in place, which lets vet recognise a Sprintf wrapper
		args[i] = showable(arg)
	}
	return fmt.Sprintf(format, args...)
}

// Fprintf writes the result of [Sprintf] to out. It ignores write errors; a writer that
// must report them has to record them itself.
func Fprintf(out io.Writer, format string, args ...any) {
	_, _ = fmt.Fprint(out, Sprintf(format, args...))
}

// showable returns an argument in a form that is safe to show.
func showable(arg any) any {
	switch arg := arg.(type) {
	case error:
		return Escape(OneLine(arg))
	case fmt.Stringer:
		return Escape(arg.String())
	}
	if value := reflect.ValueOf(arg); value.Kind() == reflect.String {
		return Escape(value.String())
	}
	return arg
}

// Error returns the [Message] of an error. args are the program's arguments: long
// arguments are shortened wherever they occur in the text.
func Error(err error, args []string) string {
	text := Escape(OneLine(err))
	for _, arg := range args {
		_, value, _ := strings.Cut(arg, "=")
		for _, long := range []string{arg, value} {
			if utf8.RuneCountInString(long) > LongestPiece {
				text = strings.ReplaceAll(text, Escape(long), Cut(Escape(long), LongestPiece))
			}
		}
	}
	return Message(text)
}

// OneLine returns an error's text in which errors joined by [errors.Join] are separated
// by semicolons instead of line breaks. Other line breaks stay.
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

// ShellLine quotes words such that a shell reads each of them as one word.
func ShellLine(words ...string) string {
	var list []string
	for _, word := range words {
		list = append(list, ShellWord(word))
	}
	return strings.Join(list, " ")
}

// ShellWord quotes a word such that a shell reads it as one word. Invisible characters
// are escaped in the syntax of bash, zsh and ksh.
func ShellWord(word string) string {
	bare := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("-_./,=:+@%", r)
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
