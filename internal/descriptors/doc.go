// Package descriptors ends the program with a message where the system grants it too few
// open files for Go's runtime, which would end it with a stack trace.
//
// Importing the package is enough. The check must come before main: some libraries start
// timers and open files while they are initialised (parquet-go draws random numbers,
// protobuf reads the program). Go initialises packages in the order of their import
// paths, as far as imports allow. This one imports package os and what os needs, and not
// fmt: so nothing that opens a file can be ready before it.
package descriptors
