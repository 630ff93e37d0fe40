package train

// BitsVersion is the number of the arithmetic in which a training is computed: programs
// of the same number train a configuration to the same bits, on every architecture,
// instruction set and number of workers. Whatever changes a bit of it, such as an order
// of operations, a kernel or how a sequence is drawn, raises the number, which the test
// of the bits sees to. A run's checkpoints carry it, so that nobody goes on in one
// arithmetic with what was begun in another without saying so.
const BitsVersion = 1
