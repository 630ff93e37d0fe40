package kernel

// detect lists the vector instruction sets of this machine, best first.
func detect() []instructionSet { return []instructionSet{neon} }
