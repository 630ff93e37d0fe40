package vendored

import (
	"strings"
	"testing"
	"testing/fstest"
)

// ofA is the SHA-256 of the letter a (FIPS 180-4; the same as of printf a | sha256sum).
const ofA = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"

// Every difference between a folder and its table is an error that names the file.
func TestCheck(t *testing.T) {
	const table = "| file | SHA-256 |\n|---|---|\n| `x/a.js` | `" + ofA + "` |\n"
	for want, files := range map[string]map[string]string{
		"":                          {"README.md": table, "x/a.js": "a"},
		"x/a.js has SHA-256":        {"README.md": table, "x/a.js": "b"},
		`x/b.js has SHA-256`:        {"README.md": table, "x/a.js": "a", "x/b.js": "a"},
		"lists a file that is miss": {"README.md": table},
		"has no table of files":     {"README.md": "nothing\n", "x/a.js": "a"},
		"README.md: file does not":  {"x/a.js": "a"},
	} {
		folder := fstest.MapFS{}
		for name, text := range files {
			folder[name] = &fstest.MapFile{Data: []byte(text)}
		}
		err := Check(folder)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
