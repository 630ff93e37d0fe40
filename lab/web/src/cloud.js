// A cloud of points, drawn into an image pixel by pixel: 100,000 points take some
// milliseconds, without WebGL.
import {useEffect, useRef, useState} from 'preact/hooks'
import {html} from './html.js'
import {draw, frame, nearest} from './points.js'
import {useSize} from './ui.js'

// Cloud shows one layer. mark is an optional point {x, y} in the layer's coordinates.
// onPick is called with the list of tokens' names of a point that is clicked.
export const Cloud = ({cloud, layer, title, mark, onPick}) => {
  const [ref, shown] = useSize(320)
  const canvas = useRef(null)
  const [cursor, setCursor] = useState(null) // where the pointer is, in CSS pixels
  const ratio = Math.min(2, globalThis.devicePixelRatio || 1), width = Math.max(64, Math.round(shown * ratio))
  useEffect(() => {
    canvas.current.width = canvas.current.height = width
    draw(canvas.current, cloud, layer)
  }, [cloud, layer, width])
  const spot = event => {
    const box = canvas.current.getBoundingClientRect()
    return {x: event.clientX - box.left, y: event.clientY - box.top}
  }
  const at = ({x, y}) => nearest(cloud, layer, width, x * ratio, y * ratio, 8 * ratio)
  // The label is looked up in the cloud that is shown now, also if the pointer stands
  // still while the cloud changes below it.
  const under = cursor ? at(cursor) : -1
  const label = under >= 0 && (cloud.names(under).join(' ') || 'nothing')
  const pick = event => {
    const i = at(spot(event))
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
      <canvas ref=${canvas} role="img" aria-label=${sentence} onPointerMove=${event => setCursor(spot(event))} onPointerLeave=${() => setCursor(null)}
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
