// Package chromium renders SVG figures as PNG and PDF with a Chromium that is installed
// on the machine. It runs the browser headless and offline on a temporary page; the
// package never downloads anything.
package chromium

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"html/template"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"foretell/internal/limit"
)

// Endings lists the file name extensions of the formats that [Render] produces.
var Endings = []string{".png", ".pdf"}

// ErrMissing is the error of [Find] and [Render] if no Chromium is installed.
var ErrMissing = errors.New("to write .png or .pdf install Chromium (Debian: apt install chromium), or write .svg")

// PNGWidth is the width of a PNG in pixels: the width of a slide.
const PNGWidth = 1920

const (
	timeLimit  = time.Minute
	mostHeight = 8 * PNGWidth // largest height of a PNG in pixels
	mostBytes  = 256 << 20    // largest size of a rendered file in bytes
	mostLog    = 4096         // bytes of the browser's messages that an error quotes
)

// programs are the names of Chromium's program, in order of preference.
var programs = []string{"chromium", "chromium-browser", "google-chrome"}

// Find returns the path of the first Chromium in PATH, or [ErrMissing].
func Find() (string, error) {
	for _, name := range programs {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrMissing
}

// Picture returns how to write a file with the given extension. For one of [Endings],
// picture is that ending, to be passed to [Render], and figure is ".svg", the format to
// render from. For any other ending, picture is "" and figure is ending. Picture returns
// [ErrMissing] if a picture is wanted and no Chromium is installed.
func Picture(ending string) (picture, figure string, err error) {
	if !slices.Contains(Endings, ending) {
		return "", ending, nil
	}
	_, err = Find()
	return ending, ".svg", err
}

// Render returns an SVG figure in the format of a file name extension, one of [Endings]:
// a PNG with a width of [PNGWidth] pixels, or a PDF with one page of the figure's size.
// theme holds CSS declarations that set the figure's colours; if it is "", the figure
// keeps its own colours. Render returns an error if no Chromium is installed, if
// rendering takes more than a minute, if the figure's height is more than eight times its
// width, or if ctx ends.
func Render(ctx context.Context, svg []byte, theme, ending string) ([]byte, error) {
	browser, err := Find()
	if err != nil {
		return nil, err
	}
	width, height, err := size(svg)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "foretell-figure-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	page, out := filepath.Join(folder, "figure.html"), filepath.Join(folder, "figure"+ending)
	if err := os.WriteFile(page, pageOf(svg, theme, width, height), 0o600); err != nil {
		return nil, err
	}
	args := append(Options(filepath.Join(folder, "profile")), how(ending, out, width, height)...)
	if err := run(ctx, browser, append(args, "file://"+filepath.ToSlash(page))); err != nil {
		return nil, err
	}
	data, err := limit.ReadFile(out, "a figure", mostBytes)
	if err != nil {
		return nil, fmt.Errorf("%s wrote no %s: %w", browser, ending, err)
	}
	if ending == ".pdf" {
		data = dates.ReplaceAll(data, []byte("/${1}Date (D:20000101000000"))
	}
	return data, nil
}

// dates finds the dates in a PDF. They are replaced, because equal figures must give
// equal bytes.
var dates = regexp.MustCompile(`/(Creation|Mod)Date \(D:\d{14}`)

// size returns the width and height of an SVG in points.
func size(svg []byte) (width, height float64, err error) {
	var root struct {
		XMLName xml.Name `xml:"svg"`
		Width   string   `xml:"width,attr"`
		Height  string   `xml:"height,attr"`
	}
	if err := xml.Unmarshal(svg, &root); err != nil {
		return 0, 0, fmt.Errorf("the figure is not an SVG: %w", err)
	}
	width, err = points(root.Width)
	if err == nil {
		height, err = points(root.Height)
	}
	if err == nil && height*PNGWidth > width*mostHeight {
		err = fmt.Errorf("the figure is %g×%g points; .png and .pdf are at most %d times as high as wide, write .svg",
			width, height, mostHeight/PNGWidth)
	}
	return width, height, err
}

// points returns a length such as "360pt" in points.
func points(length string) (float64, error) {
	x, err := strconv.ParseFloat(strings.TrimSuffix(length, "pt"), 64)
	if err != nil || !strings.HasSuffix(length, "pt") || !(x > 0) || math.IsInf(x, 0) {
		return 0, fmt.Errorf("the figure's size is %q, want a number of points", length)
	}
	return x, nil
}

// pageTemplate is a page that shows a figure without margins. Its policy forbids scripts
// and requests.
var pageTemplate = template.Must(template.New("page").Parse(`<!DOCTYPE html>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<style>
@page{size:{{.Width}}pt {{.Height}}pt;margin:0}
:root{color-scheme:light;{{.Theme}}}
html,body{margin:0;background:#fff;overflow:hidden}
svg{display:block;width:100vw;height:auto}
@media print{svg{width:{{.Width}}pt;height:{{.Height}}pt;break-after:avoid}}
</style>
{{.SVG}}`))

func pageOf(svg []byte, theme string, width, height float64) []byte {
	var b bytes.Buffer
	err := pageTemplate.Execute(&b, struct {
		Width, Height float64
		Theme         template.CSS
		SVG           template.HTML
	}{width, height, template.CSS(theme), template.HTML(svg)})
	if err != nil {
		panic("chromium: " + err.Error()) // writing to a buffer cannot fail
	}
	return b.Bytes()
}

// Options returns the browser's options to run without a window and without network
// requests, with the temporary profile in the given folder. rules are exceptions, as
// Chromium's host-resolver-rules has them: "EXCLUDE 127.0.0.1" allows requests to that
// address, and "MAP a.example 127.0.0.1" sends those to a.example there.
func Options(profile string, rules ...string) []string {
	args := []string{
		"--headless", "--disable-gpu", "--hide-scrollbars", "--user-data-dir=" + profile,
		"--no-proxy-server", "--no-first-run", "--no-default-browser-check", "--no-pings", "--disable-background-networking",
		"--disable-component-update", "--disable-default-apps", "--disable-extensions", "--disable-sync",
		"--disable-breakpad", "--host-resolver-rules=" + strings.Join(append(rules, "MAP * ~NOTFOUND"), ","),
	}
	if os.Getuid() == 0 {
		args = append(args, "--no-sandbox") // as root, Chromium refuses to run in its sandbox
	}
	return args
}

// how returns the browser's options to write the page to the file out, as PDF or as PNG.
func how(ending, out string, width, height float64) []string {
	if ending == ".pdf" {
		return []string{"--no-pdf-header-footer", "--print-to-pdf=" + out}
	}
	pixels := int(math.Round(PNGWidth * height / width))
	return []string{
		fmt.Sprintf("--window-size=%d,%d", PNGWidth, pixels), "--force-device-scale-factor=1", "--screenshot=" + out,
	}
}

// run runs the browser. An error quotes the end of the browser's messages.
func run(ctx context.Context, browser string, args []string) error {
	timed, cancel := context.WithTimeout(ctx, timeLimit)
	defer cancel()
	var log tail
	cmd := exec.CommandContext(timed, browser, args...)
	cmd.Stdout, cmd.Stderr = &log, &log
	cmd.WaitDelay = 5 * time.Second
	err := cmd.Run()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case timed.Err() != nil:
		return fmt.Errorf("%s took more than %v; write .svg", browser, timeLimit)
	}
	return fmt.Errorf("%s: %w: %s", browser, err, strings.Join(strings.Fields(string(log)), " "))
}

// tail keeps the last mostLog bytes written to it.
type tail []byte

func (t *tail) Write(p []byte) (int, error) {
	*t = append(*t, p...)
	*t = (*t)[max(0, len(*t)-mostLog):]
	return len(p), nil
}
