// The laboratory's page: its title, and a curve whose last value follows a slider.
import { render } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { html } from "htm/preact";
import { signal, useSignalEffect } from "@preact/signals";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import "./app.css";

const last = signal(4);

function Curve() {
  const place = useRef(null);
  const plot = useRef(null);
  useEffect(() => {
    const series = [{}, { label: "y", stroke: "#36c" }];
    plot.current = new uPlot({ width: 320, height: 200, scales: { x: { time: false } }, series }, null, place.current);
    return () => plot.current.destroy();
  }, []);
  useSignalEffect(() => plot.current.setData([[0, 1, 2], [0, 1, last.value]]));
  return html`<div ref=${place}></div>`;
}

function App() {
  return html`
    <h1>foretell</h1>
    <${Curve} />
    <label>last value
      <input type="range" min="0" max="9" value=${last} onInput=${(e) => { last.value = e.target.valueAsNumber; }} />
    </label>
    <output>${last}</output>`;
}

render(html`<${App} />`, document.getElementById("app"));
