package strict

// Form is the form of a value in a document, as far as it is apparent without the Go
// type. A type whose values have several forms first decodes a Form, to decide as which
// type to decode the value.
type Form int

// The forms of values.
const (
	Nothing Form = iota
	Truth        // true or false
	Number
	Text
	List
	Mapping
)

// form returns the form of a node.
func (n *node) form() Form {
	switch n.kind {
	case null:
		return Nothing
	case mapping:
		return Mapping
	case sequence:
		return List
	case quoted:
		return Text
	}
	switch naturalScalar(n.text).(type) {
	case bool:
		return Truth
	case string:
		return Text
	}
	return Number
}
