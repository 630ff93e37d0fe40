package parquettable

import (
	"errors"
	"io"
)

// Write returns an error. The writer of Parquet would make the engine of a page twice as
// large.
func Write(io.Writer, []Column) error {
	return errors.New("a page writes no Parquet; foretell does")
}
