// Package report turns the claims of package claim into documents that can be
// sent to a colleague: one HTML file that opens offline, the same in Markdown, a
// ledger in JSON, and a table for the terminal.
//
// [Reproduce] tests the rows of a document and keeps its report up to date, for which
// [New] knows all but the claims:
//
//	study, rows := &claim.Study{Out: "out", Workers: 2}, document.Rows(claim.Quick)
//	about := report.New(document, claim.Quick, rows, study.Workers, "go run .")
//	claims, page, err := report.Reproduce(ctx, study, rows, about)
//
// A [Report] holds what was found and how. [Write] puts it into the folder in which
// the figures and the data already stand:
//
//	out/report.html    all claims at a glance, then each with its figures inline
//	    report.md      the same, with links to the figures
//	    claims.json    the ledger for programs
//	    figures/*.svg  drawn by package figure
//	    data/*         the numbers behind them
//	    runs/*         the models of a study, which the report does not need
//
// Write may be called after each claim, with the ids of those that are still to
// come in Pending: the files are replaced whole, so that a reader who opens
// the page at any moment sees a complete one.
//
// # The folder
//
// It has one owner at a time: a second Reproduce or Write is [ErrInUse]. It belongs to
// the report whose ledger it holds, which title, source and profile tell. A run of fewer
// rows into it keeps the others, with the date and the command that found them
// ([foretell/claim.Claim] has them as Before); another report, files of these names
// without a ledger, and links in their place are a [*FolderError].
//
// Rows that are tested again stand as they were, with their figures and data, until all
// are done. Then the new files are collected in out/.new-report, which is there whole or
// not at all, and moved into place; where a kill stops that, whoever opens the folder
// next ends it.
//
// # At a glance
//
// The headline counts verdicts on the document's words. Identities and what is beyond
// the document are counted apart, and rows that stand on one fit are shown as one
// block. Below it claims stand against conditions: those that share conditions have
// them in columns, at most five; otherwise each cell says its condition. A cell has the
// verdict as a word and a shape, the effect with its interval, and a sentence, which
// shows when it is pointed at, tapped or focused. What has not converged is open and
// says why not.
//
// Each claim then has the document's words beside what was found, the effect beside the
// document's number and the control's in one unit, the rule and since when it stands,
// figures, conditions, tables, and folded below, our own stricter questions. Behind the
// claims stands how the models learned, with floor and chance, those that differ in their
// random seed alone as one curve: figures/loss.svg, of many models also loss-2.svg and so
// on, and data/loss.csv. [Table] says it in a line each, [Details] all of it, for a
// terminal. Claims of ledgers before these fields are shown with what they have.
//
// # The page
//
// It loads nothing: no font, script, style sheet or picture from anywhere, which its
// content security policy enforces in the browser as well. It is complete
// without its one script, which switches between light and dark, and puts a sentence away
// at Escape. Figures are taken into the page as they are, and their identifiers kept
// apart; a figure that two claims share is shown once and linked to from the second.
//
// # Text
//
// Statements, findings, notes and captions are plain Unicode text in which
// `code` and *emphasis* may be marked; see [Report]. Everything else in them is
// shown literally: a claim cannot put markup into a page.
package report
