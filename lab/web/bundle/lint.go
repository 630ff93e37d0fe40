package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
)

// rule is a pattern that no source may contain, because it makes markup or code of a
// string. The page's Content-Security-Policy would refuse it, or would have to be weaker.
type rule struct {
	pattern *regexp.Regexp
	instead string
}

// sinks make markup or code of a string, in any file.
var sinks = []rule{
	refuse(`\b(?:inner|outer)HTML\b`, "htm's html`…`, or textContent"),
	refuse(`\binsertAdjacentHTML\b`, "htm's html`…`, or append"),
	refuse(`\bdangerouslySetInnerHTML\b`, "htm's html`…`"),
	refuse(`\b(?:createContextualFragment|parseFromString|parseHTMLUnsafe|setHTMLUnsafe|srcdoc)\b`, "htm's html`…`"),
	refuse(`\bdocument\s*\.\s*write(?:ln)?\b`, "htm's html`…`"),
	refuse(`\beval\s*\(`, "a function"),
	refuse(`\bFunction\s*\(`, "a function"),
	refuse("\\bset(?:Timeout|Interval)\\s*\\(\\s*[\"'`]", "a function in place of the text"),
	refuse(`(?i)\bjavascript:`, "a button with a handler"),
}

// styles give an element a style as text. A style as an object is set property by
// property, which the policy allows.
var styles = []rule{
	refuse("(?i)\\bstyle\\s*=\\s*(?:\\$\\{\\s*)?[\"'`]", "a class, or style=${{ property: value }}"),
	refuse("\\bsetAttribute\\(\\s*[\"'`]style\\b", "a class, or style.setProperty"),
	refuse(`\bcssText\b`, "a class, or style.setProperty"),
}

// inline are scripts and styles within a page.
var inline = []rule{
	refuse(`(?i)<style\b`, "app.css"),
	refuse(`(?i)\son[a-z]+\s*=`, "a handler in a script"),
	refuse(`(?i)<script\b[^>]*>\s*[^<\s]`, `<script type="module" src="app.js"></script>`),
	refuse(`(?i)<base\b`, "addresses that are relative to the page"),
}

func refuse(pattern, instead string) rule {
	return rule{regexp.MustCompile(pattern), instead}
}

// rulesFor are the rules for files by the ending of their names.
var rulesFor = map[string][]rule{
	".js":   slices.Concat(sinks, styles),
	".html": slices.Concat(sinks, styles, inline),
	".css":  {refuse(`(?i)(?:url\(|@import)\s*["']?\s*(?:https?:)?//`, "a file below src")},
}

// lint returns an error that lists, with file, line and column, what the rules refuse in
// the files of a folder. A file of another type than JavaScript, HTML and CSS is refused.
func lint(tree fs.FS, folder string) error {
	var faults []error
	err := fs.WalkDir(tree, folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		rules, ok := rulesFor[path.Ext(name)]
		if !ok {
			return fmt.Errorf("%s: want a file .js, .css or .html", name)
		}
		text, err := fs.ReadFile(tree, name)
		faults = append(faults, check(name, text, rules)...)
		return err
	})
	return errors.Join(append(faults, err)...)
}

// check returns an error for each match of a rule in a text.
func check(name string, text []byte, rules []rule) (faults []error) {
	for _, rule := range rules {
		for _, at := range rule.pattern.FindAllIndex(text, -1) {
			line := 1 + bytes.Count(text[:at[0]], []byte("\n"))
			column := at[0] - bytes.LastIndexByte(text[:at[0]], '\n')
			faults = append(faults, fmt.Errorf("%s:%d:%d: %q is refused; want %s",
				name, line, column, text[at[0]:at[1]], rule.instead))
		}
	}
	return faults
}
