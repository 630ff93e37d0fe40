package manual

import (
	"os/exec"
	"strings"
	"testing"

	"foretell/internal/needs"

	"github.com/spf13/cobra"
)

// example is a command whose texts have all that roff takes for something else.
func example() *cobra.Command {
	root := &cobra.Command{
		Use: "tool", Short: "Do things", RunE: func(*cobra.Command, []string) error { return nil },
		Long: `Say 'what' "is": a\b, x^2 ~ y, KL(p‖q) ≤ 0.5·ε, as ` + "`tool list --all`" + ` has it
.SH is no heading here, and
'tis no request.

  key:   value
  other: a backslash \ and --flag

name     one column
         and another`,
		Example: "  tool --size 3\n  tool -q",
	}
	root.Flags().Int("size", 10, "how `MANY` there are")
	root.Flags().BoolP("quiet", "q", false, "say nothing")
	root.Flags().String("secret", "", "not shown")
	root.Flags().Lookup("secret").Hidden = true
	root.AddCommand(&cobra.Command{Use: "list", Short: "List things", Run: func(*cobra.Command, []string) {}})
	root.AddCommand(&cobra.Command{Use: "hidden", Hidden: true, Run: func(*cobra.Command, []string) {}})
	return root
}

// A page says what the help says, in ASCII, and nothing of its texts is a request.
func TestPage(t *testing.T) {
	pages := Pages(example(), Edition{"v1.2", "2026-11-22"})
	if len(pages) != 2 || pages[0].File != "tool.1" || pages[1].File != "tool-list.1" {
		t.Fatalf("%d pages: %q", len(pages), pages)
	}
	text := string(pages[0].Text)
	for _, want := range []string{
		`.TH "TOOL" "1" "2026\-11\-22" "tool v1.2" "Manual of tool"` + "\n",
		"\n.SH \"NAME\"\ntool \\- Do things\n",
		`\(aqwhat\(aq \(dqis\(dq: a\(rsb, x\(ha2 \(ti y, KL(p\[u2016]q) \[u2264] 0.5\[u00B7]\[u03B5], as \fBtool list \-\-all\fR`,
		"\n\\&.SH is no heading here, and\n\\(aqtis no request.\n",
		"\n.nf\n  key:   value\n  other: a backslash \\(rs and \\-\\-flag\n.fi\n.PP\n.nf\nname     one column\n",
		"\n.TP\n\\fB\\-\\-size\\fR MANY\nhow MANY there are (default 10)\n",
		"\n.TP\n\\fB\\-q\\fR, \\fB\\-\\-quiet\\fR\nsay nothing\n",
		"\n.SH \"SEE ALSO\"\n\\fBtool\\-list\\fR(1)\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "secret") || strings.Contains(text, "hidden") {
		t.Errorf("what is hidden is shown:\n%s", text)
	}
	for _, c := range text {
		if c > '~' {
			t.Errorf("%q is not ASCII", c)
		}
	}
}

// groff has nothing to say against a page, and shows what the help says.
func TestGroff(t *testing.T) {
	groff := needs.Program(t, "groff", "groff")
	for _, page := range Pages(example(), Edition{Version: "v1.2"}) {
		cmd := exec.Command(groff, "-man", "-ww", "-Tutf8", "-P-cbou")
		cmd.Stdin = strings.NewReader(string(page.Text))
		var said strings.Builder
		cmd.Stderr = &said
		shown, err := cmd.Output()
		if err != nil || said.Len() > 0 {
			t.Errorf("%s: %v: %s", page.File, err, said.String())
		}
		if page.File == "tool.1" && !strings.Contains(string(shown), `KL(p‖q) ≤ 0.5·ε`) {
			t.Errorf("%s", shown)
		}
	}
}
