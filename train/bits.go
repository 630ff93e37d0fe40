package train

// BitsVersion numbers the arithmetic of training. Programs with the same number train a
// configuration to the same bits, on every architecture, instruction set and number of
// workers. Any change that alters a bit, such as another order of operations, another
// kernel or another way of drawing sequences, must raise it; a test checks the bits.
// Checkpoints record the number, so that a run is never continued silently in another
// arithmetic.
const BitsVersion = 1
