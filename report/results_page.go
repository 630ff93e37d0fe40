package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"foretell/claim"
	"foretell/internal/text"
)

// Pages returns the Markdown pages of the published results by the names of their files:
// README.md, and NAME.md for each document that has results.
func (r *Results) Pages() (map[string][]byte, error) {
	pages := map[string][]byte{}
	for _, p := range r.papers {
		d := r.found[p.Name]
		if d == nil {
			continue
		}
		entries, err := r.entries(p)
		if err != nil {
			return nil, err
		}
		pages[p.Name+".md"] = d.page(p, entries)
	}
	index, err := r.index()
	pages["README.md"] = index
	return pages, err
}

// Summary returns a Markdown table with a row for each document: its claims by verdict,
// and the time that its results took. Sentences below it name the profile and what is not
// counted. base is the path of the folder of results, as links need it: "docs/results/",
// or "" on a page in the folder.
func (r *Results) Summary(base string) (string, error) {
	m := &markdown{}
	if len(r.found) == 0 {
		m.paragraph("No results have been published yet; `make results` computes them.")
		return m.String(), nil
	}
	columns := []string{"document", "claims"}
	for _, v := range claim.Verdicts {
		columns = append(columns, string(v))
	}
	var rows [][]string
	var all []entry
	var notes, others, absent []string
	took := period{}
	for _, p := range r.papers {
		entries, err := r.entries(p)
		if err != nil {
			return "", err
		}
		d := r.found[p.Name]
		rows = append(rows, summaryRow(d.link(p.Name, base), entries, d.took()))
		all, took = append(all, entries...), took.and(d.took())
		if d == nil {
			absent = append(absent, d.link(p.Name, base))
			continue
		}
		notes = append(notes, uncounted(" in `"+p.Name+"`", entries)...)
		if text := othersText(entries); text != "" {
			others = append(others, fmt.Sprintf("`%s` (%s)", p.Name, text))
		}
	}
	if others != nil {
		others := "Not counted are identities and claims beyond the documents: " + text.And(others) + "."
		notes = slices.Insert(notes, 0, others)
	}
	if absent != nil {
		notes = append(notes, "**Not run**: "+text.And(absent)+".")
	}
	rows = append(rows, summaryRow("all", all, took))
	right := make([]bool, len(columns)+1)
	for i := range right {
		right[i] = i > 0
	}
	m.table(append(columns, "time"), right, rows)
	m.paragraph(strings.Join(append([]string{r.profiles() + " Time is on the clock."}, notes...), " "))
	return strings.TrimPrefix(m.String(), "\n"), nil
}

// summaryRow counts the document's own claims by verdict.
func summaryRow(name string, entries []entry, took period) []string {
	own := 0
	for _, e := range entries {
		if partOf(e.claim()) == words {
			own++
		}
	}
	cells := verdictCells(ofPart(counted(entries), words))
	if !slices.ContainsFunc(entries, func(e entry) bool { return !notRun(e) }) {
		cells = slices.Repeat([]string{"–"}, len(cells))
	}
	return append(append([]string{name, fmt.Sprint(own)}, cells...), took.text())
}

// othersText counts the verdicts on identities and on claims beyond the document.
func othersText(entries []entry) string {
	var list []string
	for _, t := range tallies(counted(entries)) {
		if t.Part != words {
			list = append(list, t.Text())
		}
	}
	return strings.Join(list, "; ")
}

// link returns the name of a document, as a link to its page if it has one.
func (d *published) link(name, base string) string {
	if d == nil {
		return "`" + name + "`"
	}
	return fmt.Sprintf("[`%s`](%s%s.md)", name, base, name)
}

// verdictCells counts claims by verdict.
func verdictCells(claims []claim.Claim) (cells []string) {
	for _, v := range claim.Verdicts {
		n := 0
		for _, c := range claims {
			if c.Verdict == v {
				n++
			}
		}
		cells = append(cells, fmt.Sprint(n))
	}
	return cells
}

// uncounted says which of a document's results are stale, and which rows were not run. in
// names the document: " in NAME", or "" on its page.
func uncounted(in string, entries []entry) (sentences []string) {
	if ids := idsIf(entries, stale); len(ids) > 0 {
		sentences = append(sentences, fmt.Sprintf("**Stale**%s, so not counted: %s.", in, text.And(ids)))
	}
	if ids := idsIf(entries, notRun); len(ids) > 0 {
		sentences = append(sentences, fmt.Sprintf("**Not run**%s: %s.", in, text.And(ids)))
	}
	return sentences
}

// profiles says which profile the results are from.
func (r *Results) profiles() string {
	names := map[claim.Profile][]string{}
	for _, p := range r.papers {
		if d := r.found[p.Name]; d != nil {
			names[d.Profile] = append(names[d.Profile], "`"+p.Name+"`")
		}
	}
	quick, deep := names[claim.Quick], names[claim.Deep]
	if len(quick) == len(r.found) {
		return "Results of the **quick profile**, which may train less than the documents do."
	}
	line := "Results of the full profile"
	if len(deep) > 0 {
		line += fmt.Sprintf("; %s of the deep profile, which trains more than the full one", text.And(deep))
	}
	if len(quick) > 0 {
		line += fmt.Sprintf("; %s only of the **quick profile**, which may train less than the document does",
			text.And(quick))
	}
	return line + "."
}

// took returns the time that a document's results took: training, and tests one after
// another.
func (d *published) took() period {
	if d == nil {
		return period{}
	}
	p := d.Training
	for _, x := range d.Results {
		p.Seconds += x.Claim.Seconds
	}
	return p
}

func (p period) and(q period) period { return period{p.Seconds + q.Seconds, p.AtLeast || q.AtLeast} }

// text formats a period, as "–" if it is zero.
func (p period) text() string {
	about := ""
	if p.AtLeast {
		about = "≥ "
	}
	switch s := p.Seconds; {
	case s == 0:
		return "–"
	case s < 100:
		return about + seconds(s)
	case s < 100*60:
		return about + fmt.Sprintf("%.0f min", s/60)
	default:
		return about + fmt.Sprintf("%.1f h", s/3600)
	}
}

// index returns README.md.
func (r *Results) index() ([]byte, error) {
	m := &markdown{}
	m.heading(1, "Published results")
	m.paragraph("What `foretell reproduce` found, claim by claim. A rule, written in each row, turns the numbers " +
		"into the verdict; no verdict is entered by hand. *holds*: obtained as stated. *corrected*: the document " +
		"has an error, and the correct statement is shown. *differs*: obtained, but not as stated. *fails*: not " +
		"obtained. *open*: not decided.")
	m.paragraph("`make results` computes everything again and writes this folder. A result is **stale** if its rule, " +
		"its training runs or the arithmetic of training have changed since it was found. One table can have " +
		"results of several commits.")
	table, err := r.Summary("")
	if err != nil {
		return nil, err
	}
	m.paragraph(table[:len(table)-1])
	for _, p := range r.papers {
		entries, err := r.entries(p)
		if err != nil {
			return nil, err
		}
		m.heading(2, p.Title)
		d := r.found[p.Name]
		m.paragraph(prose(p.Source) + ". " + cmp.Or(d.headline(entries), "Not run."))
		if d != nil {
			m.claimList(entries, p.Name+".md", false)
		}
	}
	return m.Bytes(), nil
}

// headline returns the profile and the counts of a document's results.
func (d *published) headline(entries []entry) string {
	if d == nil {
		return ""
	}
	profile := profileTitle(d.Profile)
	if d.Profile == claim.Quick {
		profile = "**" + profile + "**"
	}
	return profile + ". " + Tally(counted(entries)) + ". " + d.madeAt()
}

// profileTitle returns a profile's name as the beginning of a sentence.
func profileTitle(p claim.Profile) string {
	return strings.ToUpper(string(p[:1])) + string(p[1:]) + " profile"
}

// claimList writes a line for each claim, with links to their sections on a page. Each
// has its verdict, followed by the number that decided it if numbers is true.
func (m *markdown) claimList(entries []entry, page string, numbers bool) {
	var rows [][]string
	for _, e := range entries {
		c := e.claim()
		link := fmt.Sprintf("[%s](%s#%s)", literal(c.ID), page, strings.ToLower(c.ID))
		verdict := e.status()
		if numbers && !notRun(e) {
			verdict = "**" + verdict + "**<br>" + e.deciding()
		}
		rows = append(rows, []string{link, prose(c.Statement), verdict})
	}
	m.table([]string{"", "claim", "verdict"}, make([]bool, 3), rows)
}

// status returns the verdict of an entry with a mark if it is stale, or that it was not
// run.
func (e entry) status() string {
	switch {
	case notRun(e):
		return "not run"
	case stale(e):
		return "stale (" + outcome(e.claim()) + ")"
	}
	return outcome(e.claim())
}

// longestFinding is the length in characters of a finding in a list of claims, if the
// claim has no effect.
const longestFinding = 160

// deciding returns the number that a verdict depends on, with what it is compared with.
func (e entry) deciding() string {
	c := e.claim()
	if c.Effect == nil {
		return literal(text.Excerpt(unmarked(minus(c.Obtained)), longestFinding))
	}
	return prose(effectText(c.Effect))
}

// page returns the page of a document.
func (d *published) page(p claim.Paper, entries []entry) []byte {
	m := &markdown{}
	m.heading(1, p.Title)
	m.paragraph(d.profileText(p, entries))
	m.paragraph("Claims of " + prose(p.Source) + ". [All documents](README.md).")
	m.paragraph("**" + Tally(counted(entries)) + "**")
	for _, sentence := range append(text.Each(caveats(counted(entries)), literal), uncounted("", entries)...) {
		m.paragraph(strings.TrimSuffix(sentence, ".") + ".")
	}
	m.claimList(entries, "", true)
	m.paragraph("± and ranges are 95 % intervals: over models that differ only in their random seed, or over " +
		"sampled sequences where no model is trained. " + d.madeWith())
	for _, e := range entries {
		m.entry(e, d, p.Name)
	}
	return m.Bytes()
}

// profileText describes the profile of a document's results, and what the quick profile
// leaves out.
func (d *published) profileText(p claim.Paper, entries []entry) string {
	setting := strings.TrimLeft(strings.TrimPrefix(d.Setting, string(d.Profile)+" profile"), ":; ")
	if setting != "" {
		setting = " " + strings.ToUpper(setting[:1]) + prose(setting[1:]) + "."
	}
	if d.Profile != claim.Quick {
		return "**" + profileTitle(d.Profile) + ".**" + setting
	}
	rows := p.Rows(claim.Full)
	var only []string
	for _, row := range rows {
		if !slices.ContainsFunc(entries, func(e entry) bool { return e.row.ID == row.ID }) {
			only = append(only, row.ID)
		}
	}
	left := "**Quick profile**, which trains less than the document does: it has " + trainingText(p.Rows(d.Profile))
	if full := trainingText(rows); strings.HasSuffix(left, " "+full) {
		left = "**Quick profile**, which trains the same models as the full profile: " + full
	} else {
		left += ", and the full profile " + full
	}
	if len(only) > 0 {
		left += "; it leaves out " + text.And(only)
	}
	if k := untrainedConditions(counted(entries)); k > 0 {
		left += "; it trains no models for " + text.Count(k, "condition")
	}
	return left + "." + setting
}

// trainingText counts the training runs of rows and their steps.
func trainingText(rows []claim.Row) string {
	seen, steps := map[string]bool{}, 0
	for _, row := range rows {
		for _, t := range row.Trainings {
			if !seen[t.Name] {
				seen[t.Name] = true
				steps += t.Config.Train.NumSteps
			}
		}
	}
	return fmt.Sprintf("%s of %s steps in all", text.Count(len(seen), "training run"), thousands(steps))
}

// thousands formats a number with commas between groups of three digits.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}

// untrainedConditions counts the conditions for which the profile trains no models.
func untrainedConditions(claims []claim.Claim) (n int) {
	for _, c := range claims {
		for _, condition := range c.Conditions {
			if notTried(condition) {
				n++
			}
		}
	}
	return n
}

// madeWith says what a document's results were computed with.
func (d *published) madeWith() string {
	var parts []string
	for _, p := range d.Machine {
		if p.Name == "Go" {
			parts = append(parts, literal(p.Value))
		} else {
			parts = append(parts, literal(p.Name+" "+p.Value))
		}
	}
	return fmt.Sprintf("All of it took %s, with %s. %s", d.took().text(), strings.Join(parts, ", "), d.madeAt())
}

// madeAt says which commits of the program computed the results.
func (d *published) madeAt() string {
	ids, commits := map[string][]string{}, []string{}
	for _, x := range d.Results {
		if ids[x.Commit] == nil {
			commits = append(commits, x.Commit)
		}
		ids[x.Commit] = append(ids[x.Commit], x.Claim.ID)
	}
	slices.SortStableFunc(commits, func(a, b string) int { return len(ids[a]) - len(ids[b]) })
	var parts []string
	for i, commit := range commits {
		part := "at commit " + literal(commit)
		if commit == "" {
			part = "by a program that does not record its commit"
		}
		switch {
		case len(commits) > 1 && i == len(commits)-1:
			part = "the others " + part
		case len(commits) > 1:
			part = text.And(ids[commit]) + " " + part
		}
		parts = append(parts, part)
	}
	return "Computed " + text.And(parts) + "."
}

// entry writes the section of a claim.
func (m *markdown) entry(e entry, d *published, document string) {
	c := e.claim()
	m.heading(2, c.ID)
	m.paragraph("**" + prose(c.Statement) + "**")
	head := "**" + e.status() + "**"
	if c.Kind != "" {
		head += " · " + kinds[c.Kind]
	}
	m.paragraph(head + " · " + prose(c.Source))
	if stale(e) {
		m.paragraph("**stale**: " + text.And(e.changes) + ". This result was judged by the rule below.")
	}
	if c.Quote != "" {
		m.WriteString("\n> " + flush(prose(c.Quote)) + "\n")
	}
	if notRun(e) {
		m.list([]string{"Rule: " + prose(e.row.Expected), command(document, c.ID, d.Profile)})
		return
	}
	if c.Setting == d.Setting {
		c.Setting = ""
	}
	m.list(append(facts(c), e.origin(d, document)...))
	m.published(e.result)
	if len(c.Conditions) > 1 { // a single condition repeats the claim
		m.conditions(c.Conditions)
	}
	m.aside(c)
}

// origin lists the models of a result, and how it can be reproduced.
func (e entry) origin(d *published, document string) (list []string) {
	x := e.result
	if x.Models != nil && x.Seeds != "" {
		list = append(list, fmt.Sprintf("Models: %s, %s; trained in %s",
			text.Count(x.Models.Count, "training run"), seedText(x.Seeds), x.Training.text()))
	}
	made := []string{"foretell " + literal(x.Version)}
	if x.Commit != "" {
		made = append(made, "commit "+literal(x.Commit))
	}
	made = append(made, literal(x.Date), "tested in "+seconds(x.Claim.Seconds))
	return append(list, command(document, x.Claim.ID, d.Profile)+" · "+strings.Join(made, " · "))
}

func seedText(seeds string) string {
	if strings.ContainsAny(seeds, "–,") {
		return "seeds " + seeds
	}
	return "seed " + seeds
}

// command returns the command that reproduces a claim.
func command(document, id string, profile claim.Profile) string {
	line := "foretell reproduce " + document + " --only " + id
	if profile != claim.Quick {
		line += " --profile " + string(profile)
	}
	return "`" + line + "`"
}

// published writes a result's figure with its caption, or why it is left out.
func (m *markdown) published(x *result) {
	for i, file := range x.Claim.Figures {
		m.paragraph(fmt.Sprintf("![%s](%s)", literal("Figure of "+x.Claim.ID), target(file)))
		caption := prose(x.Claim.Captions[i])
		if x.Coarse {
			caption += " (Drawn here with less detail.)"
		}
		m.paragraph(caption)
	}
	if x.LeftOut != nil {
		m.paragraph(fmt.Sprintf("Its figure has %d KB, too much for this page. The command above draws it as `%s`.",
			(x.LeftOut.Size+1023)/1024, x.LeftOut.File))
	}
}

// aside writes the notes and the stricter questions of a claim, folded away.
func (m *markdown) aside(c claim.Claim) {
	if len(c.Notes)+len(c.Asked) == 0 {
		return
	}
	var titles []string
	if len(c.Notes) > 0 {
		titles = append(titles, text.Count(len(c.Notes), "note"))
	}
	if len(c.Asked) > 0 {
		titles = append(titles, text.Count(len(c.Asked), "stricter question")+", not counted")
	}
	m.paragraph("<details><summary>" + text.And(titles) + "</summary>")
	m.list(append(text.Each(c.Notes, prose), asked(c.Asked)...))
	m.WriteString("\n</details>\n")
}
