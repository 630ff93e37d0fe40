import {html} from '../html.js'

export const Lessons = () => html`<h1>Lessons</h1>`
