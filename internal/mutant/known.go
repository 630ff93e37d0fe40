package main

import (
	"fmt"
	"strings"

	"foretell/internal/limit"
)

// readKnown reads the list of equivalent mutants, which change no result, with reasons.
// Each mutant is a paragraph:
//
//	process/hmm.go Hmm.Sample
//	- if u < p {
//	+ if u <= p {
//	u is never p: it has 53 bits, p has fewer
//
// Repeated equal changes in one function need a paragraph each. Lines that begin with #
// are comments. A paragraph whose mutant does not exist is an error, which keeps the list
// up to date.
func readKnown(path string) (map[identity]string, error) {
	text, err := limit.ReadFile(path, "a list of equivalents", mostBytes)
	if err != nil {
		return nil, err
	}
	reasons := map[identity]string{}
	sites := map[string]map[identity]bool{}
	for paragraph := range strings.SplitSeq(string(text), "\n\n") {
		id, reason, err := parseKnown(paragraph)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if id.path == "" {
			continue
		}
		for reasons[id] != "" {
			id.nth++
		}
		if sites[id.path] == nil {
			if sites[id.path], err = identities(id.path); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
		}
		if !sites[id.path][id] {
			return nil, fmt.Errorf("%s: %s in %s has no %q that becomes %q: "+
				"the code has changed, so remove the entry or write it again",
				path, id.function, id.path, id.old, id.new)
		}
		reasons[id] = reason
	}
	return reasons, nil
}

// parseKnown parses a paragraph of the list. For a paragraph of comments only, it returns
// an empty identity.
func parseKnown(paragraph string) (id identity, reason string, err error) {
	var lines []string
	for line := range strings.Lines(paragraph) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return identity{}, "", nil
	}
	if len(lines) < 4 {
		return identity{}, "", fmt.Errorf("%q: want four lines: FILE FUNCTION, - OLD, + NEW, and the reason", lines[0])
	}
	var isOld, isNew bool
	id.path, id.function, _ = strings.Cut(lines[0], " ")
	id.old, isOld = strings.CutPrefix(lines[1], "- ")
	id.new, isNew = strings.CutPrefix(lines[2], "+ ")
	if !isOld || !isNew || id.function == "" {
		return identity{}, "", fmt.Errorf("%q: want FILE FUNCTION, then - OLD and + NEW", lines[0])
	}
	return id, strings.Join(lines[3:], " "), nil
}

// identities returns the identities of the mutants of a file.
func identities(path string) (map[identity]bool, error) {
	all, err := mutants(path)
	found := map[identity]bool{}
	for _, m := range all {
		found[m.identity] = true
	}
	return found, err
}
