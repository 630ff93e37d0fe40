"use strict";
(() => {
  const panel = document.getElementById("behind");
  const cells = "table.matrix[data-e] td:not(thead td), td.n[data-e]";
  const shown = 8; // terms of a sum
  let data, marked = [];

  // The data is parsed on first use.
  const load = () => data ??= JSON.parse(document.getElementById("data").textContent);

  const minus = text => text.replaceAll("-", "−");
  const decimal = x => {
    if (x === 0) return "0";
    if (!Number.isFinite(x)) return x < 0 ? "−∞" : "∞";
    if (Math.abs(x) < 0.5 * 10 ** -data.digits) return minus(x.toExponential(0));
    return minus(Math.abs(x) >= 1e7 ? x.toExponential(data.digits) : x.toFixed(data.digits));
  };
  const factor = x => x < 0 ? "(" + decimal(x) + ")" : decimal(x);
  const plus = terms => terms.map((t, i) => i === 0 ? t : t.startsWith("−") ? " − " + t.slice(1) : " + " + t).join("");
  const closed = text => /^√\([^()]*\)$/.test(text) || !/ [+−·\/] /.test(text) ? text : "(" + text + ")";

  // matrix and value return a matrix and the value of a formula: r rows, c columns and
  // at(i, j). A single row or column is repeated.
  const matrix = k => {
    const [r, c, ...x] = data.matrices[k];
    return {r, c, at: (i, j) => x[Math.min(i, r - 1) * c + Math.min(j, c - 1)] ?? -Infinity};
  };
  const combine = (a, b, f) => ({
    r: Math.max(a.r, b.r), c: Math.max(a.c, b.c), at: (i, j) => f(a.at(i, j), b.at(i, j)),
  });
  const broadcast = m => ({...m, at: (i, j) => m.at(Math.min(i, m.r - 1), Math.min(j, m.c - 1))});
  const value = ([kind, ...a]) => {
    switch (kind) {
    case "m": return matrix(a[0]);
    case "f": return matrix(a[2]);
    case "+": return a.map(value).reduce((x, y) => combine(x, y, (p, q) => p + q));
    case "-": return combine(value(a[0]), value(a[1]), (p, q) => p - q);
    case "⊙": return combine(value(a[0]), value(a[1]), (p, q) => p * q);
    case "/": return combine(value(a[0]), value(a[1]), (p, q) => p / q);
    case "√": { const m = value(a[0]); return {...m, at: (i, j) => Math.sqrt(m.at(i, j))}; }
    case "[]": { const m = value(a[0]); return {r: a[1].length, c: m.c, at: (i, j) => m.at(a[1][i], j)}; }
    case "·": {
      const x = value(a[0]), y = value(a[1]);
      return broadcast({r: x.r, c: y.c, at: (i, j) => {
        let sum = 0;
        for (let k = 0; k < x.c; k++) sum += x.at(i, k) * y.at(k, j);
        return sum;
      }});
    }
    }
  };

  // few keeps the largest terms of a sum, {x, text}, and adds up the others.
  const few = terms => {
    if (terms.length <= shown) return terms.map(t => t.text);
    const least = terms.map(t => Math.abs(t.x)).sort((p, q) => q - p)[shown - 1];
    const kept = terms.filter(t => Math.abs(t.x) >= least).slice(0, shown);
    const rest = terms.filter(t => !kept.includes(t));
    const sum = decimal(rest.reduce((s, t) => s + t.x, 0));
    return [...kept.map(t => t.text), sum + " (" + rest.length + " smaller terms)"];
  };
  const row = (node, i) => { const m = value(node); return Array.from({length: m.c}, (_, k) => m.at(i, k)); };

  // calls writes functions of a row, with exponentials and squares as formulas or, if done, as numbers.
  const calls = {
    softmax: (x, j, done) => {
      const e = v => done ? decimal(Math.exp(v)) : "exp(" + decimal(v) + ")";
      const terms = x.filter(v => v > -Infinity).map(v => ({x: Math.exp(v), text: e(v)}));
      return e(x[j]) + " / " + closed(plus(few(terms)));
    },
    mean: x => closed(plus(few(x.map(v => ({x: v, text: decimal(v)}))))) + " / " + x.length,
    var: (x, j, done) => {
      const mean = x.reduce((s, v) => s + v, 0) / x.length;
      const square = v => done ? decimal((v - mean) ** 2) : "(" + decimal(v) + " − " + factor(mean) + ")²";
      return "(" + plus(few(x.map(v => ({x: (v - mean) ** 2, text: square(v)})))) + ") / " + x.length;
    },
    relu: (x, j) => "max(" + decimal(x[j]) + ", 0)",
  };

  const elementwise = name => name === "relu" || name === "silu" || name.startsWith("gelu");

  // spell writes the number at (i, j) as a formula of the numbers it is computed from, with
  // products as formulas or, if done, as numbers.
  const spell = (node, i, j, done) => {
    const [kind, a, b] = node;
    switch (kind) {
    case "+": return plus(node.slice(1).map(term => spell(term, i, j, done)).filter((t, k, all) => t !== "0" || all.length <= shown))
        || "0";
    case "-": return spell(a, i, j, done) + " − " + closed(spell(b, i, j, done)).replace(/^−.*$/, "($&)");
    case "⊙": return closed(spell(a, i, j, done)) + " · " + closed(spell(b, i, j, done)).replace(/^−.*$/, "($&)");
    case "/": return closed(spell(a, i, j, done)) + " / " + closed(spell(b, i, j, done));
    case "√": return "√" + closed(spell(a, i, j, done));
    case "[]": return spell(a, b[i], j, done);
    case "·": {
      const x = value(a), y = value(b), terms = [];
      for (let k = 0; k < x.c; k++) {
        const p = x.at(i, k), q = y.at(k, j);
        if (p * q !== 0 || x.c <= shown) terms.push({x: p * q, text: done ? decimal(p * q) : decimal(p) + " · " + factor(q)});
      }
      return plus(few(terms)) || "0";
    }
    case "f": {
      const x = row(b, i);
      if (calls[a]) return calls[a](x, j, done);
      if (elementwise(a)) return a + "(" + decimal(x[j]) + ")";
      return a + "(" + (x.length > shown ? "row " + i : x.map(decimal).join(", ")) + ")";
    }
    }
    return decimal(value(node).at(i, j));
  };
  // reach calls mark for each matrix on the page with the row and column that the number at
  // (i, j) depends on, null for all.
  const reach = (node, i, j, mark) => {
    const [kind, a, b] = node;
    switch (kind) {
    case "m": if (b) mark(a, i, j); break;
    case "·": reach(a, i, null, mark); reach(b, null, j, mark); break;
    case "[]": reach(a, i === null ? null : b[i], j, mark); break;
    case "f": reach(b, i, elementwise(a) ? j : null, mark); break;
    default: for (const child of node.slice(1)) reach(child, i, j, mark);
    }
  };
  const highlight = (cell, tree, i, j) => {
    const tables = [...(cell.closest(".equation")?.querySelectorAll(".numbers mtable.m") ?? [])];
    reach(tree, i, j, (k, i, j) => {
      const [r, c] = data.matrices[k], table = tables.shift();
      if (!table) return;
      [...table.children].forEach((line, p) => [...line.children].forEach((entry, q) => {
        if ((i === null || Math.min(i, r - 1) === p) && (j === null || Math.min(j, c - 1) === q)) marked.push(entry);
      }));
    });
    const arrow = cell.closest("article")?.querySelector(`.arrow[data-cell="${i},${j}"]`);
    if (arrow) marked.push(arrow);
    for (const entry of marked) entry.classList.add("hit");
  };

  const hide = () => {
    for (const entry of marked) entry.classList.remove("hit");
    marked = [];
    panel.hidden = true;
  };
  const place = cell => {
    const table = cell.closest("table.matrix");
    if (!table) return {i: 0, j: 0, names: []};
    const line = cell.parentElement, entries = [...line.querySelectorAll("td")];
    const i = [...line.parentElement.children].indexOf(line), j = entries.indexOf(cell);
    const name = th => th ? " “" + th.textContent + "”" : "";
    return {i, j, names: [
      "row " + i + name(line.querySelector("th")),
      "column " + j + name(table.querySelectorAll("thead th")[j]),
    ]};
  };
  const paragraph = (text, kind) => {
    const p = document.createElement("p");
    p.textContent = text;
    if (kind) p.className = kind;
    return p;
  };
  const explain = (element, [name, tree], {i, j, names}, result) => {
    const lines = [spell(tree, i, j, false), spell(tree, i, j, true), result];
    panel.replaceChildren(paragraph([name, ...names].join(", "), "what"));
    lines.filter((line, k) => line !== lines[k - 1]).forEach(line => panel.append(paragraph("= " + line)));
    highlight(element, tree, i, j);
    panel.hidden = false;
  };
  const show = cell => {
    hide();
    load();
    const equation = data.equations[cell.closest("[data-e]").dataset.e];
    explain(cell, equation, place(cell), cell.classList.contains("z") ? "0" : cell.textContent);
  };

  // A matrix is one stop of the Tab key; arrow keys move within it.
  const steps = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0]};
  const move = (cell, [down, right]) => {
    const line = cell.parentElement, j = [...line.querySelectorAll("td")].indexOf(cell) + right;
    const i = [...line.parentElement.children].indexOf(line) + down;
    const next = line.parentElement.children[i]?.querySelectorAll("td")[j];
    if (!next) return;
    cell.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  };
  for (const table of document.querySelectorAll("table.matrix[data-e]")) {
    table.setAttribute("role", "grid");
    table.querySelector("tbody td").tabIndex = 0;
  }
  for (const cell of document.querySelectorAll("td.n[data-e]")) cell.tabIndex = 0;

  // A heat map is one stop of the Tab key, too. Its cursor follows the pointer and the arrow
  // keys; when the pointer leaves, it returns to the cell that was chosen.
  const heat = map => {
    const rows = Number(map.dataset.rows), columns = Number(map.dataset.columns), cursor = document.createElement("span");
    let chosen = [0, 0];
    const open = ([i, j]) => {
      hide();
      load();
      const equation = data.equations[map.dataset.e], [, , k, rowNames, columnNames] = equation;
      const name = (list, p) => list ? " “" + list[p] + "”" : "";
      cursor.style.left = 100 * j / columns + "%";
      cursor.style.top = 100 * i / rows + "%";
      map.append(cursor);
      map.dataset.cell = i + "," + j;
      const names = ["row " + i + name(rowNames, i), "column " + j + name(columnNames, j)];
      explain(map, equation, {i, j, names}, decimal(matrix(k).at(i, j)));
    };
    const close = () => { cursor.remove(); hide(); };
    const at = e => {
      const box = map.getBoundingClientRect(), clip = (x, n) => Math.max(0, Math.min(n - 1, Math.floor(x)));
      return [clip((e.clientY - box.top) / box.height * rows, rows), clip((e.clientX - box.left) / box.width * columns, columns)];
    };
    map.tabIndex = 0;
    map.addEventListener("pointermove", e => open(at(e)));
    map.addEventListener("pointerleave", () => document.activeElement === map ? open(chosen) : close());
    map.addEventListener("pointerdown", e => { chosen = at(e); });
    map.addEventListener("click", () => { map.focus(); open(chosen); });
    map.addEventListener("focus", () => open(chosen));
    map.addEventListener("blur", close);
    map.addEventListener("keydown", e => {
      if (e.key === "Escape") cursor.remove();
      if (!steps[e.key]) return;
      e.preventDefault();
      const [down, right] = steps[e.key];
      chosen = [Math.max(0, Math.min(rows - 1, chosen[0] + down)), Math.max(0, Math.min(columns - 1, chosen[1] + right))];
      open(chosen);
    });
  };
  for (const map of document.querySelectorAll(".heat [data-e]")) heat(map);
  document.getElementById("hint").hidden = false;

  const pointed = e => e.target.closest?.(cells);
  const focused = () => document.activeElement?.matches(cells) ? document.activeElement : null;
  addEventListener("mouseover", e => { const cell = pointed(e); if (cell) show(cell); });
  addEventListener("mouseout", e => { if (pointed(e)) focused() ? show(focused()) : hide(); });
  addEventListener("focusin", e => { const cell = pointed(e); if (cell) show(cell); });
  addEventListener("click", e => {
    const cell = pointed(e);
    if (!cell) return;
    if (!cell.hasAttribute("tabindex")) cell.tabIndex = -1;
    cell.focus();
  });
  addEventListener("focusout", e => { if (pointed(e)) hide(); });
  addEventListener("keydown", e => {
    const cell = pointed(e);
    if (e.key === "Escape") hide();
    if (!cell || !steps[e.key] || !cell.closest("table.matrix")) return;
    e.preventDefault();
    move(cell, steps[e.key]);
  });
})();
