// A cloud of points, drawn into an image pixel by pixel: 100,000 points take some
// milliseconds, without WebGL.
import {useEffect, useRef, useState} from 'preact/hooks'
import {html} from './html.js'
import {useSize} from './ui.js'

const margin = 0.06 // of the width, on each side

// frame returns the scale and the origin with which a cloud fills a square.
const frame = (cloud, width) => {
  if (cloud.vertices) {
    const side = width * (1 - 2 * margin)
    return {scale: side, x: width * margin, y: width * (1 - margin) - side * (1 - Math.sqrt(3) / 2) / 2}
  }
  // The first layer is the truth. Its extent is kept, so that layers can be compared.
  let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity]
  const at = cloud.layers[0].at
  for (let i = 0; i < at.length; i += 2) {
    x0 = Math.min(x0, at[i]); x1 = Math.max(x1, at[i])
    y0 = Math.min(y0, at[i + 1]); y1 = Math.max(y1, at[i + 1])
  }
  const scale = width * (1 - 2 * margin) / Math.max(x1 - x0, y1 - y0, 1e-9)
  return {scale, x: width / 2 - scale * (x0 + x1) / 2, y: width / 2 + scale * (y0 + y1) / 2}
}

// draw puts the points of a layer into a canvas of width × width pixels.
export const draw = (canvas, cloud, layer) => {
  const width = canvas.width, context = canvas.getContext('2d')
  const image = context.createImageData(width, width), pixels = new Uint32Array(image.data.buffer)
  const {scale, x, y} = frame(cloud, width), at = layer.at, colours = cloud.colours
  const size = cloud.points < 300 ? 6 : cloud.points < 2000 ? 3 : cloud.points < 20000 ? 2 : 1
  for (let i = 0, n = cloud.points; i < n; i++) {
    const px = Math.round(x + scale * at[2 * i]), py = Math.round(y - scale * at[2 * i + 1])
    if (!(px >= 0 && py >= 0 && px + size <= width && py + size <= width)) continue
    const colour = 0xff000000 | colours[3 * i + 2] << 16 | colours[3 * i + 1] << 8 | colours[3 * i]
    for (let dy = 0; dy < size; dy++) for (let dx = 0; dx < size; dx++) pixels[(py + dy) * width + px + dx] = colour
  }
  context.putImageData(image, 0, 0)
}

// nearest returns the point that is nearest to a pixel, or −1 if none is within reach.
export const nearest = (cloud, layer, width, px, py, reach = 8) => {
  const {scale, x, y} = frame(cloud, width)
  let best = -1, least = reach * reach
  for (let i = 0; i < cloud.points; i++) {
    const dx = x + scale * layer.at[2 * i] - px, dy = y - scale * layer.at[2 * i + 1] - py
    const d = dx * dx + dy * dy
    if (d < least) [best, least] = [i, d]
  }
  return best
}

// Cloud shows one layer. mark is an optional point {x, y} in the layer's coordinates.
// onPick is called with the list of tokens' names of a point that is clicked.
export const Cloud = ({cloud, layer, title, mark, onPick}) => {
  const [ref, shown] = useSize(320)
  const canvas = useRef(null)
  const [label, setLabel] = useState(null)
  const ratio = Math.min(2, globalThis.devicePixelRatio || 1), width = Math.max(64, Math.round(shown * ratio))
  useEffect(() => {
    canvas.current.width = canvas.current.height = width
    draw(canvas.current, cloud, layer)
  }, [cloud, layer, width])
  const at = event => {
    const box = canvas.current.getBoundingClientRect()
    return nearest(cloud, layer, width, (event.clientX - box.left) * ratio, (event.clientY - box.top) * ratio, 8 * ratio)
  }
  const name = i => (cloud.names(i).join(' ') || 'nothing')
  const hover = event => {
    const i = at(event)
    setLabel(i < 0 ? null : name(i))
  }
  const pick = event => {
    const i = at(event)
    if (i >= 0) onPick?.(cloud.names(i))
  }
  const f = frame(cloud, shown)
  const corner = (x, y) => ({x: f.x + f.scale * x, y: f.y - f.scale * y})
  const corners = cloud.vertices && [corner(0, 0), corner(1, 0), corner(0.5, Math.sqrt(3) / 2)]
  const sentence = `${title}: ${cloud.points} sequences of up to ${cloud.length} tokens, each a point` +
    (cloud.vertices ? ` in the triangle of ${cloud.vertices.join(', ')}` : '') +
    (layer.r2 ? `; read with R² ${layer.r2.mean.toFixed(3)}` : '') + '.'
  return html`<figure class="cloud" ref=${ref}>
    <div class="plate" style=${{height: shown + 'px'}}>
      <canvas ref=${canvas} role="img" aria-label=${sentence} onPointerMove=${hover} onPointerLeave=${() => setLabel(null)}
        onClick=${pick}></canvas>
      <svg width=${shown} height=${shown} aria-hidden="true">
        ${corners && html`<path d=${'M' + corners.map(c => c.x + ' ' + c.y).join('L') + 'Z'}/>`}
        ${corners?.map((c, i) => html`<text x=${c.x} y=${c.y + (i === 2 ? -6 : 14)} text-anchor=${['start', 'end', 'middle'][i]}>${cloud.vertices[i]}</text>`)}
        ${mark && html`<circle class="mark" cx=${f.x + f.scale * mark.x} cy=${f.y - f.scale * mark.y} r="6"/>`}
      </svg>
      ${label && html`<output class="label">${label}</output>`}
    </div>
    <figcaption>${title}${layer.r2 ? html`, <span class="r2">R² = ${layer.r2.mean.toFixed(3)}</span>` : ''}</figcaption>
  </figure>`
}

// place returns the coordinates of a belief over three states in the triangle.
export const place = ([, b, c]) => ({x: b + c / 2, y: c * Math.sqrt(3) / 2})
