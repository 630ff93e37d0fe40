package browser

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// told is a lesson as `foretell lessons --json` prints it.
type told struct {
	Lesson int
	Title  string
	Steps  []struct {
		Title  string
		Blocks json.RawMessage
	}
}

// steps counts the steps of lessons.
func steps(lessons []told) (n int) {
	for _, l := range lessons {
		n += len(l.Steps)
	}
	return n
}

// shownIn are the fields of blocks that a page shows as text.
var shownIn = []string{"span", "code", "command", "output", "caption"}

// textsOf returns the texts of blocks that a page shows, in any order.
func textsOf(value any) (texts []string) {
	switch value := value.(type) {
	case []any:
		for _, x := range value {
			texts = append(texts, textsOf(x)...)
		}
	case map[string]any:
		for key, x := range value {
			if s, ok := x.(string); ok && slices.Contains(shownIn, key) && strings.TrimSpace(s) != "" {
				texts = append(texts, s)
			}
			texts = append(texts, textsOf(x)...)
		}
	}
	return texts
}

// turned waits until a page shows a step with its figures.
func turned(p *Page, lesson, part int, title string) {
	p.t.Helper()
	waitFor(p, fmt.Sprintf(`document.querySelector("#step")?.textContent === %q && [...document.querySelectorAll("select")].map(s => s.value).join() === "%d,%d"
		&& [...document.querySelectorAll(".lesson figure")].every(f => f.querySelector("img")?.naturalWidth > 0)`, title, lesson, part))
}

// The keyboard alone leads through all lessons, in every view. Each step has every text
// of the command's JSON, and no fault.
func TestLessons(t *testing.T) {
	b, l := Start(t), startLab(t)
	lessons := jsonOf[[]told](t, l, "lessons")
	if n := steps(lessons); len(lessons) < 5 || n < 20 {
		t.Fatalf("%d lessons with %d steps", len(lessons), n)
	}
	for _, view := range Views {
		p := b.Open(t, l.at("page", "lessons"), view)
		waitFor(p, `document.querySelectorAll(".lessons a").length === `+strconv.Itoa(len(lessons)))
		audited(t, p, view, "lessons")
		p.Do(chromedp.Focus(chromedp.CSS(".lessons a")), chromedp.KeyEvent(kb.Enter))
		for _, lesson := range lessons {
			for i, step := range lesson.Steps {
				name := fmt.Sprintf("lesson %d, step %d", lesson.Lesson, i+1)
				turned(p, lesson.Lesson, i+1, step.Title)
				if lesson.Lesson+i > 1 && !Eval[bool](p, `document.activeElement.id === "step"`) {
					t.Errorf("%s: its heading has no focus", name)
				}
				Eval[*bool](p, `void document.querySelectorAll(".lesson details").forEach(d => { d.open = true })`)
				audited(t, p, view, name)
				var blocks any
				if err := json.Unmarshal(step.Blocks, &blocks); err != nil {
					t.Fatal(err)
				}
				text := textOf(p, ".lesson")
				for _, want := range textsOf(blocks) {
					if !strings.Contains(text, want) {
						t.Errorf("%s: the page does not have %q", name, want)
					}
				}
				p.Do(chromedp.KeyEvent(kb.ArrowRight))
			}
		}
		waitFor(p, `document.querySelector(".lessons") && !location.search.includes("lesson=")`)
		if text := textOf(p, ".problem"); text != "" {
			t.Errorf("the page says %q", text)
		}
	}
}

// The address has the step, so that a link shows it. The arrow key turns back.
func TestLessonAddress(t *testing.T) {
	b, l := Start(t), startLab(t)
	lessons := jsonOf[[]told](t, l, "lessons")
	p := b.Open(t, l.at("page", "lessons", "lesson", "2", "part", "1"), Views[0])
	turned(p, 2, 1, lessons[1].Steps[0].Title)
	last := len(lessons[0].Steps)
	p.Do(chromedp.KeyEvent(kb.ArrowLeft))
	turned(p, 1, last, lessons[0].Steps[last-1].Title)
	waitFor(p, fmt.Sprintf(`location.search === "?page=lessons&lesson=1&part=%d"`, last))
	p = b.Open(t, l.link+"&"+Eval[string](p, "location.search.slice(1)"), Views[2])
	turned(p, 1, last, lessons[0].Steps[last-1].Title)
	Eval[*bool](p, `void (document.querySelector(".lesson details").open = true)`)
	p.Do(chromedp.Focus(chromedp.CSS(".lesson pre")), chromedp.KeyEvent(kb.ArrowLeft)) // scrolls what it prints
	turned(p, 1, last, lessons[0].Steps[last-1].Title)
}

// opening is a link of a step that shows a command in another page.
type opening struct{ Command, Output, Words, Query string }

// openings returns the links of all steps.
func openings(t *testing.T, b *Browser, l *laboratory, lessons []told) (list []opening) {
	t.Helper()
	p := b.Open(t, l.at("page", "lessons", "lesson", "1"), Views[0])
	for _, lesson := range lessons {
		for i, step := range lesson.Steps {
			turned(p, lesson.Lesson, i+1, step.Title)
			list = append(list, Eval[[]opening](p, `[...document.querySelectorAll(".typed:has(a.go)")].map(e => ({
				Command: e.querySelector("code").textContent, Output: e.querySelector("pre")?.textContent ?? "",
				Words: e.querySelector("a.go").textContent, Query: e.querySelector("a.go").search}))`)...)
			p.Do(chromedp.KeyEvent(kb.ArrowRight))
		}
	}
	return list
}

// ready are expressions that are true when a page shows what its address asks for.
var ready = map[string]string{
	"Process": `document.querySelector("figure img")?.naturalWidth > 0 && document.querySelectorAll(".facts dd").length > 4`,
	"Walk":    `document.querySelector(".matrix.result")`,
	"Inside":  `document.querySelector(".next, .clouds .r2")`,
	"Runs":    `document.querySelector(".chart")`,
	"Train":   `document.querySelector("button.main")`,
}

// left are words of a lesson's command that a page does not need: it shows more.
var left = regexp.MustCompile(` --(all|steer)\b| --(graph|out|positions|length) \S+`)

// shownCommand returns the command that a page names for a command of a lesson, or "".
func shownCommand(line string) string {
	line = left.ReplaceAllString(strings.TrimPrefix(line, "./"), "")
	line = strings.Replace(line, "dealer.yaml", "./process.yaml", 1)
	line = strings.Replace(line, "process sample", "process show", 1)
	line = strings.Replace(line, "--param n_ctx=4 --param error=0.001", "--param error=0.001 --param n_ctx=4", 1)
	line = regexp.MustCompile(`^foretell (predict|plot) `).ReplaceAllString(line, "foretell $1 runs/")
	if strings.HasPrefix(line, "foretell probe ") {
		return ""
	}
	return line
}

var learnedShare = regexp.MustCompile(`([\d.]+ %) of what can be learned`)

// Every link of a step opens a page that works and leads back. Those to a model train it
// first, to what the lesson says.
func TestLessonLinks(t *testing.T) {
	b, l := Start(t), startLab(t)
	lessons := jsonOf[[]told](t, l, "lessons")
	runs := 0
	for _, o := range openings(t, b, l, lessons) {
		if !strings.HasPrefix(o.Words, "Train ") {
			continue
		}
		p := b.Open(t, l.link+"&"+o.Query[1:], Views[0])
		waitFor(p, ready["Train"])
		press(p, "Train")
		waitFor(p, `[...document.querySelectorAll(".facts dd")].some(e => e.textContent === "complete")
			&& [...document.querySelectorAll(".facts dd")].some(e => /^(\d+) of \1$/.test(e.textContent))`)
		if want := learnedShare.FindStringSubmatch(o.Output); want != nil && textOf(p, ".learned") != want[1] {
			t.Errorf("%s: the page says that %s is learned, and the lesson %s", o.Command, textOf(p, ".learned"), want[1])
		}
		runs++
	}
	list := openings(t, b, l, lessons)
	if runs < 5 || len(list) < 20 {
		t.Errorf("%d links to runs, %d links", runs, len(list))
	}
	for _, o := range list {
		page := o.Words[strings.LastIndex(o.Words, " ")+1:]
		p := b.Open(t, l.link+"&"+o.Query[1:], Views[0])
		waitFor(p, ready[page]+` && document.querySelector("h1").textContent === "`+page+`"`)
		if want := shownCommand(o.Command); page != "Train" && want != "" {
			waitFor(p, fmt.Sprintf(`document.querySelector("main").textContent.includes(%q)`, want))
		}
		if text := textOf(p, ".problem"); text != "" {
			t.Errorf("%s: the page %s says %q", o.Command, page, text)
		}
		p.Do(chromedp.Focus(chromedp.CSS(".return a")), chromedp.KeyEvent(kb.Enter))
		waitFor(p, fmt.Sprintf(`[...document.querySelectorAll(".lesson code")].some(e => e.textContent === %q)`, o.Command))
	}
}
