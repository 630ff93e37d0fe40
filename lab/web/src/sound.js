// The sound of a curve, for those who do not see it.

// seconds is how long a curve sounds, whatever its length.
export const seconds = 2

// pitch returns the frequency in Hz of a value: two octaves from the least to the
// largest, beginning at 220 Hz.
export const pitch = (value, least, largest) => 220 * 2 ** (2 * (largest > least ? (value - least) / (largest - least) : 0))

// sing plays at least two values in an AudioContext, now, and returns the oscillator.
export const sing = (context, values) => {
  const tone = context.createOscillator(), volume = context.createGain(), start = context.currentTime
  const least = Math.min(...values), largest = Math.max(...values)
  tone.connect(volume).connect(context.destination)
  volume.gain.value = 0.15
  tone.frequency.setValueCurveAtTime(values.map(v => pitch(v, least, largest)), start, seconds)
  tone.start(start)
  tone.stop(start + seconds)
  return tone
}
