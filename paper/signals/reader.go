package signals

// reader implements the rule of a symbolic signal as the slides state it, independently
// of the process. It returns the token that the rule computes to follow the given tokens;
// computed is false if the rule does not compute that token.
type reader func(tokens []int32) (next int32, computed bool)

// readers holds the readers of Signals 3, 4 and 5.
var readers = map[signal]reader{switching: readDelay, brackets: readBrackets, routing: readRouting}

// readDelay finds the last key and applies the rule to the token D positions before the
// next token, where D is the key's delay.
func readDelay(tokens []int32) (int32, bool) {
	const values = 28
	delays := []int{17, 29, 41, 53}
	for i := len(tokens) - 1; i >= 0; i-- {
		if tokens[i] < values {
			continue
		}
		at := len(tokens) - delays[tokens[i]-values]
		if at < 0 || tokens[at] >= values {
			return 0, false
		}
		return (3*tokens[at] + 7) % values, true
	}
	return 0, false
}

// readBrackets keeps a stack of tags: a tag after OPEN is pushed, a tag after CLOSE is
// popped.
func readBrackets(tokens []int32) (int32, bool) {
	const opening, closing = 30, 31
	var stack []int32
	before := int32(-1)
	for _, z := range tokens {
		switch before {
		case opening:
			stack = append(stack, z)
		case closing:
			stack = stack[:len(stack)-1]
		}
		before = z
	}
	if before != closing {
		return 0, false
	}
	return stack[len(stack)-1], true
}

// readRouting keeps track of the operation and applies it to the argument after APPLY.
func readRouting(tokens []int32) (int32, bool) {
	const set, apply, n = 30, 31, 30
	operation := int32(-1)
	for i, z := range tokens {
		if i > 0 && tokens[i-1] == set {
			operation = z
		}
	}
	last := len(tokens) - 1
	if last < 1 || tokens[last-1] != apply {
		return 0, false
	}
	x := tokens[last]
	return [...]int32{x, (x + 1) % n, 2 * x % n, n - 1 - x}[operation], true
}
