// Package figure draws numbers as SVG files, ready for a paper, a report or a message to
// a colleague.
//
// A [Figure] is a grid of panels. There are seven types of panels, all plain structs:
//
//   - [Simplex]: probability vectors over three outcomes, in a triangle;
//   - [Plane]: points, arrows and paths on axes of equal scale, for example principal
//     components;
//   - [Chart]: lines and dots with bands or error bars, linear or logarithmic;
//   - [Bars]: grouped bars with error bars, starting at 0;
//   - [Dots]: named dots with ranges, linear or logarithmic;
//   - [HeatMap]: a matrix as colours, for example an attention pattern;
//   - [Graph]: the states and edges of a process.
//
// [Figure.SVG] first validates all panels. A NaN or infinite value, an empty series or
// lists of unequal length are errors that name the panel, the series and the index, and
// nothing is drawn. Data are never hidden: each axis spans its data, and [Axis] can only
// extend it.
//
// # Light and dark
//
// The background and the ink (text, axes, grid) follow the reader's colour scheme, by
// means of a style sheet in the file. The colours of classes and of [RGB] have a
// contrast of at least 3:1 on white and on near-black; heat maps have an outline. A page
// with inline figures and a theme switch sets the custom properties listed by
// [ThemeCSS], which take precedence over the reader's scheme. Identifiers and class
// names contain a hash of the figure; therefore any number of figures can share a page.
//
// # Same numbers, same bytes
//
// Coordinates are rounded to a hundredth of a point, and nothing depends on time, locale,
// installed fonts or map order. A scatter plot of more than a few thousand points is
// embedded in the SVG as a picture, at three pixels for each point of length; axes and
// text stay vectors.
//
// The unit of length is the typographic point. No text is smaller than 9 points, except
// indices and powers. All text is typeset as mathematics where it contains a_s, ζ^(d−s)
// or a single variable.
//
// The package writes SVG directly instead of using a general drawing library, because
// class names, text anchors (which keep labels centred in any font) and custom properties
// would not pass through one. It imports only the standard library and one small internal
// package, for mathematical notation in labels.
package figure
