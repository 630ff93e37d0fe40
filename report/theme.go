package report

import "foretell/document"

// palette holds the custom properties that page.css uses in addition to the properties of
// every page: for each verdict, the colour of its label and the pale colour behind it,
// called wash.
var palette = []document.Hue{
	{Name: "holds", Light: "#0b6b43", Dark: "#6fd3a3"},
	{Name: "holds-wash", Light: "#dff3e8", Dark: "#12301f"},
	{Name: "corrected", Light: "#1a57a6", Dark: "#8bbcf5"},
	{Name: "corrected-wash", Light: "#e0ecfa", Dark: "#14283f"},
	{Name: "differs", Light: "#7a5200", Dark: "#e6b94f"},
	{Name: "differs-wash", Light: "#faedcd", Dark: "#33270b"},
	{Name: "fails", Light: "#a32020", Dark: "#f79a92"},
	{Name: "fails-wash", Light: "#fbe3e1", Dark: "#3b1816"},
	{Name: "open", Light: "#4d5761", Dark: "#b4bec8"},
	{Name: "open-wash", Light: "#e9ecef", Dark: "#262c32"},
}
