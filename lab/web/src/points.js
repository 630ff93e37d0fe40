// A cloud of points as the pixels of a square canvas, and which point is under the cursor.

const margin = 0.06 // of the width, on each side

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

// frame returns the scale and the origin with which a cloud fills a square.
export const frame = (cloud, width) => {
  if (cloud.vertices) {
    const side = width * (1 - 2 * margin)
    return {scale: side, x: width * margin, y: width * (1 - margin) - side * (1 - Math.sqrt(3) / 2) / 2}
  }
  const [x0, x1, y0, y1] = extent(cloud)
  const scale = width * (1 - 2 * margin) / Math.max(x1 - x0, y1 - y0, 1e-9)
  return {scale, x: width / 2 - scale * (x0 + x1) / 2, y: width / 2 + scale * (y0 + y1) / 2}
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

// draw puts the points of a layer into a canvas of width × width pixels. A point is a
// square around its place; later points cover earlier ones.
export const draw = (canvas, cloud, layer) => {
  const width = canvas.width, context = canvas.getContext('2d')
  const image = context.createImageData(width, width), pixels = new Uint32Array(image.data.buffer)
  const f = frame(cloud, width), at = layer.at, colours = dye(cloud), n = cloud.points
  const size = n < 300 ? 6 : n < 2000 ? 3 : n < 20000 ? 2 : 1
  const x = f.x - (size - 1) / 2, y = f.y - (size - 1) / 2, scale = f.scale, end = width - size + 1
  for (let i = 0; i < n; i++) {
    const left = x + scale * at[2 * i], top = y - scale * at[2 * i + 1]
    if (!(left >= 0 && left < end && top >= 0 && top < end)) continue
    const colour = colours[i]
    let to = (top | 0) * width + (left | 0)
    if (size === 1) {
      pixels[to] = colour
      continue
    }
    for (let row = 0; row < size; row++, to += width) {
      for (let column = 0; column < size; column++) pixels[to + column] = colour
    }
  }
  context.putImageData(image, 0, 0)
}

// nearest returns the point that is nearest to a place on the canvas, or −1 if none is
// within reach. Of several at the same place it is the one on top. Points outside the
// canvas are not seen, and are not found.
export const nearest = (cloud, layer, width, px, py, reach = 8) => {
  const {scale, x, y} = frame(cloud, width), at = layer.at
  let best = -1, least = reach * reach
  for (let i = 0; i < cloud.points; i++) {
    const left = x + scale * at[2 * i], top = y - scale * at[2 * i + 1]
    const dx = left - px, dy = top - py, d = dx * dx + dy * dy
    if (d <= least && left >= 0 && left < width && top >= 0 && top < width) [best, least] = [i, d]
  }
  return best
}
