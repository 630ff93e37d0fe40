package strict

// Form is the form of a value in a document, as far as it is apparent. A type whose
// values have several forms decodes a Form first, to decide which type to decode next.
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
