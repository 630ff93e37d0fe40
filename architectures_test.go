package foretell_test

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// recorded are the packages whose numbers reach weights, metrics.jsonl or tokens, which
// have the same bits on every architecture.
var recorded = []string{
	"process", "fit", "model", "train", "token",
	"internal/kernel", "internal/linalg", "internal/portable", "internal/random",
}

// analysis are the files of these packages whose numbers are looked at and never
// recorded: their last digits may differ between architectures, as those of probe may.
var analysis = []string{
	"process/check_notes.go",       // what is remarkable about matrices
	"process/interleaved_means.go", // transition means of chains of unknown lag
	"process/limits.go",            // the entropy rate
	"process/presentation.go",      // the mixed-state presentation
	"internal/linalg/schur.go",     // the spectrum of T
	"internal/linalg/span.go",      // what is remarkable about matrices, and the spectrum
}

const (
	exactProduct = "the product is exact: by a power of two, or of 24 bits by 24"
	ofMemory     = "how many numbers something takes, which is compared with the memory that there is"
	written      = "math.FMA, where it is meant"
)

// mayFuse are the functions in which a compiler may fuse a multiplication with an
// addition, and why that moves no bit of what is recorded.
var mayFuse = map[string]string{
	"internal/kernel/float.go fma32":   exactProduct,
	"internal/kernel/gram.go gramLoop": written,
	"model/concat.go checkConcatWidth": ofMemory,
	"model/concat.go workspaceSize":    ofMemory,
	"model/concat.go streamSize":       ofMemory,
	"model/flat.go workspaceSize":      ofMemory,
	"model/kind.go workspaceSize":      ofMemory,
	"model/kind.go streamSize":         ofMemory,
	"process/effort.go Effort":         "an estimate of work and memory, of which no digit is recorded but the first",
	"token/crossings.go NewCrossings":  exactProduct,
	"token/likeliest.go Interval":      exactProduct,
	"token/lloydmax.go midways":        exactProduct,
	"token/window.go fitFrames":        exactProduct,
}

// fusedLine is a line of the compiler's listing of arm64 with a fused multiply-add.
var fusedLine = regexp.MustCompile(`\(([^()]*\.go):(\d+)\)\tFN?M(?:ADD|SUB)[SD]\t`)

// On arm64 Go fuses x·y + z wherever the product is not rounded explicitly, as in
// float64(x*y) + z. What gonum's functions fuse is left to
// TestRecordedNumbersAreOurOwn.
func TestNothingFusesUnasked(t *testing.T) {
	args := []string{"build", "-gcflags=-S"}
	for _, pkg := range recorded {
		args = append(args, "./"+pkg)
	}
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOARCH=arm64")
	listing, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	places := map[string]bool{}
	lines := bufio.NewScanner(listing)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		if m := fusedLine.FindStringSubmatch(lines.Text()); m != nil {
			if path, err := filepath.Rel(root, m[1]); err == nil && filepath.IsLocal(path) {
				places[filepath.ToSlash(path)+":"+m[2]] = true
			}
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	checkFused(t, places)
}

// checkFused holds places, as process/moon.go:12, to the table.
func checkFused(t *testing.T, places map[string]bool) {
	t.Helper()
	unused := map[string]bool{}
	for function := range mayFuse {
		unused[function] = true
	}
	for place := range places {
		path, number, _ := strings.Cut(place, ":")
		if slices.Contains(analysis, path) {
			continue
		}
		line, err := strconv.Atoi(number)
		if err != nil {
			t.Fatal(err)
		}
		function := path + " " + functionAt(t, path, line)
		if _, ok := mayFuse[function]; !ok {
			t.Errorf("%s, in %s: arm64 fuses a product with a sum there: round it by float64(…), "+
				"or say in mayFuse why no bit moves", place, function)
		}
		delete(unused, function)
	}
	for function := range unused {
		t.Errorf("nothing is fused in %s: mayFuse need not list it", function)
	}
}

// functionAt is the name of the function at a line of a file.
func functionAt(t *testing.T, path string, line int) string {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && set.Position(f.Pos()).Line <= line && line <= set.Position(f.End()).Line {
			return f.Name.Name
		}
	}
	return "no function"
}

// sameEverywhere are functions of other packages that have one result on every
// architecture: exact ones of math, and those of gonum that go entry by entry.
var sameEverywhere = map[string]string{
	"math": "Abs Ceil Copysign Float32bits Float32frombits Float64bits Float64frombits Floor FMA Frexp Inf IsInf IsNaN " +
		"Ldexp Max Min Mod Modf NaN Nextafter Nextafter32 Remainder Round RoundToEven Signbit Sqrt Trunc",
	"gonum.org/v1/gonum/floats": "Add Scale Sub",
}

// decides are the files that ask gonum for more, and why no bit of what is recorded
// comes from there.
var decides = map[string]string{
	"process/generalised.go":  "singular values decide whether there is one stationary state",
	"process/moon.go":         "eigenvalues decide whether the leading one is real and positive",
	"internal/kernel/math.go": "exp and erf of networks in float64, which are not trained",
}

// Sums, products and decompositions of gonum, and math's logarithms, powers and sines,
// have other last digits on each architecture.
func TestRecordedNumbersAreOurOwn(t *testing.T) {
	eachFile(t, func(path string, _ []string, set *token.FileSet, file *ast.File) {
		if strings.HasSuffix(path, "_test.go") || !slices.Contains(recorded, filepath.Dir(path)) ||
			slices.Contains(analysis, path) || decides[path] != "" {
			return
		}
		imported := map[string]string{}
		for _, i := range file.Imports {
			if full, err := strconv.Unquote(i.Path.Value); err == nil && (full == "math" || strings.HasPrefix(full, "gonum.org/")) {
				imported[full[strings.LastIndex(full, "/")+1:]] = full
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if s, ok := call.Fun.(*ast.SelectorExpr); ok {
				if full := imported[fmt.Sprint(s.X)]; full != "" &&
					!slices.Contains(strings.Fields(sameEverywhere[full]), s.Sel.Name) {
					t.Errorf("%s: %v.%s has other bits on another architecture: want internal/portable, a loop, "+
						"or a reason in decides", set.Position(call.Pos()), s.X, s.Sel.Name)
				}
			}
			return true
		})
	})
}
