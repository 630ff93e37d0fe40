package interrupt

import "os"

// requests lists the signals that ask a program to end. A page in a browser has none.
var requests = []os.Signal{os.Interrupt}

func keepPipes() {}
