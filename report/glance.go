package report

import (
	"fmt"
	"slices"
	"strings"

	"foretell/claim"
)

// mostColumns is the largest number of conditions that a matrix has as columns. With
// more, a cell would be too narrow for a number and its interval.
const mostColumns = 5

// matrix is one table of the overview. Its rows are claims that share conditions, or all
// claims that share no condition with others.
type matrix struct {
	Heading string   // the part of the report, in its first matrix; empty if there is only one part
	Columns []string // the conditions; nil if each cell names its own condition
	Blocks  []block
}

// Wide returns the number of columns that a matrix has for conditions, at least 1.
func (m matrix) Wide() int { return max(len(m.Columns), 1) }

// block holds the rows whose results come from one and the same fit, or a single row.
type block struct {
	Note string // says which rows come from one fit; empty for a single row
	Rows []glanceRow
}

// glanceRow is a claim with a cell for each column, or for each of its conditions if the
// matrix has no columns. A claim without conditions has one cell, whose Whole is true.
type glanceRow struct {
	claim.Claim
	Shown []string // texts: the claim's own effect, and the quantity that its cells show
	Whole bool
	Cells []glanceCell
}

// glanceCell is the result of a claim under one condition.
type glanceCell struct {
	Anchor  string // identifies the sentence
	Name    string // name of the condition
	Missing bool   // the claim does not have this condition
	Whole   bool   // the claim has no conditions
	Verdict claim.Verdict
	Word    string // the verdict in words, or a note that the models have not converged
	Number  string // the effect in a few words, if there is one
	What    string // what Number measures; empty if the row's Shown says it
	Text    string // the finding; only if Whole
	Says    string // the sentence that appears when the cell is pointed at

	Unconverged bool
}

// glance lays claims out by part. In each part, the rows that share conditions form a
// matrix, and the other rows together form the last one. If rows share more conditions
// than a matrix can have columns, the conditions that most rows have are the columns, and
// rows with other conditions go to the last matrix.
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

// headings are the headings of the parts.
var headings = [parts]string{"The document's claims", "Identities: two forms of one formula", "Beyond the document"}

func layOut(claims []claim.Claim) (all []matrix) {
	var placed []string
	for _, group := range joined(claims, shareMatrix) {
		columns := commonConditions(group)
		inside := within(group, columns)
		if len(joined(inside, shareConditions)) < len(inside) {
			all = append(all, newMatrix(conditionNames(inside), inside))
			placed = append(placed, claimIDs(inside)...)
		}
	}
	rest := slices.DeleteFunc(slices.Clone(claims), func(c claim.Claim) bool { return slices.Contains(placed, c.ID) })
	if len(rest) > 0 {
		all = append(all, newMatrix(nil, rest))
	}
	return all
}

// commonConditions returns the conditions that are shared by the largest numbers of
// claims, at most mostColumns of them, in the order in which they occur.
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

// within returns the claims of those blocks all of whose conditions are in the list
// columns.
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

// overall returns the cell of a claim without conditions.
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

// shown returns the claim's own effect, unless a cell already shows it. If the numbers in
// all of its cells measure the same quantity, it also returns this quantity's name.
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
		Anchor: cellAnchor(id, k), Name: c.Name,
		Verdict: c.Verdict, Word: conditionText(c), Unconverged: unconverged(c),
	}
	cell.Says = sentences(fmt.Sprintf("%s, %s: %s", id, c.Name, cell.Word), c.Unconverged, obtained(c))
	if c.Effect != nil {
		cell.Number = brief(c.Effect)
		cell.Says = sentences(cell.Says, effectText(c.Effect))
	}
	return cell
}

func cellAnchor(id string, k int) string { return fmt.Sprintf("cell-%s-%d", anchor(id), k) }

// conditionText returns the verdict under a condition in words.
func conditionText(c claim.Condition) string {
	if unconverged(c) {
		return because[conditionReason(c)].word
	}
	return verdictText(c.Verdict, c.Reason)
}

// conditionReason returns the reason that the report shows for a condition's verdict.
func conditionReason(c claim.Condition) claim.Reason {
	switch {
	case notTried(c):
		return untried
	case unconverged(c):
		return claim.Untrained
	}
	return c.Reason
}

// notTried reports whether the profile trains no models for a condition.
func notTried(c claim.Condition) bool { return unconverged(c) && c.Unconverged == claim.NotTrained }

// why returns why a condition was not judged, "" if it was.
func why(c claim.Condition) string {
	switch {
	case c.Unconverged == "":
		return ""
	case notTried(c):
		return claim.NotTrained
	}
	return "Not converged: " + c.Unconverged
}

// obtained returns the finding under a condition, "" if the profile trains no models for
// it.
func obtained(c claim.Condition) string {
	if notTried(c) {
		return ""
	}
	return c.Obtained
}

// unconverged reports whether a condition is open because its models have not converged.
func unconverged(c claim.Condition) bool { return c.Verdict == claim.Open && !c.Converged }

// tied replaces the spaces around equals signs by no-break spaces.
func tied(text string) string { return strings.ReplaceAll(text, " = ", "\u00a0=\u00a0") }

// sentences joins the texts that are not empty into sentences with full stops.
func sentences(texts ...string) string {
	var all []string
	for _, text := range texts {
		if text != "" {
			all = append(all, strings.TrimSuffix(text, "."))
		}
	}
	return strings.Join(all, ". ") + "."
}
