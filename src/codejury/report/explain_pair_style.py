"""Style and script of the page of `explain A B`. Neither holds anything of the texts that are explained."""

from __future__ import annotations

STYLE = """
:root { color-scheme: light dark; --ground: #fff; --text: #1c1c1c; --soft: #595959; --line: #c8c8c8;
  --panel: #f4f4f4; --del: #a11a1a; --del-ground: #ffe3e0; --ins: #0b5d1e; --ins-ground: #dcf5e0;
  --path: #0a58a8; --path-ground: #dcebfb; --now: #b35900; --bar: #4a7fb5 }
@media (prefers-color-scheme: dark) {
  :root { --ground: #161616; --text: #ececec; --soft: #b0b0b0; --line: #4a4a4a; --panel: #222;
    --del: #ffb3a8; --del-ground: #4a1a16; --ins: #a6e8b1; --ins-ground: #143d1d;
    --path: #8cc4ff; --path-ground: #12365c; --now: #ffb066; --bar: #6ca6dd }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--ground); color: var(--text); font: 16px/1.5 system-ui, sans-serif }
main { max-width: 62rem; margin: 0 auto; padding: 1rem }
h1 { font-size: 1.5rem } h2 { font-size: 1.2rem; margin: 2rem 0 .5rem }
p, li { max-width: 46rem } .soft { color: var(--soft) }
pre, code, .mono, svg text { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: 4px; padding: .6rem; margin: .3rem 0;
  white-space: pre-wrap; overflow-wrap: anywhere; font-size: .9rem; max-height: 24rem; overflow-y: auto }
.texts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 18rem), 1fr)); gap: 1rem }
.texts h3 { margin: 0; font-size: 1rem }
.texts > div { min-width: 0 }
.scroll { overflow: auto; max-width: 100% } .tall { max-height: 80vh; position: relative }
.scroll:focus-visible { outline: 2px solid var(--path); outline-offset: 2px }
.last { border-left: 4px solid var(--now); padding: .2rem .8rem; background: var(--panel) }
del { color: var(--del); background: var(--del-ground); text-decoration: line-through }
ins { color: var(--ins); background: var(--ins-ground); text-decoration: underline 2px }
.control { border: 1px dotted var(--soft); border-radius: 2px; font-size: .85em }
table { border-collapse: collapse } th, td { text-align: left; vertical-align: top }
.list th, .list td { border-bottom: 1px solid var(--line); padding: .3rem .6rem .3rem 0; font-weight: normal }
.list thead th { font-weight: bold; white-space: nowrap }
.list .name { font-weight: 600; white-space: nowrap }
.list .number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }
.bar { display: block; height: .35rem; width: 5rem; border: 1px solid var(--bar); border-radius: 2px;
  margin-top: .2rem }
.bar > span { display: block; height: 100%; background: var(--bar) }
details summary { cursor: pointer; color: var(--soft) }
.edits { font-size: .8rem }
.edits th, .edits td { min-width: 1.9rem; height: 1.7rem; padding: 0 .15rem;
  text-align: center; vertical-align: middle; border: 1px solid var(--line) }
.edits th { background: var(--panel); font-weight: bold; position: sticky; left: 0; top: 0 }
.edits thead th { left: auto; z-index: 1 } .edits tbody th { top: auto }
.edits td.path { background: var(--path-ground); color: var(--path); font-weight: bold;
  text-decoration: underline }
.edits td.later { color: transparent; background: none; text-decoration: none; font-weight: normal }
.edits td.now { outline: 3px solid var(--now); outline-offset: -3px }
.edits td.from { outline: 2px dashed var(--now); outline-offset: -2px }
.steps { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin: .5rem 0 }
.steps[hidden] { display: none }
.steps button { font: inherit; min-width: 2.6rem; padding: .2rem .6rem; color: var(--text);
  background: var(--panel); border: 1px solid var(--soft); border-radius: 4px; cursor: pointer }
.steps input { flex: 1 1 12rem; min-width: 8rem; accent-color: var(--now) }
.steps output { flex: 1 0 100%; min-height: 1.6em }
svg { display: block } svg text { font-size: 12px; fill: var(--text) }
svg .side { font-size: 14px; font-weight: bold }
svg .branch, svg .leader { fill: none; stroke: var(--line) } svg .leader { stroke-dasharray: 1 3 }
svg .map { fill: none; stroke: var(--path); stroke-width: 1.5 }
svg .map.relabelled { stroke: var(--now); stroke-dasharray: 6 4; stroke-width: 2 }
svg .common { fill: var(--path); stroke: var(--path) }
svg .own { fill: var(--ground); stroke: var(--now); stroke-width: 2 }
svg text.deleted { fill: var(--del); text-decoration: line-through } svg text.inserted { fill: var(--ins) }
svg text.relabelled { fill: var(--now) } svg text.inserted { text-decoration: underline }
svg text.sign { font-size: 16px; font-weight: bold; text-decoration: none }
.list:not(.metrics) td:last-child { min-width: 12rem }
@media (max-width: 40rem) {
  .steps output { min-height: 6em }
  .metrics thead { display: none }
  .metrics tr { display: block; border-bottom: 1px solid var(--line); padding: .5rem 0 }
  .list.metrics th, .list.metrics td { display: block; border: 0; padding: .1rem 0; text-align: left }
}
"""
"""What is told by colour is told by a mark, a line or a decoration as well."""

SCRIPT = """
"use strict";
(() => {
  const table = document.querySelector("table.edits");
  if (!table) return;
  const rows = [...table.tBodies[0].rows].map((row) => [...row.cells].filter((cell) => cell.tagName === "TD"));
  const heads = (cells) => [...cells].map((cell) => cell.dataset.code).filter((code) => code);
  const across = heads(table.tHead.rows[0].cells);
  const down = heads([...table.tBodies[0].rows].map((row) => row.cells[0]));
  const width = rows[0].length, cells = rows.flat();
  const path = cells.filter((cell) => cell.classList.contains("path")).reverse();
  const steps = document.querySelector(".steps");
  const slider = steps.querySelector("input"), said = steps.querySelector("output");
  const value = (i, j) => Number(rows[i][j].textContent);
  const words = (step) => {
    if (step >= cells.length) {
      const at = step - cells.length;
      if (at === path.length - 1) return "The path is complete: each step is an edit, but for equal characters.";
      return `The way back, step ${at + 1} of ${path.length}: to a cell that the one before could come from.`;
    }
    const i = Math.floor(step / width), j = step % width;
    if (!i || !j) return `Row ${i}, column ${j}: ${i + j} characters alone are ${i + j} edits.`;
    const same = across[j - 1] === down[i - 1];
    return `Row ${i}, column ${j}: the least of ${value(i - 1, j)} + 1 from above (delete), ` +
      `${value(i, j - 1)} + 1 from the left (insert) and ${value(i - 1, j - 1)} + ${same ? 0 : 1} ` +
      `from the corner (${same ? "equal" : "replace"}) is ${value(i, j)}.`;
  };
  const show = () => {
    const step = Number(slider.value), filled = Math.min(step, cells.length - 1);
    const walked = new Set(path.slice(0, Math.max(0, step - cells.length + 1)));
    cells.forEach((cell, place) => {
      cell.classList.toggle("later", place > filled);
      cell.classList.toggle("path", walked.has(cell));
      cell.classList.remove("now", "from");
    });
    if (step < cells.length) {
      const i = Math.floor(step / width), j = step % width;
      cells[step].classList.add("now");
      const three = i && j ? [rows[i - 1][j], rows[i][j - 1], rows[i - 1][j - 1]] : [];
      three.forEach((cell) => cell.classList.add("from"));
    } else path[step - cells.length].classList.add("now");
    const box = table.parentElement, now = table.querySelector(".now");
    box.scrollTo(now.offsetLeft - box.clientWidth / 2, now.offsetTop - box.clientHeight / 2);
    said.textContent = words(step);
  };
  const move = (to) => { slider.value = to; show(); };
  slider.max = cells.length + path.length - 1;
  slider.value = slider.max;
  slider.addEventListener("input", show);
  const at = () => Number(slider.value);
  const moves = { first: () => 0, back: () => at() - 1, next: () => at() + 1, last: () => slider.max };
  for (const button of steps.querySelectorAll("button")) {
    button.addEventListener("click", () => move(moves[button.value]()));
  }
  steps.hidden = false;
  show();
})();
"""
"""Fills the edit table step by step; without it the table is shown whole, with its path."""
