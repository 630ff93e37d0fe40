package strict

import (
	"errors"
	"fmt"
)

// FieldError reports a wrong field of a configuration.
type FieldError struct {
	Path   string // as in the configuration: "d_head", "params.x", "transitions[2].from"
	Reason string // the rest of the message: what is wrong and what would be right
}

func (e *FieldError) Error() string { return e.Path + " " + e.Reason }

// Fieldf returns a FieldError with a formatted reason.
func Fieldf(path, format string, arguments ...any) *FieldError {
	return &FieldError{path, fmt.Sprintf(format, arguments...)}
}

// Within prefixes the path in a FieldError with the name of a section. It returns other
// errors unchanged.
func Within(section string, err error) error {
	var field *FieldError
	if errors.As(err, &field) {
		return &FieldError{section + "." + field.Path, field.Reason}
	}
	return err
}

// Explain adds the position of the field to an error that wraps a FieldError. It returns
// other errors unchanged.
func (d *Document) Explain(err error) error {
	var field *FieldError
	if errors.As(err, &field) {
		return &locatedError{at: d.Locate(field.Path), message: err.Error(), cause: err}
	}
	return err
}
