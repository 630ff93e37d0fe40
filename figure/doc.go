// Package figure turns numbers into SVG files that can go into a paper, a
// report or a message to a colleague as they are.
//
// A [Figure] is a grid of panels. There are seven kinds of panel, all plain
// structs to fill in:
//
//   - [Simplex]: probability vectors over three outcomes in their triangle;
//   - [Plane]: points, arrows and paths on axes of equal scale, as for
//     principal components;
//   - [Chart]: lines and dots with bands or error bars, linear or logarithmic;
//   - [Bars]: grouped bars with error bars, from 0;
//   - [Dots]: dots with ranges beside the names of what they are of, which may be
//     logarithmic;
//   - [HeatMap]: a matrix as colours, as an attention pattern;
//   - [Graph]: the states of a process and its edges.
//
// [Figure.SVG] first validates every panel. A value that is NaN or infinite, an
// empty series or lengths that differ give an error that names the panel, the
// series and the index, and nothing is drawn. Data are never hidden: each axis
// is as long as its data, and [Axis] can only widen it.
//
// # Light and dark
//
// A figure has no background. Its ink (text, axes, grid) follows the reader's colour
// scheme through a style sheet within the file, and the colours of classes and of [RGB]
// have a contrast of at least 3:1 on white and on near-black; heat maps have an
// outline. A page that holds figures inline and has a theme switch of its own sets the
// custom properties that [ThemeCSS] lists, which go before the reader's scheme.
// Identifiers and classes carry a hash of the figure, so that any number of figures
// share a page.
//
// # Same numbers, same bytes
//
// Coordinates are rounded to a hundredth of a point, nothing depends on time,
// locale, fonts installed or map order. A cloud of more than a few thousand
// points becomes a picture at three pixels a point within the SVG, while axes and
// text stay vectors.
//
// The unit of length is the typographic point; no text is smaller than 9, but indices and
// powers: a_s, ζ^(d−s) and variables alone are set as mathematics wherever there is text.
//
// The package writes its SVG directly and has no dependencies: class names, text
// anchors (which keep labels centred in whatever font the reader has) and custom
// properties do not pass through a general drawing backend.
package figure
