// Package hostile tests the program as a whole with hostile command lines, and with
// interruptions at any moment.
//
// [Lines] generates a few thousand command lines. Each argument and flag of each command
// is replaced in turn by impossible or unlikely values: numbers that are too large or in
// another script, control characters, texts of a hundred thousand characters,
// exponentially expanding YAML, devices, pipes, files of 100 GB. [Folder] creates the
// files that the lines name. Tests run the lines with the program as built: each line
// must succeed, or fail with a message of one line of at most 400 characters, within ten
// seconds and less than 1 GB of memory.
//
// [Edges] generates about two hundred valid command lines that ask for as much as the
// program accepts. Each must print something or end within two seconds of processor time,
// stay below 4 GB of memory, end within a second when interrupted, and leave no partial
// file.
//
// By default the tests run a few hundred lines and about twenty edges. With
// FORETELL_EXHAUSTIVE=1 they run all of them, and send signals at fifty random moments of
// each slow command.
package hostile
