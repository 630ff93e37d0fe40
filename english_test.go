package foretell_test

import (
	"go/ast"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// idiom is a turn of phrase that readers had to translate, the uses of it that are plain
// English, and what to write instead.
type idiom struct {
	pattern, unless *regexp.Regexp
	instead         string
}

// idioms are refused in comments, messages and documents. Quotations are exempt: see
// withoutQuotations.
var idioms = []idiom{
	refuse(`nought`, ``, "zero, 0"),
	refuse(`anew`, ``, "again"),
	refuse(`beside`, ``, "next to, compared with, against"),
	refuse(`by heart`, ``, "memorised"),
	refuse(`in the mean`, ``, "on average"),
	refuse(`foretells|foretold`, ``, "predict"),
	refuse(`comes? to|came to|coming to`, ``, "reach, equal, produce"),
	refuse(`goes on|gone on|went on|going on`, ``, "continue, resume"),
	refuse(`(?:is|are|was|were|be) told`, ``, "is reported"),
	refuse(`tells`, ``, "reports, predicts, carries information about, distinguishes"),
	refuse(`as many as|so many`, ``, "the number of, equal"),
	refuse(`(?:that|those) of`, ``, "the noun"),
	refuse(`says whether`, ``, "reports whether"),
	refuse(`(?:\w+ )?of which`, `^(?:none|some|all|each|most|many|both|one|two|three|half|any|either|neither) `, "another sentence"),
	refuse(`(?:of|by|for|to) who`, ``, "a predictor that, callers that"),
	refuse(`of what(?: \w+)?`, `what can$`, "the noun"),
	refuse(`what (?:is|was|are) left`, ``, "the remainder, the residual, the rest"),
	refuse(`of before`, ``, "earlier"),
	refuse(`(?:\w+ )?(?:is|are|was|were) no \w+`, `^there |no (?:longer|more|less|better|worse|larger|smaller|greater|other)$`, "is not"),
	refuse(`(?:is|are|was|were|has|have) none`, ``, "no X, zero, NaN, nil"),
	refuse(`one's own|of its own|of their own`, ``, "its own X, your X"),
	refuse(`brings?`, ``, "emit, yield, give"),
	refuse(`less the`, ``, "minus"),
	refuse(`a training(?: \w+)?`, ` (?:run|step|set|loop|loss|file|sequence|window|batch|curve|example|corpus|config|configuration|checkpoint|process|token|part|pass|position|split|profile|command)s?$`, "a training run, training"),
	refuse(`trainings`, ``, "training runs"),
	refuse(`hangs? on`, ``, "depends on"),
	refuse(`stands?(?: \w+)?`, ` for$`, "is, is in, is written"),
	refuse(`lies? \w+`, ` (?:between|on|within|outside|inside|above|below|along)$`, "is, is stored, is written"),
	refuse(`dealt out`, ``, "assigned"),
}

// refuse makes an idiom of whole words.
func refuse(pattern, unless, instead string) idiom {
	i := idiom{pattern: regexp.MustCompile(`(?i)\b(?:` + pattern + `)\b`), instead: instead}
	if unless != "" {
		i.unless = regexp.MustCompile(`(?i)` + unless)
	}
	return i
}

// in returns the uses of an idiom in a text.
func (i idiom) in(text string) (phrases []string) {
	for _, phrase := range i.pattern.FindAllString(text, -1) {
		if i.unless == nil || !i.unless.MatchString(phrase) {
			phrases = append(phrases, phrase)
		}
	}
	return phrases
}

// quotation is someone else's words.
var quotation = regexp.MustCompile(`“[^”]*(?:”|$)`)

// withoutQuotations blanks what stands in typographic quotation marks.
func withoutQuotations(text string) string {
	return quotation.ReplaceAllStringFunc(text, func(quote string) string { return strings.Repeat(" ", len(quote)) })
}

// Comments, messages and documents are in plain English: none has a turn of phrase that
// native readers stumbled over. Tests are exempt, and so is docs/log.md, a record.
func TestPlainEnglish(t *testing.T) {
	found := map[string][]string{}
	report := func(path string, line int, text string) {
		dir := filepath.Dir(path)
		for _, i := range idioms {
			for _, phrase := range i.in(withoutQuotations(text)) {
				found[dir] = append(found[dir], path+":"+strconv.Itoa(line)+": “"+phrase+"”: "+i.instead)
			}
		}
		if _, ok := found[dir]; !ok {
			found[dir] = nil
		}
	}
	eachFile(t, func(path string, _ []string, set *token.FileSet, file *ast.File) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		for _, group := range file.Comments {
			report(path, set.Position(group.Pos()).Line, strings.ReplaceAll(group.Text(), "\n", " "))
		}
		eachText(file, func(at token.Pos, text string) { report(path, set.Position(at).Line, text) })
	})
	eachDocument(t, report)
	for dir, phrases := range found {
		t.Run(dir, func(t *testing.T) {
			for _, phrase := range phrases {
				t.Error(phrase)
			}
		})
	}
}

// eachText calls visit with each string of a file. Strings that are added up are one
// text, so that a quotation can run over several; values between them are a space.
func eachText(file *ast.File, visit func(at token.Pos, text string)) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.BinaryExpr:
			if n.Op != token.ADD {
				return true
			}
			if text, ok := sum(n); ok {
				visit(n.Pos(), text)
				return false
			}
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				visit(n.Pos(), unquoted(n))
			}
		}
		return true
	})
}

// sum returns the text of a sum that has a string in it.
func sum(e ast.Expr) (text string, ok bool) {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		left, one := sum(e.X)
		right, other := sum(e.Y)
		return left + right, one || other
	case *ast.BasicLit:
		return unquoted(e), e.Kind == token.STRING
	}
	return " ", false
}

// unquoted is the value of a literal.
func unquoted(literal *ast.BasicLit) string {
	text, err := strconv.Unquote(literal.Value)
	if err != nil {
		return literal.Value
	}
	return text
}

// preformatted is code within a line.
var preformatted = regexp.MustCompile("`[^`]*`")

// eachDocument calls report with each line of prose of the Markdown files.
func eachDocument(t *testing.T, report func(path string, line int, text string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && entry.Name() == "testdata" {
			return filepath.SkipDir
		}
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".md" || path == filepath.Join("docs", "log.md") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		fenced := false
		for i, line := range strings.Split(string(text), "\n") {
			if strings.HasPrefix(line, "```") {
				fenced = !fenced
			}
			if !fenced && !strings.HasPrefix(line, "    ") {
				report(path, i+1, preformatted.ReplaceAllString(line, " "))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
