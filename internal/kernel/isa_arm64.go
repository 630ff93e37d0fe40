package kernel

// detect returns the vector instruction sets of this machine, best first.
func detect() []instructionSet { return []instructionSet{neon} }
