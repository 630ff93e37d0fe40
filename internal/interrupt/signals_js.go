package interrupt

import "os"

// requests lists the signals that ask a program to end. A page in a browser gets no
// signals.
var requests = []os.Signal{os.Interrupt}

func keepPipes() {}
