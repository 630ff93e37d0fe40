// Package flags makes the flags that are numbers take the numbers of package decimal.
// Package pflag reads them as Go source, in which 010 is eight and 0x10 is sixteen.
package flags

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"foretell/internal/decimal"

	"github.com/spf13/pflag"
)

// Decimal makes the flags of a set that are numbers read decimal numbers only.
func Decimal(set *pflag.FlagSet) {
	set.VisitAll(func(f *pflag.Flag) {
		if parse := parsers[f.Value.Type()]; parse != nil {
			f.Value = value{f.Value, parse}
		}
	})
}

// parsers are functions by the type of a flag. Each returns the number in a form that
// pflag reads as the same number.
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

// wrong is the error of a flag that [Plain] explains.
func wrong(function, text string, err error) error {
	return &strconv.NumError{Func: function, Num: text, Err: err}
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
	}
	return fmt.Errorf("%s: want a whole number", flag)
}
