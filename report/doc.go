// Package report turns the claims of package claim into documents that can be
// sent to a colleague: one HTML file that opens offline, the same in Markdown, a
// ledger in JSON, and a table for the terminal.
//
// [Reproduce] tests the rows of a document and updates its report after each row. [New]
// returns a report with everything but the claims:
//
//	study, rows := &claim.Study{Out: "out", Workers: 2}, document.Rows(claim.Quick)
//	about := report.New(document, claim.Quick, rows, study.Workers, "go run .")
//	claims, page, err := report.Reproduce(ctx, study, rows, about)
//
// A [Report] holds the results and how they were obtained. [Write] writes it into the
// folder that already has the figures and the data:
//
//	out/report.html    all claims at a glance, then each with its figures inline
//	    report.md      the same, with links to the figures
//	    claims.json    the ledger for programs
//	    figures/*.svg  drawn by package figure
//	    data/*         the numbers behind them
//	    runs/*         the models of a study, which the report does not need
//
// Write may be called after each claim, with the ids of the unfinished rows in
// Pending. Each file is replaced as a whole: whoever opens the page at any moment
// sees a complete one.
//
// # The folder
//
// A folder has one writer at a time: a second Reproduce or Write returns
// [ErrInUse]. It belongs to the report whose ledger it holds, identified by
// title, source and profile. A run that tests fewer rows keeps the others, with
// the date and the command that found them (field Before of
// [foretell/claim.Claim]). If the folder holds another report, files of these
// names without a ledger, or links in their place, the error is a [*FolderError].
//
// Rows that are tested again keep their old results, figures and data until all rows are
// done. The new files are collected in out/.new-report, which appears complete or not at
// all, and are then moved into place. If the process is killed during the move, the next
// process to open the folder completes it.
//
// # At a glance
//
// The headline counts the verdicts on the document's claims. Identities and rows beyond
// the document are counted separately, and rows whose results come from one and the same
// fit form one block. Below the headline is a matrix of claims against conditions: claims
// that share conditions have them in columns, at most five; otherwise each cell names its
// condition. A cell has the verdict as a word and a shape, the effect with its interval,
// and a sentence that appears when the cell is pointed at, tapped or focused. A condition
// whose models have not converged is open, and the cell gives the reason.
//
// Then each claim shows the document's words next to the finding; the effect next to the
// document's number and the control, in one unit; the rule and its commit; if the rule
// was changed after a result was known, what the first rule says about the same numbers;
// figures, conditions and tables; and, folded away, the stricter questions that the study
// asks in addition. The headline lists the claims to which first rules give another
// verdict. The learning curves follow after the claims, with floor and chance. Models
// that differ only in their random seed share one curve. The curves are in
// figures/loss.svg (and, with many models, loss-2.svg and so on) and in data/loss.csv.
// For a terminal, [Table] writes a line for each claim and [Details] everything. A claim
// that lacks some of these fields is shown with the fields that it has.
//
// # The page
//
// It loads nothing: no font, script, style sheet or picture. Its content security policy
// makes the browser enforce that, too. Its one script switches between light and dark
// and hides a cell's sentence at Escape; without it the page is still complete. Figures
// are put inline unchanged, except that their identifiers are made distinct. A figure
// that two claims share is shown once, and the second claim links to it. In a table of
// more than nine columns, long texts are notes below the table.
//
// # Text
//
// Statements, findings, notes and captions are plain Unicode text in which
// `code` and *emphasis* may be marked; see [Report]. Everything else in them is
// shown literally: a claim cannot put markup into a page.
package report
