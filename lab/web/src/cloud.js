// A cloud of points, drawn into an image pixel by pixel: 100,000 points take some
// milliseconds, without WebGL.
import {useEffect, useMemo, useRef, useState} from 'preact/hooks'
import {html} from './html.js'
import {draw, frame, margin, matrix, nearest, placed} from './points.js'
import {percent, Save, useSize} from './ui.js'

// lines returns what is drawn over the points: {d} is a path, {text} a text.
const lines = (cloud, layer, width, turn) => {
  const f = frame(cloud, layer, width), corner = (x, y) => ({x: f.x + f.scale * x, y: f.y - f.scale * y})
  if (cloud.spatial) {
    const long = width * (1 - 2 * margin) / 2, [right, above] = matrix(turn)
    return [0, 1, 2].flatMap(k => {
      const [x, y] = [f.x + long * right[k], f.y - long * above[k]]
      return [{d: `M${f.x} ${f.y}L${x} ${y}`}, {x, y: y - 4, anchor: 'middle', text: `PC ${k + 1}`}]
    })
  }
  if (!cloud.vertices) return []
  const corners = [corner(0, 0), corner(1, 0), corner(0.5, Math.sqrt(3) / 2)]
  return [{d: 'M' + corners.map(c => c.x + ' ' + c.y).join('L') + 'Z'},
    ...corners.map((c, i) => ({x: c.x, y: c.y + (i === 2 ? -6 : 14), anchor: ['start', 'end', 'middle'][i], text: cloud.vertices[i]}))]
}

// ringAt returns the place of a point in the layer's coordinates, after a rotation if it is
// in space.
const ringAt = (mark, f, rotation) => {
  const along = rotation ? rotation.map(row => row[0] * mark[0] + row[1] * mark[1] + row[2] * mark[2]) : mark
  return {x: f.x + f.scale * along[0], y: f.y - f.scale * along[1]}
}

// explained says how much of the variance three coordinates have.
const explained = shares => `${percent(shares.reduce((a, b) => a + b))} of the variance (${shares.map(s => (100 * s).toFixed(1)).join(', ')} %)`

const figureSize = 1920 // pixels, the width of a slide

// pictureOf returns a cloud as SVG. Its points are an image in it, so that a large cloud
// is a file of a moderate size.
const pictureOf = (cloud, layer, turn, only, title) => {
  const colour = name => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim()
  const canvas = document.createElement('canvas'), shown = figureSize / 4, head = 30
  canvas.width = canvas.height = figureSize
  draw(canvas, cloud, placed(cloud, layer, figureSize, turn, only))
  const made = (name, attributes, text = '') => {
    const e = document.createElementNS('http://www.w3.org/2000/svg', name)
    for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value)
    e.textContent = text
    return e
  }
  const svg = made('svg', {viewBox: `0 0 ${shown} ${shown + head}`, width: figureSize, height: figureSize * (1 + head / shown), 'font-family': 'sans-serif', 'font-size': 12})
  const inner = made('g', {transform: `translate(0 ${head})`})
  svg.append(made('rect', {width: '100%', height: '100%', fill: colour('paper')}), made('text', {x: shown / 2, y: 20, 'text-anchor': 'middle', fill: colour('ink')}, title), inner)
  inner.append(made('image', {href: canvas.toDataURL(), width: shown, height: shown}), ...lines(cloud, layer, shown, turn).map(l => (l.d
    ? made('path', {d: l.d, fill: 'none', stroke: colour('line')})
    : made('text', {x: l.x, y: l.y, 'text-anchor': l.anchor, fill: colour('soft')}, l.text))))
  return new Blob([new XMLSerializer().serializeToString(svg)], {type: 'image/svg+xml'})
}

// tableOf returns the points that are shown as CSV.
const tableOf = (cloud, layer, only) => {
  const axes = cloud.spatial ? ['PC 1', 'PC 2', 'PC 3'] : ['x', 'y'], n = axes.length
  const rows = [['word', ...axes].join(',')]
  for (let i = 0; i < cloud.points; i++) {
    if (only && cloud.lengths[i] !== only) continue
    rows.push(['"' + cloud.names(i).join(',').replaceAll('"', '""') + '"', ...layer.at.subarray(n * i, n * i + n)].join(','))
  }
  return new Blob([rows.join('\n') + '\n'], {type: 'text/csv'})
}

const still = () => {}

// step is the angle by which a key turns a cloud, in degrees.
const step = 5

// Cloud shows one layer. mark is an optional point in the layer's coordinates, a list.
// onPick is called with the list of tokens' names of a point that is clicked. In space,
// turn holds angles in degrees, see matrix; onTurn is called with others when the cloud is
// dragged or an arrow key is pressed. With only, sequences of that many tokens are shown.
export const Cloud = ({cloud, layer, title, mark, onPick, turn = [0, 0], onTurn = still, only = 0}) => {
  const [ref, shown] = useSize(320)
  const canvas = useRef(null), drag = useRef(null)
  const [cursor, setCursor] = useState(null) // where the pointer is, in CSS pixels
  const ratio = Math.min(2, globalThis.devicePixelRatio || 1), width = Math.max(64, Math.round(shown * ratio))
  const places = useMemo(() => placed(cloud, layer, width, turn, only), [cloud, layer, width, ...turn, only])
  useEffect(() => {
    canvas.current.width = canvas.current.height = width
    draw(canvas.current, cloud, places)
  }, [places])
  const spot = event => {
    const box = canvas.current.getBoundingClientRect()
    return {x: event.clientX - box.left, y: event.clientY - box.top}
  }
  const at = ({x, y}) => nearest(places, x * ratio, y * ratio, 8 * ratio)
  // The label is looked up in the cloud that is shown now, also if the pointer stands
  // still while the cloud changes below it.
  const under = cursor ? at(cursor) : -1
  const label = under >= 0 && (cloud.names(under).join(' ') || 'nothing')
  const turnBy = (from, across, up) => onTurn([Math.round(from[0] + across + 540) % 360 - 180, Math.max(-90, Math.min(90, Math.round(from[1] + up)))])
  const hover = event => {
    if (drag.current) {
      const {x, y, from} = drag.current
      drag.current.moved ||= Math.hypot(event.clientX - x, event.clientY - y) > 3
      if (drag.current.moved) turnBy(from, (event.clientX - x) / 2, (event.clientY - y) / 2)
    }
    setCursor(drag.current?.moved ? null : spot(event))
  }
  const press = event => {
    if (!cloud.spatial || event.button) return
    drag.current = {x: event.clientX, y: event.clientY, from: turn, moved: false}
    canvas.current.setPointerCapture(event.pointerId)
  }
  const pick = event => {
    const {moved} = drag.current ?? {}
    drag.current = null
    const i = moved ? -1 : at(spot(event))
    if (i >= 0) onPick?.(cloud.names(i))
  }
  const key = event => {
    const by = {ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step]}[event.key]
    if (!by || !cloud.spatial) return
    event.preventDefault()
    turnBy(turn, ...by)
  }
  const ring = mark && ringAt(mark, frame(cloud, layer, shown), cloud.spatial && matrix(turn))
  const number = only ? cloud.lengths.reduce((sum, n) => sum + (n === only ? 1 : 0), 0) : cloud.points
  const sentence = `${title}: ${number} sequences of ${only || 'up to ' + cloud.length} tokens, each a point` +
    (cloud.vertices ? ` in the triangle of ${cloud.vertices.join(', ')}` : '') +
    (layer.r2 ? `; read with R² ${layer.r2.mean.toFixed(3)}` : '') +
    (layer.shares ? `; its first three principal components have ${explained(layer.shares)}. Arrow keys turn it` : '') + '.'
  const get = async ending => (ending === '.csv' ? tableOf(cloud, layer, only) : pictureOf(cloud, layer, turn, only, title))
  return html`<figure class="cloud" ref=${ref}>
    <div class=${cloud.spatial ? 'plate turns' : 'plate'} style=${{height: shown + 'px'}}>
      <canvas ref=${canvas} role="img" aria-label=${sentence} tabindex=${cloud.spatial ? 0 : undefined} onKeyDown=${key}
        onPointerDown=${press} onPointerMove=${hover} onPointerLeave=${() => setCursor(null)} onPointerCancel=${() => { drag.current = null }}
        onClick=${pick}></canvas>
      <svg width=${shown} height=${shown} aria-hidden="true">
        ${lines(cloud, layer, shown, turn).map(l => (l.d ? html`<path d=${l.d}/>` : html`<text x=${l.x} y=${l.y} text-anchor=${l.anchor}>${l.text}</text>`))}
        ${ring && html`<circle class="mark" cx=${ring.x} cy=${ring.y} r="6"/>`}
      </svg>
      ${label && html`<output class="label">${label}</output>`}
    </div>
    <figcaption>${title}${layer.r2 ? html`, <span class="r2">R² = ${layer.r2.mean.toFixed(3)}</span>` : ''}${layer.shares
      ? html`, <span class="shares">${explained(layer.shares)}</span>` : ''}</figcaption>
    <${Save} get=${get} endings=${['.svg', '.png', '.csv']} title=${title}/>
  </figure>`
}

// pointOf returns the coordinates of a point in a layer.
export const pointOf = (cloud, layer, i) => (cloud.spatial ? [...layer.at.subarray(3 * i, 3 * i + 3)] : [...layer.at.subarray(2 * i, 2 * i + 2)])

// place returns the coordinates of a belief over three states in the triangle.
export const place = ([, b, c]) => [b + c / 2, c * Math.sqrt(3) / 2]
