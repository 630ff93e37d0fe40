package report_test

import (
	"fmt"
	"os"
	"path/filepath"

	"foretell/claim"
	"foretell/report"
)

func Example() {
	dir, err := os.MkdirTemp("", "report")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()

	r := report.Report{
		Title:   "Constrained belief updates: Mess3",
		Source:  "Piotrowski et al. 2025",
		Profile: "quick: 2 million tokens a model",
		Claims: []claim.Claim{{
			ID: "M6", Source: "Piotrowski et al. 2025, Fig. 2C, Eq. 13", Verdict: claim.Holds,
			Statement: "Attention falls as (1−3x)ⁿ",
			Expected:  "slope within 10 % of log ζ",
			Obtained:  "4.5 % off",
		}},
		Pending: []string{"M13"},
	}
	path, err := report.Write(dir, r)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(filepath.Base(path))
	_ = report.Table(os.Stdout, r.Claims, 80, false)
	// Output:
	// report.html
	// id  verdict  found      statement
	// M6  holds    4.5 % off  Attention falls as (1−3x)ⁿ
	//
	// 1 claim: 1 holds
}
