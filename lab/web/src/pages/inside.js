import {html} from '../html.js'

export const Inside = () => html`<h1>Inside</h1>`
