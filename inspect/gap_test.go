package inspect

import (
	"os"
	"strings"
	"testing"

	"foretell/token"

	"pgregory.net/rapid"
)

// Samples and tokens are read in the number in which they were written, or refused if one
// is missing, whether a flag or a file has them.
func TestGapsAreNotDropped(t *testing.T) {
	t.Chdir(t.TempDir())
	rapid.Check(t, func(t *rapid.T) {
		items := rapid.SliceOfN(rapid.SampledFrom([]string{"0", "1", "2"}), 1, 8).Draw(t, "items")
		gap := rapid.IntRange(-1, len(items)-1).Draw(t, "gap") // -1: none
		if gap >= 0 {
			items[gap] = rapid.SampledFrom([]string{"", " ", "nan"}).Draw(t, "hole")
		}
		text := strings.Join(items, ",")
		if samples, err := ReadSignal(text); (err == nil) != (gap < 0) || err == nil && len(samples) != len(items) {
			t.Fatalf("%q: %v, %v", text, samples, err)
		}
		if len(items) == 1 {
			return
		}
		lines := strings.Join(items, ",\n")
		if err := os.WriteFile("tokens", []byte(lines), 0o644); err != nil {
			t.Fatal(err)
		}
		read, err := token.ReadWord("@tokens", nil)
		if err != nil {
			t.Fatal(err)
		}
		last := gap == len(items)-1 && strings.TrimSpace(items[gap]) == "" // ends the file with a comma, which is read
		if word, err := token.Names(nil).Parse(read, 0, func() []int32 { return nil }); (err == nil) != (gap < 0 || last) || err == nil && !last && len(word) != len(items) {
			t.Fatalf("%q: %v, %v", lines, word, err)
		}
	})
}
