// A cloud of points as the pixels of a square canvas, and which point is under the cursor.

export const margin = 0.06 // of the width, on each side

// matrix returns the rotation by angles in degrees: first across, around the vertical
// axis, then up, around the horizontal one. Its rows are right, up and towards the reader.
export const matrix = ([across, up]) => {
  const [a, b] = [across, up].map(degrees => degrees * Math.PI / 180)
  const [ca, sa, cb, sb] = [Math.cos(a), Math.sin(a), Math.cos(b), Math.sin(b)]
  return [[ca, 0, sa], [sb * sa, cb, -sb * ca], [-cb * sa, sb, cb * ca]]
}

const radii = new WeakMap() // by layer

// radius returns the largest distance of a point in space from the origin.
const radius = layer => {
  let known = radii.get(layer)
  if (known === undefined) {
    let most = 1e-18
    for (let i = 0, at = layer.at; i < at.length; i += 3) most = Math.max(most, at[i] ** 2 + at[i + 1] ** 2 + at[i + 2] ** 2)
    radii.set(layer, known = Math.sqrt(most))
  }
  return known
}

const extents = new WeakMap() // by cloud

// extent returns the least and the largest x, and y, of the first layer. This layer is the
// truth. Its extent is kept, so that layers can be compared.
const extent = cloud => {
  let known = extents.get(cloud)
  if (!known) {
    let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity]
    const at = cloud.layers[0].at
    for (let i = 0; i < at.length; i += 2) {
      x0 = Math.min(x0, at[i]); x1 = Math.max(x1, at[i])
      y0 = Math.min(y0, at[i + 1]); y1 = Math.max(y1, at[i + 1])
    }
    extents.set(cloud, known = [x0, x1, y0, y1])
  }
  return known
}

// frame returns the scale and the origin with which a layer fills a square. In space a
// layer keeps its size while it turns.
export const frame = (cloud, layer, width) => {
  const side = width * (1 - 2 * margin)
  if (cloud.spatial) return {scale: side / 2 / radius(layer), x: width / 2, y: width / 2}
  if (cloud.vertices) {
    return {scale: side, x: width * margin, y: width * (1 - margin) - side * (1 - Math.sqrt(3) / 2) / 2}
  }
  const [x0, x1, y0, y1] = extent(cloud)
  const scale = side / Math.max(x1 - x0, y1 - y0, 1e-9)
  return {scale, x: width / 2 - scale * (x0 + x1) / 2, y: width / 2 + scale * (y0 + y1) / 2}
}

const few = 300 // distinct places, below which a point is large

// sizeOf returns the width of a point, by the number of points, or of places if these are
// few.
const sizeOf = (cloud, layer, scale) => {
  const n = cloud.points, d = cloud.spatial ? 3 : 2, at = layer.at, places = new Set()
  for (let i = 0; i < at.length && places.size < few; i += d) {
    places.add(Math.round(scale * at[i]) * 1e8 + Math.round(scale * at[i + 1]) * 1e4 + (d === 3 ? Math.round(scale * at[i + 2]) : 0))
  }
  return places.size < few ? 6 : n < 2000 ? 3 : n < 20000 ? 2 : 1
}

// placed returns where each point is on a canvas of width × width pixels, NaN if it is not
// shown, and in space its height towards the reader. A point is a square of size × size
// pixels; one that does not fit into the canvas is not shown. With only, sequences of that
// many tokens are shown, and no others. The picture and the labels use the same places.
export const placed = (cloud, layer, width, turn = [0, 0], only = 0) => {
  const n = cloud.points, at = layer.at, {scale, x, y} = frame(cloud, layer, width)
  const size = Math.round(sizeOf(cloud, layer, scale) * Math.max(1, width / 640))
  const xs = new Float32Array(n), ys = new Float32Array(n), zs = cloud.spatial ? new Float32Array(n) : null
  const [right, above, towards] = matrix(turn), low = (size - 1) / 2, high = width - size + 1 + low
  for (let i = 0; i < n; i++) {
    let px, py
    if (zs) {
      const a = at[3 * i], b = at[3 * i + 1], c = at[3 * i + 2]
      px = x + scale * (right[0] * a + right[1] * b + right[2] * c)
      py = y - scale * (above[0] * a + above[1] * b + above[2] * c)
      zs[i] = towards[0] * a + towards[1] * b + towards[2] * c
    } else {
      px = x + scale * at[2 * i]
      py = y - scale * at[2 * i + 1]
    }
    const seen = px >= low && px < high && py >= low && py < high && (!only || cloud.lengths[i] === only)
    xs[i] = seen ? px : NaN
    ys[i] = py
  }
  return {xs, ys, zs, size, width, reach: width * (1 - 2 * margin) / 2 / scale}
}

const dyes = new WeakMap() // by cloud

// dye returns the colours of the points as pixels.
const dye = cloud => {
  let known = dyes.get(cloud)
  if (!known) {
    const colours = cloud.colours
    known = new Uint32Array(cloud.points)
    for (let i = 0; i < known.length; i++) {
      known[i] = 0xff000000 | colours[3 * i + 2] << 16 | colours[3 * i + 1] << 8 | colours[3 * i]
    }
    dyes.set(cloud, known)
  }
  return known
}

// draw puts placed points into a canvas of that width. Later points cover earlier ones. In
// space what is near covers what is far, and far points are paler.
export const draw = (canvas, cloud, {xs, ys, zs, size, width, reach}) => {
  const context = canvas.getContext('2d'), colours = dye(cloud), shift = (size - 1) / 2
  const image = context.createImageData(width, width), pixels = new Uint32Array(image.data.buffer)
  const near = zs && new Float32Array(width * width).fill(-Infinity)
  for (let i = 0; i < xs.length; i++) {
    if (!(xs[i] >= 0)) continue
    let colour = colours[i], to = (ys[i] - shift | 0) * width + (xs[i] - shift | 0)
    if (size === 1 && !near) {
      pixels[to] = colour
      continue
    }
    if (near) colour = colour & 0xffffff | Math.round(165 + 90 * Math.max(-1, Math.min(1, zs[i] / reach))) << 24
    for (let row = 0; row < size; row++, to += width) {
      for (let k = to; k < to + size; k++) {
        if (near && zs[i] < near[k]) continue
        if (near) near[k] = zs[i]
        pixels[k] = colour
      }
    }
  }
  context.putImageData(image, 0, 0)
}

// nearest returns the point that is nearest to a place on the canvas, or −1 if none is
// within reach. Of several at the same place it is the one that is seen.
export const nearest = ({xs, ys, zs}, px, py, reach) => {
  let best = -1, least = reach * reach
  for (let i = 0; i < xs.length; i++) {
    const dx = xs[i] - px, dy = ys[i] - py, d = dx * dx + dy * dy
    if (d < least || d === least && (!zs || best < 0 || zs[i] >= zs[best])) [best, least] = [i, d]
  }
  return best
}
