package series

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"foretell/internal/text"

	"github.com/mewkiz/flac"
)

// isSound reports whether the contents of a file are WAV or FLAC.
func isSound(data []byte) bool {
	return bytes.HasPrefix(data, []byte("fLaC")) || bytes.HasPrefix(data, []byte("RIFF")) ||
		bytes.HasPrefix(data, []byte("RF64"))
}

// readSound reads a channel of a sound.
func readSound(source string, data []byte, o ReadOptions) (*Series, error) {
	if o.Column != "" || o.Time != "" || o.Symbols {
		return nil, fmt.Errorf("%s is a sound, which has neither columns nor symbols", source)
	}
	read := readWAV
	if data[0] == 'f' {
		read = readFLAC
	}
	values, rate, err := read(data, o.Channel)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	return &Series{Source: source, Values: values, Rate: rate, Step: Step{"sample", 1}}, nil
}

// channelOf returns the index of a channel; choice is its number, or 0.
func channelOf(choice, channels int) (int, error) {
	switch {
	case channels == 0:
		return 0, errors.New("the sound has no channels")
	case choice == 0 && channels > 1:
		return 0, fmt.Errorf("the sound has %d channels; choose one, from 1 to %d", channels, channels)
	case choice < 0 || choice > channels:
		return 0, fmt.Errorf("the sound has no channel %d; it has %s", choice, text.Count(channels, "channel"))
	}
	return max(0, choice-1), nil
}

// checkSound returns an error for a sound that is cut off or too long. It has n samples
// in each channel, and its header says declared.
func checkSound(n, declared uint64) error {
	switch {
	case declared > MostValues:
		return fmt.Errorf("the sound has %d samples; a series has at most %d, so give a part of it",
			declared, MostValues)
	case n < declared:
		return fmt.Errorf("the sound is cut off: it has %d of %d samples", n, declared)
	}
	return nil
}

// A wave is the format of a WAV file.
type wave struct {
	format   uint16 // 1 for PCM, 3 for float
	channels int
	rate     uint32 // samples in a second
	bytes    int    // in a sample
}

// Formats of WAV: the first three are read.
const (
	pcm        = 1
	float      = 3
	extensible = 0xfffe // one of the others, in bytes 24 and 25
)

// readWAV reads a channel of a WAV file: an integer of b bits is divided by 2^(b-1).
// Source: Microsoft, Multiple Channel Audio Data and WAVE Files, 2007.
func readWAV(data []byte, choice int) (values []float64, rate float64, err error) {
	if len(data) < 12 || string(data[8:12]) != "WAVE" || string(data[:4]) != "RIFF" {
		return nil, 0, errors.New("the file begins like WAV, but is not; want RIFF with WAVE, or FLAC")
	}
	var w *wave
	for rest := data[12:]; len(rest) >= 8; {
		name, size := string(rest[:4]), uint64(binary.LittleEndian.Uint32(rest[4:]))
		rest = rest[8:]
		body := rest[:min(size, uint64(len(rest)))]
		switch {
		case name == "fmt ":
			if w, err = parseWave(body); err != nil {
				return nil, 0, err
			}
		case name == "data" && w == nil:
			return nil, 0, errors.New("the samples come before their format (fmt)")
		case name == "data":
			if size == math.MaxUint32 { // a pipe wrote the header before it knew the size
				size = uint64(len(body))
			}
			values, err = w.samples(body, size, choice)
			return values, float64(w.rate), err
		}
		rest = rest[min(size+size%2, uint64(len(rest))):]
	}
	return nil, 0, errors.New("the WAV file is cut off before its samples (data)")
}

// parseWave parses the chunk fmt.
func parseWave(body []byte) (*wave, error) {
	if len(body) < 16 {
		return nil, fmt.Errorf("the format of the WAV file is cut off after %s; want 16", text.Count(len(body), "byte"))
	}
	word := func(at int) uint16 { return binary.LittleEndian.Uint16(body[at:]) }
	w := &wave{format: word(0), channels: int(word(2)), rate: binary.LittleEndian.Uint32(body[4:])}
	if w.format == extensible && len(body) >= 26 {
		w.format = word(24)
	}
	bits := int(word(14))
	w.bytes = (bits + 7) / 8
	ok := w.format == pcm && w.bytes >= 1 && w.bytes <= 4 || w.format == float && (bits == 32 || bits == 64)
	switch {
	case !ok:
		return nil, fmt.Errorf("WAV of format %d with %d bits is not read; want PCM of 8 to 32 bits, "+
			"or float of 32 or 64", w.format, bits)
	case w.rate == 0:
		return nil, errors.New("the WAV file has 0 samples in a second")
	case int(word(12)) != w.bytes*w.channels:
		return nil, fmt.Errorf("a WAV frame has %d bytes, but %d channels of %d bits", word(12), w.channels, bits)
	}
	return w, nil
}

// samples returns a channel of the chunk data, whose header says that it has size bytes.
func (w *wave) samples(body []byte, size uint64, choice int) ([]float64, error) {
	channel, err := channelOf(choice, w.channels)
	if err != nil {
		return nil, err
	}
	frame := w.bytes * w.channels
	n := len(body) / frame
	if err := checkSound(uint64(n), size/uint64(frame)); err != nil {
		return nil, err
	}
	values := make([]float64, n)
	for i := range values {
		at := i*frame + channel*w.bytes
		x := w.sample(body[at : at+w.bytes])
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, fmt.Errorf("sample %d is %v; want finite samples", i+1, x)
		}
		values[i] = x
	}
	return values, nil
}

// sample returns a sample as a fraction of the full scale.
func (w *wave) sample(b []byte) float64 {
	switch {
	case w.format == float && w.bytes == 4:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	case w.format == float:
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	case w.bytes == 1: // the only integers without a sign
		return (float64(b[0]) - 128) / 128
	}
	var bits uint32 // the sample's bytes are the highest
	for i, x := range b {
		bits |= uint32(x) << (8 * (4 - len(b) + i))
	}
	return float64(int32(bits)) / (1 << 31)
}

// readFLAC reads a channel of a FLAC file: an integer of b bits is divided by 2^(b-1).
func readFLAC(data []byte, choice int) (values []float64, rate float64, err error) {
	defer func() {
		if broken := recover(); broken != nil { // package flac indexes by numbers of the file
			values, rate, err = nil, 0, fmt.Errorf("the FLAC file is damaged: %v", broken)
		}
	}()
	stream, err := flac.New(bytes.NewReader(data))
	if err != nil {
		return nil, 0, fmt.Errorf("the FLAC file has a damaged header: %w", err)
	}
	info := stream.Info
	channel, err := channelOf(choice, int(info.NChannels))
	if err != nil {
		return nil, 0, err
	}
	if err := checkSound(info.NSamples, info.NSamples); err != nil {
		return nil, 0, err
	}
	for len(values) <= MostValues {
		frame, err := stream.ParseNext()
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			break
		}
		if err != nil {
			return nil, 0, fmt.Errorf("the FLAC file is damaged after %d samples: %w", len(values), err)
		}
		if channel >= len(frame.Subframes) {
			return nil, 0, fmt.Errorf("the FLAC file lacks channel %d after %d samples", channel+1, len(values))
		}
		for _, x := range frame.Subframes[channel].Samples {
			values = append(values, math.Ldexp(float64(x), 1-int(info.BitsPerSample)))
		}
	}
	declared := info.NSamples
	if declared == 0 { // unknown, as a pipe leaves it
		declared = uint64(len(values))
	}
	return values, float64(info.SampleRate), checkSound(uint64(len(values)), declared)
}
