package paper

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"foretell/claim"
	"foretell/internal/needs"
)

// documentsVariable names the folder with the texts of the documents, one .txt file each.
const documentsVariable = "FORETELL_DOCUMENTS"

var (
	quoted     = regexp.MustCompile(`“([^”]*)”`)
	notLetters = regexp.MustCompile(`[^a-z]+`)
	functions  = regexp.MustCompile(`\\(log|exp|sin|cos)`)
	commands   = regexp.MustCompile(`\\[a-z]+`) // of LaTeX, other than functions
	// plainWord is a word in which nothing is a formula.
	plainWord = regexp.MustCompile(`^[“(]?([A-Z]?[a-z’'-]+|[AI])[,.;:)]*$`)
)

// letters returns the letters of a text, without the commands of LaTeX.
func letters(text string) string {
	text = commands.ReplaceAllString(functions.ReplaceAllString(text, "$1"), "")
	return notLetters.ReplaceAllString(strings.ToLower(text), "")
}

// wordings returns the longest parts of a quote that consist of plain words alone. Where
// the quote leaves something out, at … or in brackets, or has a formula, another begins.
func wordings(quote string) (list []string) {
	quote = strings.NewReplacer("[", " [ ", "]", " ] ", "…", " … ").Replace(quote)
	var words []string
	for _, word := range append(strings.Fields(quote), "…") {
		if plainWord.MatchString(word) {
			words = append(words, word)
			continue
		}
		if len(words) >= 3 {
			list = append(list, strings.Join(words, " "))
		}
		words = nil
	}
	return list
}

// Every row quotes its document's own words.
func TestQuotesAreVerbatim(t *testing.T) {
	texts := documentTexts(t)
	for _, p := range Papers {
		var quotes []passage
		for _, row := range p.Rows(claim.Full) {
			quotes = append(quotes, passage{row.ID, row.Quote})
		}
		checkVerbatim(t, p.Name, quotes, texts)
	}
}

// passage is a text with words of a document in typographic quotation marks, and where it
// is from.
type passage struct{ from, text string }

// checkVerbatim reports the words that passages quote and that are not in the texts.
// Formulas are not compared, because texts write them in many ways. A document of whose
// wordings not even half are found is not among the texts.
func checkVerbatim(t *testing.T, document string, passages []passage, texts string) {
	t.Helper()
	var lost []string
	n := 0
	for _, p := range passages {
		for _, quote := range quoted.FindAllStringSubmatch(p.text, -1) {
			for _, wording := range wordings(quote[1]) {
				n++
				if !strings.Contains(texts, letters(wording)) {
					lost = append(lost, p.from+": “"+wording+"”")
				}
			}
		}
	}
	if 2*len(lost) > n {
		t.Logf("the text of %s is not in %s", document, os.Getenv(documentsVariable))
		return
	}
	for _, l := range lost {
		t.Errorf("%s %s is not in the document", document, l)
	}
}

// caption matches the caption of a figure, which may interrupt a sentence.
var caption = regexp.MustCompile(`(?m)^Figure [0-9]+:.*$`)

// documentTexts returns the letters of all texts, a line for each with the captions of
// figures, and a line without them.
func documentTexts(t *testing.T) string {
	t.Helper()
	folder := needs.Given(t, documentsVariable, "a folder with the documents as .txt files")
	names, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%s has no .txt files (%v)", folder, err)
	}
	var all strings.Builder
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString(letters(string(text)) + "\n" + letters(caption.ReplaceAllString(string(text), "")) + "\n")
	}
	return all.String()
}

// A quote is compared in parts between formulas and omissions.
func TestWordings(t *testing.T) {
	const quote = "At least nine models [of ten] converge quickly … and H/(N+1) is encoded in the e_H component"
	want := []string{"At least nine models", "is encoded in the"}
	if got := wordings(quote); strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("%q, want %q", got, want)
	}
	if got := letters(`**Perfectly periodic:** $\text{token}[n]$`); got != "perfectlyperiodictokenn" {
		t.Error(got)
	}
}
