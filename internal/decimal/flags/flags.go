// Package flags makes numeric flags accept the numbers of package decimal. Package pflag
// parses numbers as Go source, in which 010 is eight and 0x10 is sixteen.
package flags

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"foretell/internal/decimal"

	"github.com/spf13/pflag"
)

// Decimal makes all numeric flags of a set accept only decimal numbers.
func Decimal(set *pflag.FlagSet) {
	set.VisitAll(func(f *pflag.Flag) {
		if parse := parsers[f.Value.Type()]; parse != nil {
			f.Value = value{f.Value, parse}
		}
	})
}

// parsers maps each type of numeric flag to a function that checks a number and returns
// it in a form that pflag parses as the same number.
var parsers = map[string]func(text string) (string, error){
	"int": func(text string) (string, error) {
		z, err := decimal.Whole(text)
		switch {
		case err != nil:
			return "", wrong("ParseInt", text, err)
		case !z.IsInt64():
			return "", wrong("ParseInt", text, strconv.ErrRange)
		}
		return z.String(), nil
	},
	"uint64": func(text string) (string, error) {
		z, err := decimal.Whole(text)
		switch {
		case err != nil:
			return "", wrong("ParseUint", text, err)
		case z.Sign() < 0:
			return "", wrong("ParseUint", text, strconv.ErrSyntax)
		case !z.IsUint64():
			return "", wrong("ParseUint", text, strconv.ErrRange)
		}
		return z.String(), nil
	},
	"float64": func(text string) (string, error) {
		if _, err := decimal.Parse(text, 64); err != nil {
			return "", wrong("ParseFloat", text, err)
		}
		return text, nil
	},
}

// wrong returns an error of parsing text, in the form that [Plain] recognises.
func wrong(function, text string, err error) error {
	return &strconv.NumError{Func: function, Num: text, Err: err}
}

// value is the value of a flag that accepts a decimal number.
type value struct {
	pflag.Value
	parse func(text string) (string, error)
}

// Set parses text as a decimal number and sets the flag's value.
func (v value) Set(text string) error {
	text, err := v.parse(text)
	if err != nil {
		return err
	}
	return v.Value.Set(text)
}

// Plain rewords an error of package pflag about a numeric flag: the new message says what
// the flag accepts, instead of naming the function that failed.
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
	}
	return fmt.Errorf("%s: want a whole number", flag)
}
