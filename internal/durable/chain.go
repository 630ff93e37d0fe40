package durable

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
)

// Contents holds the contents of a log.
type Contents struct {
	Rows  []json.RawMessage // the rows before the first damaged one, without their checksums
	Chain string            // the checksums of these rows; see [Log.Chain]
	// Damage describes what is wrong with the line after Rows. It is empty if the file ends
	// after Rows.
	Damage string
	// Cut reports that the file ends in the middle of a line, as it does after a kill or a
	// full disk.
	Cut bool

	ends []int64 // for each row, the offset of its end in the file
}

// end returns the offset in the file at which the given number of rows ends.
func (c Contents) end(rows int) int64 {
	if rows == 0 {
		return 0
	}
	return c.ends[rows-1]
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// chain is a CRC-32C that continues from row to row, as in the log of etcd: a row is
// valid only after the rows that preceded it when it was written.
type chain uint32

// start returns the checksum with which the chain of a log begins, before its first row.
func start(origin string) chain { return chain(crc32.Checksum([]byte(origin), castagnoli)) }

func (c chain) String() string { return fmt.Sprintf("%08x", uint32(c)) }

// seal appends to a JSON object, as its last field, the chain that includes it, and a
// line feed.
func (c chain) seal(object []byte) (line []byte, next chain) {
	open := object[:len(object)-1] // without the last brace
	next = chain(crc32.Update(uint32(c), castagnoli, open))
	return sealed(open, next), next
}

// chainField is the name of the checksum field.
const chainField = "chain"

// sealed appends the checksum field and the closing brace to an object that lacks its
// brace.
func sealed(open []byte, checksum chain) []byte {
	comma := ","
	if len(open) == 1 {
		comma = ""
	}
	return append(bytes.Clone(open), fmt.Sprintf("%s%q:%q}\n", comma, chainField, checksum.String())...)
}

// marshalObject returns a row as a JSON object.
func marshalObject(row any) ([]byte, error) {
	object, err := json.Marshal(row)
	if err != nil {
		return nil, err
	}
	if object[0] != '{' {
		return nil, fmt.Errorf("a row must be a JSON object, not %.40s", object)
	}
	return object, nil
}

// chained returns rows as the lines of a log.
func chained(rows []json.RawMessage, origin string) (text []byte) {
	at := start(origin)
	for _, row := range rows {
		var line []byte
		line, at = at.seal(row)
		text = append(text, line...)
	}
	return text
}

// parseLog parses the rows before the first damaged one. last is the chain after these
// rows.
func parseLog(data []byte, origin string) (c Contents, last chain) {
	last = start(origin)
	var checksums []byte
	for rest := data; len(rest) > 0; {
		line, after, complete := bytes.Cut(rest, []byte("\n"))
		row, next, ok := last.unseal(line)
		if !complete || !ok {
			c.Cut, c.Damage = !complete, damage(len(c.Rows)+1, complete)
			break
		}
		last, rest = next, after
		c.Rows = append(c.Rows, row)
		c.ends = append(c.ends, int64(len(data)-len(rest)))
		checksums = append(checksums, last.String()...)
	}
	c.Chain = string(checksums)
	return c, last
}

// damage describes what can be wrong with a line whose checksum does not match. complete
// is false if the line has no end.
func damage(line int, complete bool) string {
	switch {
	case !complete:
		return fmt.Sprintf("line %d is cut off", line)
	case line == 1:
		return "line 1 is altered, or not the first one of this log"
	}
	return fmt.Sprintf("line %d is altered, or does not follow line %d", line, line-1)
}

// unseal returns the row in a line, without its checksum, and the chain after this row.
// ok is false for a damaged line.
func (c chain) unseal(line []byte) (row json.RawMessage, next chain, ok bool) {
	i := bytes.LastIndex(line, fmt.Appendf(nil, "%q:\"", chainField))
	if i < 1 {
		return nil, c, false
	}
	open := bytes.TrimSuffix(line[:i], []byte(","))
	row = append(bytes.Clone(open), '}')
	next = chain(crc32.Update(uint32(c), castagnoli, open))
	if !bytes.Equal(sealed(open, next), append(bytes.Clone(line), '\n')) || !json.Valid(row) {
		return nil, c, false
	}
	return row, next, true
}
