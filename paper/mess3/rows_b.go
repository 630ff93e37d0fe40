package mess3

import (
	_ "embed"

	"foretell/claim"
)

//go:embed rows_b.md
var rowsMarkdownB string

// textsB holds the texts of M4, M7 to M10, M12, M15, M16, M17b, M17c, M18 and M19.
var textsB = claim.MustTexts(rowsMarkdownB)
