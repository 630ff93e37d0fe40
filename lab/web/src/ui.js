// Parts that several pages use.
import {useEffect, useRef, useState} from 'preact/hooks'
import {ask, file, inTab} from './engine.js'
import {html} from './html.js'

// useAnswer asks a question again when its fields change, and returns the last answer
// meanwhile: {value, command, error, busy}. It asks nothing while fields is null.
export const useAnswer = (name, fields, delay = 60) => useAsked([name, fields], fields && (signal => ask(name, fields, signal)), delay)

// waiting counts the answers that the page waits for.
let waiting = 0
const wait = change => {
  waiting += change
  document.body.classList.toggle('waiting', waiting > 0)
}

// useAsked calls get, which returns a promise, when key changes. An answer that comes too
// late is dropped.
export const useAsked = (key, get, delay = 60) => {
  const [found, setFound] = useState({busy: true})
  useEffect(() => {
    if (!get) return undefined
    const control = new AbortController()
    let ended = false
    const end = () => {
      if (!ended) wait(-1)
      ended = true
    }
    wait(1)
    const timer = setTimeout(async () => {
      setFound(last => ({...last, busy: true}))
      try {
        const answer = await get(control.signal)
        if (!control.signal.aborted) setFound({...answer, busy: false})
      } catch (error) {
        const late = error.status === 204 // the step of a run is gone; a later one comes
        if (!control.signal.aborted) setFound(last => ({...last, error: late ? undefined : error.message, busy: false}))
      }
      end()
    }, delay)
    return () => {
      clearTimeout(timer)
      control.abort()
      end()
    }
  }, [JSON.stringify(key)])
  return found
}

// Problem is an error in one line. A screen reader says it at once.
export const Problem = ({text}) => text ? html`<p class="problem" role="alert">${text}</p>` : null

// Command shows the command line that prints the same numbers, with a button to copy it.
export const Command = ({text}) => {
  const [copied, setCopied] = useState(false)
  if (!text) return null
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 1500)
  }
  return html`<p class="command"><code>${text}</code>
    <button type="button" onClick=${copy}>${copied ? 'Copied' : 'Copy as command'}</button></p>`
}

// held are the blobs that images of the page show, by their addresses.
const held = new Map()

// hold returns an address for a blob, until release.
export const hold = blob => {
  const url = URL.createObjectURL(blob)
  held.set(url, blob)
  return url
}

export const release = url => {
  held.delete(url)
  URL.revokeObjectURL(url)
}

export const heldBy = url => held.get(url)

// download saves a blob under a name.
export const download = (blob, name) => {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 1000)
}

// picture draws an SVG image as a PNG of the width of a slide.
const picture = async svg => {
  const image = new Image()
  image.src = URL.createObjectURL(svg)
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = 1920
  canvas.height = Math.round(1920 * image.naturalHeight / image.naturalWidth)
  const context = canvas.getContext('2d')
  context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--paper')
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.drawImage(image, 0, 0, canvas.width, canvas.height)
  URL.revokeObjectURL(image.src)
  return new Promise(resolve => canvas.toBlob(resolve, 'image/png'))
}

// Save offers the answer to a question as files, or what get returns for an ending. endings
// are among .svg, .png, .csv, .html and .json; a PNG is drawn of the SVG. The engine of a
// tab writes no HTML.
export const Save = ({name, fields, endings, title, get = ending => file(name, ending, fields)}) => {
  const [error, setError] = useState('')
  const save = async ending => {
    setError('')
    try {
      const blob = await get(ending === '.png' ? '.svg' : ending)
      download(ending === '.png' ? await picture(blob) : blob, (title ?? name) + ending)
    } catch (failed) {
      setError(failed.message)
    }
  }
  const words = e => (e === '.html' ? 'one HTML file' : e.slice(1).toUpperCase())
  return html`<div class="save"><span>Save as</span>
    ${endings.filter(e => !inTab || e !== '.html').map(e => html`<button type="button" aria-label=${`Save ${title ?? name} as ${words(e)}`} onClick=${() => save(e)}>${words(e)}</button>`)}
    <${Problem} text=${error}/></div>`
}

// Figure shows the figure of a question, as the command line draws it. alt is what it
// shows, in a sentence.
export const Figure = ({name, fields, alt, endings = ['.svg', '.png', '.csv', '.html']}) => {
  const {value: url, error, busy} = useAsked([name, fields], fields && (async signal =>
    ({value: hold(await file(name, '.svg', fields, signal))})), 150)
  useEffect(() => () => url && release(url), [url])
  return html`<figure class=${busy ? 'busy' : ''}>
    ${url && html`<img src=${url} alt=${alt}/>`}
    <${Problem} text=${error}/>
    ${fields && html`<${Save} name=${name} fields=${fields} endings=${endings}/>`}
  </figure>`
}

// Slider moves a number. It is a range and a field with the same label.
export const Slider = ({label, min, max, step, value, onInput, hint}) => {
  const set = event => event.target.value !== '' && onInput(event.target.value)
  return html`<label class="slider"><span>${label}</span>
    <input type="range" min=${min} max=${max} step=${step} value=${value} onInput=${set} aria-label=${label}/>
    <input type="number" min=${min} max=${max} step="any" value=${value} onChange=${set} aria-label=${label + ', number'}/>
    ${hint && html`<small>${hint}</small>`}</label>`
}

// Choice is a list to choose from. options are names, or pairs of a name and a text.
export const Choice = ({label, value, options, onChange}) => html`<label class="choice"><span>${label}</span>
  <select onChange=${event => onChange(event.target.value)}>
    ${options.map(o => [].concat(o)).map(([name, text]) =>
      html`<option value=${name} selected=${name === value}>${text ?? name}</option>`)}
  </select></label>`

// Text is a line of text. It takes effect with Enter or when the field is left, or at
// once with live.
export const Text = ({label, value, onChange, hint, live, ...rest}) => {
  const set = event => onChange(event.target.value)
  return html`<label class="text"><span>${label}</span>
    <input type="text" autocomplete="off" spellcheck=${false} value=${value}
      ...${live ? {onInput: set} : {onChange: set}} ...${rest}/>
    ${hint && html`<small>${hint}</small>`}</label>`
}

// Table shows rows of cells under headings. The first cell of a row is its name.
export const Table = ({caption, columns, rows, className}) => html`<div class="scroll" tabindex="0" role="region" aria-label=${caption}>
  <table class=${className}><caption>${caption}</caption>
  <thead><tr>${columns.map(c => html`<th scope="col">${c}</th>`)}</tr></thead>
  <tbody>${rows.map(row => html`<tr>${row.map((cell, i) => i === 0
    ? html`<th scope="row">${cell}</th>` : html`<td>${cell}</td>`)}</tr>`)}</tbody></table></div>`

// Numbers is a table behind a figure, which the reader may unfold.
export const Numbers = props => html`<details><summary>${props.caption}</summary><${Table} ...${props}/></details>`

// nats formats a number of nats.
export const nats = x => x === undefined || x === null ? '–'
  : Math.abs(x) < 1e-3 && x !== 0 ? x.toExponential(2) : x.toFixed(5)

// percent formats a share.
export const percent = x => (x === undefined || x === null || !isFinite(x) ? '–' : (100 * x).toFixed(1) + ' %')

// useSize returns a reference for an element and its width in CSS pixels.
export const useSize = (initial = 600) => {
  const ref = useRef(null)
  const [width, setWidth] = useState(initial)
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => setWidth(Math.round(entry.contentRect.width)))
    watch.observe(ref.current)
    return () => watch.disconnect()
  }, [])
  return [ref, width]
}
