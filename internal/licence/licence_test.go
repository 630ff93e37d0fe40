package licence

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func ExampleTexts() {
	texts, err := Texts("foretell/internal/random", nil, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, line := range strings.Split(string(texts), "\n") {
		if strings.HasSuffix(line, ", LICENSE") {
			fmt.Println(line)
		}
	}
	// Output:
	// Go, LICENSE
	// foretell, LICENSE
}

// A licence is found in the module's folder and in those of linked packages, as a file or
// in a folder of such files.
func TestLicences(t *testing.T) {
	module := t.TempDir()
	for _, name := range []string{
		"UNLICENSE", "license.go", "a.go", "third_party/one/MIT.txt", "THIRD_PARTY_LICENSES/two",
		"linked/LICENCE.md", "other/LICENSE",
	} {
		path := filepath.Join(module, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("text of "+name+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	texts, err := linked{"m v1", []string{module, filepath.Join(module, "linked")}}.licences()
	const want = "m v1, THIRD_PARTY_LICENSES/two\n\ntext of THIRD_PARTY_LICENSES/two\n\n" +
		"m v1, UNLICENSE\n\ntext of UNLICENSE\n\n" +
		"m v1, third_party/one/MIT.txt\n\ntext of third_party/one/MIT.txt\n\n" +
		"m v1, linked/LICENCE.md\n\ntext of linked/LICENCE.md\n\n"
	if err != nil || string(texts) != want {
		t.Errorf("%s, %v", texts, err)
	}
	if _, err := Texts("foretell/none", nil, nil); err == nil {
		t.Error("a package that does not exist has licences")
	}
}
