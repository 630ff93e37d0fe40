package strict

import (
	"errors"
	"fmt"
)

// FieldError says which field of a configuration is wrong, and what would be right.
type FieldError struct {
	Path   string // as in the configuration: "d_head", "params.x", "transitions[2].from"
	Reason string // what follows the path in the message
}

func (e *FieldError) Error() string { return e.Path + " " + e.Reason }

// Fieldf returns a FieldError of a formatted reason.
func Fieldf(path, format string, arguments ...any) *FieldError {
	return &FieldError{path, fmt.Sprintf(format, arguments...)}
}

// Within puts a section's name before the field that an error is about. Any other error
// it returns as it is.
func Within(section string, err error) error {
	var field *FieldError
	if errors.As(err, &field) {
		return &FieldError{section + "." + field.Path, field.Reason}
	}
	return err
}

// Explain puts before an error about a field the place where the field was given. Any
// other error it returns as it is.
func (d *Document) Explain(err error) error {
	var field *FieldError
	if errors.As(err, &field) {
		return &locatedError{at: d.Locate(field.Path), message: err.Error(), cause: err}
	}
	return err
}
