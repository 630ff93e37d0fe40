package strict

// Form is what a value of a document is, as far as it says that itself. A type whose
// values come in several forms decodes one first, to know which type to decode next.
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

// form returns what form a node has.
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
