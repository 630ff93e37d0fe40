package foretell_test

import (
	"fmt"
	"path"
	"regexp"
	"testing"

	"foretell/internal/prose"
)

// idiom is a turn of phrase that readers had to translate, the uses of it that are plain
// English, and what to write instead.
type idiom struct {
	pattern, unless *regexp.Regexp
	instead         string
}

// idioms are refused in comments, messages and documents.
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

// Comments, messages and documents are in plain English: they contain no turn of phrase
// that native readers stumbled over.
func TestPlainEnglish(t *testing.T) {
	texts, err := prose.Tree(".")
	if err != nil || len(texts) < 10000 {
		t.Fatalf("%d texts, %v", len(texts), err)
	}
	found := map[string][]string{}
	for _, text := range texts {
		dir := path.Dir(text.Path)
		if _, ok := found[dir]; !ok {
			found[dir] = nil
		}
		for _, i := range idioms {
			for _, phrase := range i.in(text.Words) {
				found[dir] = append(found[dir], fmt.Sprintf("%s:%d: “%s”: %s", text.Path, text.Line, phrase, i.instead))
			}
		}
	}
	for dir, phrases := range found {
		t.Run(dir, func(t *testing.T) {
			for _, phrase := range phrases {
				t.Error(phrase)
			}
		})
	}
}
