package report

import (
	"bytes"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// shrink returns a figure of package figure with less detail, if it is larger than most
// bytes: first with coordinates to a tenth of a point and with equal marks in one path,
// then also with pictures of a half, a third and a quarter of their resolution, whichever
// suffices. A heat map has four pixels a cell in each direction, so that it loses no cell
// by a half or a quarter. If nothing suffices, the smallest is returned.
func shrink(svg []byte, most int) []byte {
	if len(svg) <= most {
		return svg
	}
	whole := merged(svg)
	small := whole
	for factor := 2; factor <= 4 && len(small) > most; factor++ {
		small = pictures.ReplaceAllFunc(whole, func(uri []byte) []byte { return coarser(uri, factor) })
	}
	return small
}

var (
	// disc and outline match a line with a mark of package figure.
	disc    = regexp.MustCompile(`^\s*<circle cx="([^"]+)" cy="([^"]+)" r="([^"]+)" fill="(#[0-9a-f]{6})"/>$`)
	outline = regexp.MustCompile(`^\s*<path (class="[^"]*" )?d="([MLZ0-9.,-]+)"([^>]*)/>$`)
	point   = regexp.MustCompile(`([MLZ])(?:([^,MLZ]+),([^,MLZ]+))?`)
)

// merged rounds coordinates to a tenth of a point, and writes neighbouring marks that
// look the same as one path, unless they are translucent.
func merged(svg []byte) []byte {
	var b bytes.Buffer
	var run strokes
	for line := range strings.Lines(string(svg)) {
		next := readMarks(strings.TrimRight(line, "\n"))
		if run.attrs != next.attrs || next.attrs == "" || strings.Contains(next.attrs, "opacity") {
			run.write(&b)
			run = strokes{attrs: next.attrs}
		}
		if next.attrs == "" {
			b.WriteString(strings.TrimLeft(line, " "))
		}
		run.d = append(run.d, next.d...)
	}
	run.write(&b)
	return b.Bytes()
}

// strokes are the outlines of marks with the same attributes.
type strokes struct {
	attrs string // empty if there are no marks
	d     []stroke
}

// stroke is a command of path data: M, L or Z, or D for a disc. Coordinates are in tenths
// of a point.
type stroke struct {
	command byte
	x, y    int
}

// readMarks reads a line of a figure. Without a mark that can be merged, attrs is empty.
func readMarks(line string) strokes {
	if m := disc.FindStringSubmatch(line); m != nil {
		r, _ := strconv.ParseFloat(m[3], 64)
		width := strconv.FormatFloat(2*r, 'f', -1, 64)
		return strokes{
			` fill="none" stroke="` + m[4] + `" stroke-width="` + width + `" stroke-linecap="round"`,
			[]stroke{{'D', tenths(m[1]), tenths(m[2])}},
		}
	}
	m := outline.FindStringSubmatch(line)
	if m == nil {
		return strokes{}
	}
	of := strokes{attrs: strings.TrimRight(" "+m[1], " ") + " " + strings.TrimSpace(m[3])}
	for _, p := range point.FindAllStringSubmatch(m[2], -1) {
		of.d = append(of.d, stroke{p[1][0], tenths(p[2]), tenths(p[3])})
	}
	return of
}

func tenths(number string) int {
	x, _ := strconv.ParseFloat(number, 64)
	return int(math.Round(10 * x))
}

// finest is the length in tenths of a point below which steps of a line are dropped.
const finest = 8

// write writes the marks as one path with relative coordinates.
func (m strokes) write(b *bytes.Buffer) {
	if m.attrs == "" {
		return
	}
	b.WriteString("<path" + strings.TrimRight(m.attrs, " ") + ` d="`)
	var x, y, startX, startY int
	var last byte
	d := m.apart()
	for i, s := range d {
		if s.command == 'Z' {
			b.WriteByte('z')
			x, y, last = startX, startY, 'Z'
			continue
		}
		inside := i+1 < len(d) && d[i+1].command == 'L'
		if s.command == 'L' && inside && max(abs(s.x-x), abs(s.y-y)) < finest {
			continue
		}
		switch {
		case s.command == 'L' && last != 'L':
			b.WriteByte('l')
		case s.command != 'L':
			b.WriteByte('m')
			startX, startY = s.x, s.y
		default:
			b.WriteByte(' ')
		}
		b.WriteString(relative(s.x-x) + "," + relative(s.y-y))
		if s.command == 'D' {
			b.WriteString("h0")
		}
		x, y, last = s.x, s.y, s.command
	}
	b.WriteString("\"/>\n")
}

// apart returns the strokes without the marks that an equal mark in nearly the same place
// hides.
func (m strokes) apart() (kept []stroke) {
	type place struct{ corners, x, y int }
	seen := map[place]bool{}
	for first := 0; first < len(m.d); {
		end := first + 1
		for end < len(m.d) && m.d[end].command != 'M' && m.d[end].command != 'D' {
			end++
		}
		mark := m.d[first:end]
		at := place{len(mark), mark[0].x / crowded, mark[0].y / crowded}
		closed := mark[0].command == 'D' || mark[len(mark)-1].command == 'Z'
		if !closed || !seen[at] {
			kept = append(kept, mark...)
		}
		seen[at], first = true, end
	}
	return kept
}

// crowded is the size in tenths of a point of the square in which one mark stands for all
// equal ones.
const crowded = 4

func abs(n int) int { return max(n, -n) }

// relative formats tenths of a point: ".5", "-12.3".
func relative(tenths int) string {
	text := strconv.FormatFloat(float64(tenths)/10, 'f', -1, 64)
	if rest, ok := strings.CutPrefix(text, "0."); ok {
		return "." + rest
	}
	if rest, ok := strings.CutPrefix(text, "-0."); ok {
		return "-." + rest
	}
	return text
}
