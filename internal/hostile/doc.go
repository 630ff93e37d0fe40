// Package hostile holds the campaigns against the program as a whole: command lines that
// nobody should type, and interruptions at any moment.
//
// [Lines] makes some thousand command lines: every command, with every argument and flag
// replaced in turn by what it cannot be, or can hardly be: numbers too large or in
// another script, control characters, texts of a hundred thousand characters, YAML that
// explodes, devices, pipes, files of 100 GB. [Folder] makes the files that they name. The
// tests run them against the program as it is built: each is done, or refused in a line
// of at most 400 characters, in ten seconds and with less than 1 GB of memory.
//
// [Edges] makes some two hundred command lines that are right, and ask for as much as the
// program accepts. Each says something or ends within two seconds of processor time,
// stays below 4 GB of memory, ends within a second when it is interrupted, and leaves no
// part of a file.
//
// The tests run some hundred lines, and some twenty of the edges; with
// FORETELL_EXHAUSTIVE=1 all of them, and signals at fifty random moments of each command
// that takes long.
package hostile
