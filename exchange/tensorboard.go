package exchange

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"path/filepath"
	"time"

	"foretell/internal/durable"
)

// writeTensorBoard writes the evaluations to an event file. Its name begins as
// TensorBoard requires. Its times are the times of the run's sessions, so the same run
// gives the same bytes.
func writeTensorBoard(_ context.Context, dir string, s Source) error {
	r, err := readRecord(s.Run)
	if err != nil {
		return err
	}
	began := r.rows[0].time
	var version message
	version.double(1, seconds(began))
	version.text(3, "brain.Event:2")
	file := appendRecord(nil, version)
	for _, row := range r.rows {
		var summary, event message
		for _, x := range row.scalars {
			var value message
			value.text(1, x.name)
			value.float(2, float32(x.value))
			summary.bytes(1, value)
		}
		event.double(1, seconds(row.time))
		event.int(2, int64(row.step))
		event.bytes(5, summary)
		file = appendRecord(file, event)
	}
	name := fmt.Sprintf("events.out.tfevents.%010d.foretell", began.Unix())
	return durable.WriteFile(filepath.Join(dir, name), file)
}

func seconds(t time.Time) float64 { return float64(t.Unix()) }

// castagnoli is the polynomial of CRC-32C.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// appendRecord appends a record of TensorFlow's TFRecord format: the length of the data,
// its checksum, the data, and their checksum.
func appendRecord(file, data []byte) []byte {
	size := binary.LittleEndian.AppendUint64(nil, uint64(len(data)))
	file = append(file, size...)
	file = binary.LittleEndian.AppendUint32(file, maskedSum(size))
	file = append(file, data...)
	return binary.LittleEndian.AppendUint32(file, maskedSum(data))
}

// maskedSum returns a CRC-32C, rotated and with a constant added, as the format requires.
func maskedSum(data []byte) uint32 {
	sum := crc32.Checksum(data, castagnoli)
	return (sum>>15 | sum<<17) + 0xa282ead8
}
