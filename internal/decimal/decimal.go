// Package decimal makes the numbers of flags decimal. Package pflag reads them as Go's
// source does, so that 010 is eight, 0x10 sixteen, and 0x1p-2 a quarter.
package decimal

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// Flags makes the flags of a set that are numbers take decimal ones alone.
func Flags(set *pflag.FlagSet) {
	set.VisitAll(func(f *pflag.Flag) {
		if parse := parsers[f.Value.Type()]; parse != nil {
			f.Value = value{f.Value, parse}
		}
	})
}

// parsers are functions by the type of a flag that write its text anew, in a form that
// means the same to pflag.
var parsers = map[string]func(text string) (string, error){
	"int": func(text string) (string, error) {
		n, err := strconv.ParseInt(text, 10, strconv.IntSize)
		return strconv.FormatInt(n, 10), err
	},
	"uint64": func(text string) (string, error) {
		n, err := strconv.ParseUint(text, 10, 64)
		return strconv.FormatUint(n, 10), err
	},
	"float64": func(text string) (string, error) {
		if strings.ContainsAny(text, "xX_") {
			return "", &strconv.NumError{Func: "ParseFloat", Num: text, Err: strconv.ErrSyntax}
		}
		return text, nil
	},
}

// value is a flag's value that is set by a decimal number.
type value struct {
	pflag.Value
	parse func(text string) (string, error)
}

// Set sets the value.
func (v value) Set(text string) error {
	text, err := v.parse(text)
	if err != nil {
		return err
	}
	return v.Value.Set(text)
}

// Plain makes an error of package pflag say of a flag that should be a number what it
// should be, not which function could not parse it.
func Plain(err error) error {
	var number *strconv.NumError
	if !errors.As(err, &number) {
		return err
	}
	flag, _, _ := strings.Cut(err.Error(), ": strconv.")
	switch {
	case errors.Is(number, strconv.ErrRange):
		return fmt.Errorf("%s: the number is too large", flag)
	case number.Func == "ParseUint":
		return fmt.Errorf("%s: want a whole number of at least 0", flag)
	case number.Func == "ParseFloat":
		return fmt.Errorf("%s: want a number, such as 0.5", flag)
	case number.Func == "ParseBool":
		return fmt.Errorf("%s: want true or false", flag)
	}
	return fmt.Errorf("%s: want a whole number", flag)
}
