package report

import (
	"fmt"
	"slices"
	"strings"

	"foretell/claim"
)

// mostColumns is how many conditions a matrix can have side by side: a cell of more would
// be too narrow for a number and its interval.
const mostColumns = 5

// matrix is what is seen of claims at a glance: rows that share conditions, or the rows
// that share none with others.
type matrix struct {
	Heading string   // what rows these are; empty where that was said already, and needs no saying
	Columns []string // conditions; nil where each cell has a name of its own
	Blocks  []block
}

// Wide is how many columns a matrix has for conditions.
func (m matrix) Wide() int { return max(len(m.Columns), 1) }

// block is rows that stand on one fit, or one row.
type block struct {
	Note string // of several rows
	Rows []glanceRow
}

// glanceRow is a claim with a cell for each column, or for each of its conditions if the
// matrix has no columns. A claim without conditions has one cell, which is Whole.
type glanceRow struct {
	claim.Claim
	Shown []string // the claim's own effect, and what the numbers in its cells are
	Whole bool
	Cells []glanceCell
}

// glanceCell is what was found under a condition.
type glanceCell struct {
	Anchor  string // of its sentence
	Name    string // of the condition
	Missing bool   // no condition of the claim
	Whole   bool   // of a claim without conditions
	Verdict claim.Verdict
	Word    string // the verdict's, or that its models have not converged
	Number  string // the effect in a few words, if there is one
	What    string // what that is, where there is room for it
	Text    string // what was found, where there is room for it
	Says    string // the sentence

	Unconverged bool
}

// glance lays claims out: by part, in each the rows that share conditions in a matrix of
// their own, then the others together. Where there are more conditions than a matrix has
// columns, those that most rows have are its columns, and rows with others stand apart.
func glance(claims []claim.Claim) (all []matrix) {
	for p := range parts {
		ofIt := layOut(ofPart(claims, p))
		if len(ofIt) > 0 && len(ofPart(claims, p)) < len(claims) {
			ofIt[0].Heading = headings[p]
		}
		all = append(all, ofIt...)
	}
	return all
}

// headings says what the rows of a part are.
var headings = [parts]string{"The document's claims", "Identities: two forms of one formula", "Beyond the document"}

func layOut(claims []claim.Claim) (all []matrix) {
	var placed []string
	for _, group := range joined(claims, shareMatrix) {
		columns := commonConditions(group)
		inside := within(group, columns)
		if len(joined(inside, shareConditions)) < len(inside) {
			all, placed = append(all, newMatrix(conditionNames(inside), inside)), append(placed, claimIDs(inside)...)
		}
	}
	rest := slices.DeleteFunc(slices.Clone(claims), func(c claim.Claim) bool { return slices.Contains(placed, c.ID) })
	if len(rest) > 0 {
		all = append(all, newMatrix(nil, rest))
	}
	return all
}

// commonConditions are the conditions that most of some claims have, no more than a
// matrix has columns, in the order in which they occur.
func commonConditions(claims []claim.Claim) []string {
	names := conditionNames(claims)
	if len(names) <= mostColumns {
		return names
	}
	count := map[string]int{}
	for _, c := range claims {
		for _, condition := range c.Conditions {
			count[condition.Name]++
		}
	}
	ranked := slices.Clone(names)
	slices.SortStableFunc(ranked, func(a, b string) int { return count[b] - count[a] })
	return slices.DeleteFunc(names, func(name string) bool {
		return !slices.Contains(ranked[:mostColumns], name)
	})
}

// within are the claims of blocks that have no other conditions than columns.
func within(claims []claim.Claim, columns []string) (inside []claim.Claim) {
	for _, block := range joined(claims, standTogether) {
		other := func(name string) bool { return !slices.Contains(columns, name) }
		if !slices.ContainsFunc(conditionNames(block), other) {
			inside = append(inside, block...)
		}
	}
	return inside
}

func shareMatrix(a, b claim.Claim) bool { return standTogether(a, b) || shareConditions(a, b) }

func shareConditions(a, b claim.Claim) bool {
	return slices.ContainsFunc(a.Conditions, func(c claim.Condition) bool { return hasCondition(b, c.Name) })
}

func hasCondition(c claim.Claim, name string) bool {
	return slices.ContainsFunc(c.Conditions, func(x claim.Condition) bool { return x.Name == name })
}

// conditionNames lists the conditions of claims, each once.
func conditionNames(claims []claim.Claim) (names []string) {
	for _, c := range claims {
		for _, condition := range c.Conditions {
			if !slices.Contains(names, condition.Name) {
				names = append(names, condition.Name)
			}
		}
	}
	return names
}

func newMatrix(columns []string, claims []claim.Claim) matrix {
	m := matrix{Columns: columns}
	for _, group := range joined(claims, standTogether) {
		b := block{}
		if len(group) > 1 {
			b.Note = fitText(claimIDs(group))
		}
		for _, c := range group {
			b.Rows = append(b.Rows, newGlanceRow(c, columns))
		}
		m.Blocks = append(m.Blocks, b)
	}
	return m
}

func newGlanceRow(c claim.Claim, columns []string) glanceRow {
	row := glanceRow{Claim: c, Shown: shown(c)}
	if len(c.Conditions) == 0 {
		row.Whole, row.Cells = true, []glanceCell{overall(c)}
	}
	alike := commonEffect(c.Conditions) != ""
	for k, condition := range c.Conditions {
		cell := newGlanceCell(c.ID, k+1, condition)
		if condition.Effect != nil && !alike {
			cell.What = condition.Effect.What
		}
		row.Cells = append(row.Cells, cell)
	}
	if columns == nil || row.Whole {
		return row
	}
	cells := row.Cells
	row.Cells = make([]glanceCell, len(columns))
	for j, name := range columns {
		row.Cells[j] = glanceCell{Name: name, Missing: true}
		if k := slices.IndexFunc(cells, func(c glanceCell) bool { return c.Name == name }); k >= 0 {
			row.Cells[j] = cells[k]
		}
	}
	return row
}

// overall is the cell of a claim without conditions.
func overall(c claim.Claim) glanceCell {
	cell := glanceCell{
		Anchor: cellAnchor(c.ID, 0), Name: "overall", Whole: true, Verdict: c.Verdict,
		Word: outcome(c), Text: c.Obtained,
	}
	cell.Says = fmt.Sprintf("%s %s: %s", c.ID, cell.Word, c.Obtained)
	if c.Effect != nil {
		cell.Number, cell.What = brief(c.Effect), c.Effect.What
		cell.Says = sentences(cell.Says, effectText(c.Effect))
	}
	return cell
}

// shown says what stands in a claim's cells, and what is found over all of them where it
// is in none of these.
func shown(c claim.Claim) (texts []string) {
	if len(c.Conditions) == 0 {
		return nil
	}
	inCell := func(x claim.Condition) bool {
		return x.Effect != nil && x.Effect.What == c.Effect.What && brief(x.Effect) == brief(c.Effect)
	}
	if c.Effect != nil && !slices.ContainsFunc(c.Conditions, inCell) {
		texts = append(texts, c.Effect.What+": "+brief(c.Effect))
	}
	if what := commonEffect(c.Conditions); what != "" {
		texts = append(texts, "In the cells: "+what)
	}
	return texts
}

func newGlanceCell(id string, k int, c claim.Condition) glanceCell {
	cell := glanceCell{
		Anchor: cellAnchor(id, k), Name: c.Name, Verdict: c.Verdict, Word: conditionText(c), Unconverged: unconverged(c),
	}
	cell.Says = sentences(fmt.Sprintf("%s, %s: %s", id, c.Name, cell.Word), c.Unconverged, obtained(c))
	if c.Effect != nil {
		cell.Number = brief(c.Effect)
		cell.Says = sentences(cell.Says, effectText(c.Effect))
	}
	return cell
}

func cellAnchor(id string, k int) string { return fmt.Sprintf("cell-%s-%d", anchor(id), k) }

// conditionText is the verdict under a condition in words.
func conditionText(c claim.Condition) string {
	if unconverged(c) {
		return because[conditionReason(c)].word
	}
	return verdictText(c.Verdict, c.Reason)
}

// conditionReason is the reason of the verdict under a condition, as it is shown.
func conditionReason(c claim.Condition) claim.Reason {
	switch {
	case notTried(c):
		return untried
	case unconverged(c):
		return claim.Untrained
	}
	return c.Reason
}

// notTried says whether the profile trains no model of a condition.
func notTried(c claim.Condition) bool { return unconverged(c) && c.Unconverged == claim.NotTrained }

// why says why a condition is not judged, and obtained what was found under it: nothing
// where there is no model to find it in.
func why(c claim.Condition) string {
	switch {
	case c.Unconverged == "":
		return ""
	case notTried(c):
		return claim.NotTrained
	}
	return "Not converged: " + c.Unconverged
}

func obtained(c claim.Condition) string {
	if notTried(c) {
		return ""
	}
	return c.Obtained
}

// unconverged says whether a condition is open since its models have not converged.
func unconverged(c claim.Condition) bool { return c.Verdict == claim.Open && !c.Converged }

// tied keeps an equation in one line.
func tied(text string) string { return strings.ReplaceAll(text, " = ", "\u00a0=\u00a0") }

// sentences puts texts, but empty ones, one after another, with a full stop between them.
func sentences(texts ...string) string {
	var all []string
	for _, text := range texts {
		if text != "" {
			all = append(all, strings.TrimSuffix(text, "."))
		}
	}
	return strings.Join(all, ". ") + "."
}
