// What a page shows now, as one HTML file that opens without the laboratory: no script, no
// request. It is built of the page's own elements.
import {useState} from 'preact/hooks'
import {painted} from './chart.js'
import {ask, styleSheet} from './engine.js'
import {html} from './html.js'
import {link, state} from './state.js'
import {download, heldBy, Problem} from './ui.js'

// policy lets the file load nothing and run nothing, whatever is in it.
const policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

const dataOf = blob => new Promise((resolve, reject) => {
  const reader = new FileReader()
  reader.onload = () => resolve(reader.result)
  reader.onerror = () => reject(reader.error)
  reader.readAsDataURL(blob)
})

// picturesIn returns, for each element that is drawn, its pictures: one, or several of
// which the style sheet shows one, see painted.
const picturesIn = async root => {
  const found = new Map()
  for (const e of root.querySelectorAll('canvas, img, .plot')) {
    if (e.matches('.plot canvas')) continue
    if (e.matches('.plot')) found.set(e, await painted(e))
    else if (e.matches('canvas')) found.set(e, [{data: e.toDataURL()}])
    else if (heldBy(e.src)) found.set(e, [{data: await dataOf(heldBy(e.src))}])
  }
  return found
}

// needless are elements that are of use only in the laboratory.
const needless = 'button:not(th button), script, .save, .skip, output.label'

const isKept = name => !/^on/.test(name) && !['style', 'aria-controls', 'src', 'href'].includes(name)

// made returns a new element with the attributes of another.
const made = (e, to, name = e.localName) => {
  const copy = to.createElementNS(e.namespaceURI, name)
  for (const a of e.attributes) if (isKept(a.name)) copy.setAttribute(a.name, a.value)
  return copy
}

// drawn returns a drawn element as images.
const drawn = (e, to, pictures) => {
  const all = to.createDocumentFragment()
  for (const {data, width, classes} of pictures) {
    const image = to.createElement('img')
    image.src = data
    image.alt = e.alt ?? e.getAttribute('aria-label') ?? ''
    if (classes) image.className = classes
    if (width) image.width = width
    all.append(image)
  }
  return all
}

// control returns an input with its present value, which cannot be changed.
const control = (e, to) => {
  const copy = made(e, to)
  if (e.matches('textarea, [type=text], [type=number]')) copy.setAttribute('readonly', '')
  else copy.setAttribute('disabled', '')
  if (e.matches('textarea')) copy.textContent = e.value
  else if (e.matches('select')) copy.append(...[...e.selectedOptions].map(o => Object.assign(to.createElement('option'), {textContent: o.textContent})))
  else if (e.matches('[type=checkbox]')) copy.toggleAttribute('checked', e.checked)
  else copy.setAttribute('value', e.value)
  return copy
}

// tab returns the name of the view that is shown.
const tab = (e, to) => Object.assign(to.createElement('p'),
  {className: 'sentence', textContent: 'View: ' + e.querySelector('[aria-selected=true]').textContent})

// copyOf returns a node for another document, or null if it is needless there.
const copyOf = (node, to, pictures) => {
  if (node.nodeType === Node.TEXT_NODE) return to.createTextNode(node.data)
  if (node.nodeType !== Node.ELEMENT_NODE || node.matches(needless)) return null
  if (pictures.has(node)) return drawn(node, to, pictures.get(node))
  if (node.matches('canvas, img')) return null
  if (node.matches('input, textarea, select')) return control(node, to)
  if (node.matches('[role=tablist]')) return tab(node, to)
  const copy = made(node, to, node.matches('button') ? 'span' : undefined)
  if (node.matches('[role=tabpanel]')) for (const name of ['role', 'tabindex', 'aria-labelledby']) copy.removeAttribute(name)
  if (node.matches('a') && /^https?:/.test(node.getAttribute('href'))) copy.href = node.href
  if (node.matches('.plate > svg')) resized(node, copy)
  for (const child of node.childNodes) {
    const kept = copyOf(child, to, pictures)
    if (kept) copy.append(kept)
  }
  return node.matches('.row, [role=group]') && !copy.textContent.trim() && !copy.querySelector('img, input') ? null : copy
}

// resized lets an SVG follow the size of the picture below it.
const resized = (svg, copy) => {
  copy.setAttribute('viewBox', `0 0 ${svg.getAttribute('width')} ${svg.getAttribute('height')}`)
  copy.setAttribute('width', '100%')
  copy.setAttribute('height', '100%')
}

const paragraph = (to, className, ...content) => {
  const p = to.createElement('p')
  p.className = className
  p.append(...content)
  return p
}

// oneFile returns the page as an HTML file. version is the program's.
export const oneFile = async version => {
  const main = document.querySelector('main'), css = await styleSheet(), pictures = await picturesIn(main)
  const to = document.implementation.createHTMLDocument(document.title)
  const query = link({}).slice(1), code = to.createElement('code')
  code.textContent = query ? '&' + query : 'nothing'
  const footer = to.createElement('footer')
  footer.append(paragraph(to, 'sentence', `Saved from foretell lab, version ${version}. The link that foretell lab prints opens the same page with this at its end:`),
    paragraph(to, 'command', code))
  const header = to.createElement('header'), name = to.createElement('strong')
  name.textContent = 'foretell'
  header.append(name, document.title.split(' – ')[0])
  to.body.className = 'saved'
  to.body.append(header, copyOf(main, to, pictures), footer)
  const text = node => new XMLSerializer().serializeToString(node)
  const meta = Object.assign(to.createElement('meta'), {httpEquiv: 'Content-Security-Policy', content: policy})
  // The rules are not escaped in HTML, unlike in what the serializer writes.
  return new Blob(['<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width,initial-scale=1">\n',
    text(meta), '\n', text(to.querySelector('title')), '\n<style>\n', css.replaceAll('</', '<\\/'), '\n</style>\n', text(to.body), '\n</html>\n'],
  {type: 'text/html'})
}

// SavePage offers the page as one HTML file.
export const SavePage = () => {
  const [error, setError] = useState('')
  const save = async () => {
    setError('')
    try {
      const {value} = await ask('version', {})
      download(await oneFile(value.version), `foretell-${state.page.value}.html`)
    } catch (failed) {
      setError(failed.message)
    }
  }
  return html`<button type="button" class="save-page" onClick=${save}>Save page</button><${Problem} text=${error}/>`
}
