// Curves that grow while a model trains, by uPlot. Each chart has a sentence, a table, and
// a sound for those who do not see it.
import {useEffect, useRef, useState} from 'preact/hooks'
import UPlot from 'uplot'
import {html} from './html.js'
import {sing} from './sound.js'
import {Numbers, useSize} from './ui.js'
import {theme} from './theme.js'

const colour = name => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim()

// power names a tick of a logarithmic axis; between powers of ten there is no name.
const power = tick => (tick && Number.isInteger(Math.log10(tick)) ? tick.toPrecision(1).replace(/^1e-0*/, '1e-') : '')

// digits names a tick of a linear axis.
const digits = tick => String(Number(tick.toPrecision(4)))

// painters have, for the plate of each chart, a function that draws the chart again in an
// element, in a width.
const painters = new WeakMap()

// painted returns pictures of a chart for another document: {data, width, classes}, in
// light and in dark, for wide windows and for telephones.
export const painted = async plate => {
  const pictures = [], root = document.documentElement, chosen = root.dataset.theme
  for (const [size, width] of [['if-wide', plate.clientWidth], ['if-narrow', 360]]) {
    for (const name of ['light', 'dark']) {
      root.dataset.theme = name
      const plot = painters.get(plate)(document.createElement('div'), width) // takes its colours at once
      if (chosen) root.dataset.theme = chosen
      else delete root.dataset.theme
      await null // uPlot draws in a microtask
      pictures.push({data: plot.ctx.canvas.toDataURL(), width, classes: `if-${name} ${size}`})
      plot.destroy()
    }
  }
  return pictures
}

// whole are the distances that grid lines across may have: x is a step or a position.
const whole = Array.from({length: 10}, (_, k) => [1, 2, 5].map(d => d * 10 ** k)).flat()

// Chart draws series over x. Each series is {name, values, colour, dash}; colour is the
// name of a custom property. sentence says what the chart shows.
export const Chart = ({title, x, series, log, xLabel, yLabel, sentence, format = String, height = 240}) => {
  const [ref, width] = useSize(600)
  const plate = useRef(null), plot = useRef(null)
  const shape = JSON.stringify([series.map(s => [s.name, s.colour]), log, theme.value, width])
  const data = [x, ...series.map(s => s.values.map(v => (log && !(v > 0) ? null : v)))]
  const drawIn = (element, width) => {
    const axis = {stroke: colour('soft'), grid: {stroke: colour('line'), width: 1}, ticks: {stroke: colour('line'), width: 1}}
    return new UPlot({
      width, height, cursor: {drag: {x: false, y: false}}, legend: {show: false},
      scales: {x: {time: false}, y: log ? {distr: 3} : {}},
      axes: [{...axis, label: xLabel, size: 44, labelSize: 18, incrs: whole},
        {...axis, label: yLabel, size: 64, labelSize: 18, values: (_, ticks) => ticks.map(log ? power : digits)}],
      series: [{}, ...series.map(s => ({
        // Where series have their numbers at different x, a line leads over the gaps.
        label: s.name, stroke: colour(s.colour), width: 2, dash: s.dash, points: {show: x.length < 2}, spanGaps: true,
      }))],
    }, data, element)
  }
  useEffect(() => {
    plot.current = drawIn(plate.current, width)
    return () => plot.current.destroy()
  }, [shape])
  useEffect(() => { painters.set(plate.current, drawIn) })
  useEffect(() => plot.current?.setData(data), [x, series])
  return html`<figure class="chart" ref=${ref}>
    <figcaption>${title} <span class="key">${series.map(s => html`<span class=${'line ' + s.colour}>${s.name}</span>`)}</span></figcaption>
    <div class="plot" ref=${plate} role="img" aria-label=${title + '. ' + sentence}></div>
    <p class="sentence">${sentence}</p>
    <${Sound} values=${series[0].values} log=${log} name=${series[0].name}/>
    <${Numbers} caption=${title + ': numbers'} columns=${[xLabel, ...series.map(s => s.name)]}
      rows=${x.map((at, i) => [String(at), ...series.map(s => (s.values[i] === null ? '' : format(s.values[i])))])}/>
  </figure>`
}

// Sound plays a curve in some seconds: high is large.
const Sound = ({values, log, name}) => {
  const [playing, setPlaying] = useState(false)
  const known = values.filter(v => v !== null && isFinite(v) && (!log || v > 0)).map(v => (log ? Math.log(v) : v))
  if (known.length < 2) return null
  const play = () => {
    const context = new AudioContext(), tone = sing(context, known)
    setPlaying(true)
    tone.onended = () => {
      setPlaying(false)
      context.close()
    }
  }
  return html`<button type="button" class="sound" disabled=${playing} onClick=${play}>Hear ${name} (high is large)</button>`
}
