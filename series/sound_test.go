package series

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/mewkiz/flac"
	"github.com/mewkiz/flac/frame"
	"github.com/mewkiz/flac/meta"
)

// waveFile returns a WAV file: its format, channels, bits, whether the format is given by
// WAVE_FORMAT_EXTENSIBLE, and the bytes of its samples.
func waveFile(format, channels, bits int, extended bool, samples []byte) []byte {
	le := binary.LittleEndian
	size := (bits + 7) / 8
	code := uint16(format)
	if extended {
		code = extensible
	}
	body := le.AppendUint16(nil, code)
	body = le.AppendUint16(body, uint16(channels))
	body = le.AppendUint32(body, 8000)
	body = le.AppendUint32(body, uint32(8000*channels*size))
	body = le.AppendUint16(body, uint16(channels*size))
	body = le.AppendUint16(body, uint16(bits))
	if extended {
		body = le.AppendUint16(body, 22)
		body = append(body, make([]byte, 6)...)
		body = le.AppendUint16(body, uint16(format))
		body = append(body, make([]byte, 14)...)
	}
	chunk := func(name string, body []byte) []byte {
		data := append(le.AppendUint32([]byte(name), uint32(len(body))), body...)
		return append(data, make([]byte, len(body)%2)...)
	}
	body = append(chunk("fmt ", body), chunk("LIST", []byte("odd"))...)
	body = append(body, chunk("data", samples)...)
	return append(append(le.AppendUint32([]byte("RIFF"), uint32(4+len(body))), "WAVE"...), body...)
}

// Samples of every format are fractions of the full scale.
func TestWAV(t *testing.T) {
	le := binary.LittleEndian
	half := le.AppendUint32(nil, math.Float32bits(0.5))
	quarter := le.AppendUint64(le.AppendUint64(nil, math.Float64bits(0.25)), math.Float64bits(-2))
	for _, c := range []struct {
		format, bits int
		samples      []byte
		want         []float64
	}{
		{pcm, 8, []byte{0, 128, 192}, []float64{-1, 0, 0.5}},
		{pcm, 16, []byte{0, 0x80, 0, 0x40}, []float64{-1, 0.5}},
		{pcm, 24, []byte{0, 0, 0x80, 0, 0, 0x40, 1, 0, 0}, []float64{-1, 0.5, 1.0 / (1 << 23)}},
		{pcm, 20, []byte{0, 0, 0x80, 0, 0, 0x40}, []float64{-1, 0.5}},
		{pcm, 32, []byte{0, 0, 0, 0x80, 0, 0, 0, 0x40}, []float64{-1, 0.5}},
		{float, 32, half, []float64{0.5}},
		{float, 64, quarter, []float64{0.25, -2}},
	} {
		for _, extended := range []bool{false, true} {
			s, err := parse("x.wav", waveFile(c.format, 1, c.bits, extended, c.samples), ReadOptions{})
			if err != nil || !equal(s.Values, c.want) || s.Rate != 8000 || s.Step != (Step{"sample", 1}) {
				t.Errorf("format %d with %d bits: %+v, %v", c.format, c.bits, s, err)
			}
		}
	}
	s, err := parse("x.wav", waveFile(pcm, 2, 8, false, []byte{0, 64, 128, 192}), ReadOptions{Channel: 2})
	if err != nil || !equal(s.Values, []float64{-0.5, 0.5}) {
		t.Errorf("%+v, %v", s, err)
	}
	piped := waveFile(pcm, 1, 8, false, []byte{0, 64})
	copy(piped[len(piped)-6:], []byte{255, 255, 255, 255})
	if s, err = parse("x.wav", piped, ReadOptions{}); err != nil || !equal(s.Values, []float64{-1, -0.5}) {
		t.Errorf("%+v, %v", s, err)
	}
}

// A sound that is cut off, or that is not read, is an error that says what is wrong.
func TestBadSounds(t *testing.T) {
	whole := waveFile(pcm, 1, 16, false, make([]byte, 100))
	infinite := binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(math.Inf(1))))
	long := waveFile(pcm, 1, 8, false, make([]byte, 2))
	copy(long[len(long)-6:], []byte{0, 0, 0, 1})
	flacFile := encodeFLAC(t, 16, [][]int32{make([]int32, 4096), make([]int32, 4096)})
	for _, c := range []struct {
		data []byte
		o    ReadOptions
		want string
	}{
		{whole[:len(whole)-10], ReadOptions{}, "x: the sound is cut off: it has 45 of 50 samples"},
		{whole[:60], ReadOptions{}, "x: the sound is cut off: it has 2 of 50 samples"},
		{whole[:50], ReadOptions{}, "x: the WAV file is cut off before its samples (data)"},
		{whole[:30], ReadOptions{}, "x: the format of the WAV file is cut off after 10 bytes; want 16"},
		{whole[:8], ReadOptions{}, "x: the file begins like WAV, but is not; want RIFF with WAVE, or FLAC"},
		{waveFile(7, 1, 8, false, nil), ReadOptions{}, "x: WAV of format 7 with 8 bits is not read; want PCM of 8 to 32 bits, or float of 32 or 64"},
		{waveFile(float, 1, 16, true, nil), ReadOptions{}, "x: WAV of format 3 with 16 bits is not read; want PCM of 8 to 32 bits, or float of 32 or 64"},
		{waveFile(pcm, 0, 8, false, nil), ReadOptions{}, "x: the sound has no channels"},
		{waveFile(pcm, 2, 8, false, nil), ReadOptions{}, "x: the sound has 2 channels; choose one, from 1 to 2"},
		{waveFile(pcm, 2, 8, false, nil), ReadOptions{Channel: 3}, "x: the sound has no channel 3; it has 2 channels"},
		{waveFile(pcm, 1, 8, false, nil), ReadOptions{}, "x has no values"},
		{waveFile(pcm, 1, 8, false, nil), ReadOptions{Column: "a"}, "x is a sound, which has neither columns nor symbols"},
		{waveFile(float, 1, 32, false, infinite), ReadOptions{}, "x: sample 1 is +Inf; want finite samples"},
		{long, ReadOptions{}, "x: the sound has 16777216 samples; a series has at most 10000000, so give a part of it"},
		{flacFile, ReadOptions{}, "x: the sound has 2 channels; choose one, from 1 to 2"},
		{flacFile[:len(flacFile)-3], ReadOptions{Channel: 1}, "x: the sound is cut off: it has 0 of 4096 samples"},
		{flacFile[:20], ReadOptions{}, "x: the FLAC file has a damaged header: unexpected EOF"},
	} {
		if s, err := parse("x", c.data, c.o); fmt.Sprint(err) != c.want || s != nil {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
}

// encodeFLAC returns a FLAC file with a frame that holds the samples of the channels.
func encodeFLAC(t testing.TB, bits uint8, channels [][]int32) []byte {
	t.Helper()
	n := len(channels[0])
	info := &meta.StreamInfo{
		BlockSizeMin: 16, BlockSizeMax: 65535, SampleRate: 8000,
		NChannels: uint8(len(channels)), BitsPerSample: bits, NSamples: uint64(n),
	}
	var out bytes.Buffer
	enc, err := flac.NewEncoder(&out, info)
	if err != nil {
		t.Fatal(err)
	}
	f := &frame.Frame{Header: frame.Header{
		BlockSize: uint16(n), SampleRate: 8000, Channels: frame.Channels(len(channels) - 1), BitsPerSample: bits,
	}}
	for _, samples := range channels {
		f.Subframes = append(f.Subframes, &frame.Subframe{
			SubHeader: frame.SubHeader{Pred: frame.PredVerbatim}, Samples: samples, NSamples: n,
		})
	}
	if err := enc.WriteFrame(f); err != nil {
		t.Fatal(err)
	}
	if err := enc.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// A channel of FLAC is read as fractions of the full scale.
func TestFLAC(t *testing.T) {
	left, right := make([]int32, 16), make([]int32, 16)
	left[0], right[0], right[15] = 1, -1<<15, 1<<14
	data := encodeFLAC(t, 16, [][]int32{left, right})
	s, err := parse("x.flac", data, ReadOptions{Channel: 2})
	if err != nil || len(s.Values) != 16 || s.Values[0] != -1 || s.Values[15] != 0.5 || s.Rate != 8000 {
		t.Errorf("%+v, %v", s, err)
	}
}

// Any bytes are a sound or an error in one line.
func FuzzSound(f *testing.F) {
	f.Add(waveFile(pcm, 2, 24, false, make([]byte, 12)))
	f.Add(waveFile(float, 1, 64, true, make([]byte, 17)))
	f.Add(encodeFLAC(f, 16, [][]int32{make([]int32, 16), make([]int32, 16)}))
	f.Fuzz(func(t *testing.T, data []byte) {
		if isSound(data) {
			s, err := parse("x", data, ReadOptions{Channel: 1})
			checkRead(t, s, err)
		}
	})
}
