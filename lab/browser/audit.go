package browser

import (
	"context"
	_ "embed"
	"strings"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

//go:embed testdata/axe/axe.min.js
var axe string

// Violation is a rule of axe-core that elements of a page break.
type Violation struct {
	Rule     string   // axe-core's name, such as color-contrast
	Impact   string   // serious or critical
	Help     string   // what the rule wants
	Elements []string // selector and reason of each element
}

// runAxe runs axe-core on the document.
const runAxe = `;axe.run(document, {resultTypes: ["violations"]}).then(found => found.violations
	.filter(v => v.impact === "serious" || v.impact === "critical")
	.map(v => ({Rule: v.id, Impact: v.impact, Help: v.help,
		Elements: v.nodes.map(n => n.target.join(" ") + ": " + n.failureSummary)})))`

// Audit returns the violations of serious and critical impact that axe-core finds in a
// page. It runs in an isolated world, so that the page does not see it and the page's
// Content-Security-Policy does not hold for it.
func (p *Page) Audit() []Violation {
	p.t.Helper()
	return Get(p, func(ctx context.Context, t *chromedp.Target) ([]Violation, error) {
		tree, err := cdp.Call(ctx, t, page.GetFrameTree, cdp.Empty{})
		if err != nil {
			return nil, err
		}
		in := page.CreateIsolatedWorldParams{FrameID: tree.FrameTree.Frame.ID}
		world, err := cdp.Call(ctx, t, page.CreateIsolatedWorld, in)
		if err != nil {
			return nil, err
		}
		within := func(p *runtime.EvaluateParams) { p.ContextID = world.ExecutionContextID }
		return chromedp.Evaluate[[]Violation](axe+runAxe, chromedp.EvalAwaitPromise, within)(ctx, t)
	})
}

// Tree returns the accessibility tree of a page, which is what a screen reader says: one
// element a line, below its parent and indented by two more spaces, with its role, its
// name, its value and its states, such as
//
//	heading "foretell" level=1
func (p *Page) Tree() []string {
	p.t.Helper()
	all := Get(p, func(ctx context.Context, t *chromedp.Target) ([]*accessibility.Node, error) {
		result, err := cdp.Call(ctx, t, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
		return result.Nodes, err
	})
	if len(all) == 0 {
		return nil
	}
	nodes := tree{}
	for _, node := range all {
		nodes[node.NodeID] = node
	}
	return nodes.lines(all[0], "", "")
}

// tree is the nodes of a tree by their names.
type tree map[accessibility.NodeID]*accessibility.Node

// namedByContent are the roles whose name is, as a rule, the text within them.
var namedByContent = map[string]bool{
	"heading": true, "link": true, "button": true, "option": true, "tab": true, "menuitem": true,
	"treeitem": true, "checkbox": true, "radio": true, "switch": true, "cell": true, "gridcell": true,
	"columnheader": true, "rowheader": true,
}

// lines returns the lines of a node and those below it. Nodes that are ignored, such as a
// div, have no line, and neither has a text that is part of the name above it.
func (nodes tree) lines(node *accessibility.Node, indent, above string) []string {
	var all []string
	role, name := text(node.Role), text(node.Name)
	repeated := role == "StaticText" && strings.Contains(above, name)
	if !node.Ignored && role != "generic" && !repeated {
		all = append(all, indent+line(node))
		indent += "  "
		above = ""
		if namedByContent[role] {
			above = name
		}
	}
	if role == "StaticText" {
		return all // its children are its lines on the screen
	}
	for _, id := range node.ChildIDs {
		if child := nodes[id]; child != nil {
			all = append(all, nodes.lines(child, indent, above)...)
		}
	}
	return all
}

// states are the properties that a screen reader says, if they are not false.
var states = map[accessibility.PropertyName]bool{
	"level": true, "checked": true, "pressed": true, "expanded": true, "selected": true, "disabled": true,
	"readonly": true, "required": true, "invalid": true, "hasPopup": true, "live": true,
	"valuemin": true, "valuemax": true, "valuetext": true,
}

// line is one node.
func line(node *accessibility.Node) string {
	words := text(node.Role)
	if name := text(node.Name); name != "" {
		words += ` "` + name + `"`
	}
	if value := text(node.Value); value != "" {
		words += " value=" + value
	}
	if description := text(node.Description); description != "" {
		words += ` description="` + description + `"`
	}
	for _, property := range node.Properties {
		value := text(property.Value)
		if states[property.Name] && value != "" && value != "false" && value != text(node.Value) {
			words += " " + string(property.Name) + "=" + value
		}
	}
	return words
}

// text is a value as text, on one line.
func text(value *accessibility.Value) string {
	if value == nil {
		return ""
	}
	return strings.Join(strings.Fields(plain(value.Value)), " ")
}
