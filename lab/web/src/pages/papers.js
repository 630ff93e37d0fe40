import {html} from '../html.js'

export const Papers = () => html`<h1>Papers</h1>`
