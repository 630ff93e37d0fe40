package strict

import "foretell/internal/limit"

// ReadFile returns the contents of a configuration's file, for [Parse]. A file that is
// longer than any configuration, or none, is an error; see [limit.ReadFile].
func ReadFile(path string) ([]byte, error) {
	return limit.ReadFile(path, "a configuration", MaxBytes)
}
