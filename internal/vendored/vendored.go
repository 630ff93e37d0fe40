// Package vendored checks files of other projects that the repository keeps unmodified.
// The README.md of their folder has a row for each file, with its SHA-256:
//
//	| `preact/LICENSE` | `1fe6958409c8c257a70c587a18b6f7f412b179b456630790d30b2ec9a8e4b7d4` |
package vendored

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
)

// readme is the file with the table.
const readme = "README.md"

// row is a row of the table: a path below the folder, and its checksum.
var row = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| `([0-9a-f]{64})` \\|$")

// Check returns an error that lists the differences between the files of a folder and the
// table in its README.md: files that are changed, missing, or not in the table.
func Check(folder fs.FS) error {
	text, err := fs.ReadFile(folder, readme)
	if err != nil {
		return err
	}
	rows := row.FindAllSubmatch(text, -1)
	if len(rows) == 0 {
		return fmt.Errorf("%s has no table of files, want rows such as | `NAME` | `SHA-256` |", readme)
	}
	want := map[string]string{}
	var faults []error
	for _, row := range rows {
		name := string(row[1])
		want[name] = string(row[2])
		if _, err := fs.Stat(folder, name); err != nil {
			faults = append(faults, fmt.Errorf("%s lists a file that is missing: %w", readme, err))
		}
	}
	err = fs.WalkDir(folder, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || name == readme {
			return err
		}
		data, err := fs.ReadFile(folder, name)
		if got := fmt.Sprintf("%x", sha256.Sum256(data)); err == nil && got != want[name] {
			faults = append(faults, fmt.Errorf("%s has SHA-256 %s, and in %s %q", name, got, readme, want[name]))
		}
		return err
	})
	return errors.Join(append(faults, err)...)
}
