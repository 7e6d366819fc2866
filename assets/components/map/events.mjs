/** Pointer and keyboard. */
import { cellTip, hideTip, labelTip, showTip, tileTip } from "./tip.mjs";
import { chooseHead, chooseUnits, flush, redrawAll, rest, setMode, sortGrid, zoom } from "./actions.mjs";
import { fillTable } from "./table.mjs";
import { hit, zoomTo } from "./layout.mjs";
import { markBig, viewOf } from "./big.mjs";
import { markGrid, tileId } from "./grid.mjs";
import { step } from "./choice.mjs";

const ARROWS = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"];
const adds = (event) => event.shiftKey || event.ctrlKey || event.metaKey;

/** Listens until `signal` aborts. */
export function listen(s, signal) {
  const on = (node, name, act) => node.addEventListener(name, (event) => s.big.laid && act(event), { signal });
  listenGrid(s, on);
  listenBig(s, on);
  listenStrip(s, on);
  on(s.strip.looks, "click", () => setMode(s, "looks"));
  on(s.strip.looked, "click", () => setMode(s, "looked"));
  on(s.panel.zoom, "click", () => zoomIn(s));
  on(s.panel.reset, "click", () => zoom(s, null));
  on(s.table.details, "toggle", () => fillTable(s));
  on(s.grid.order, "click", () => sortGrid(s, !s.sort));
  on(s.grid.more, "click", () => {
    s.grid.all = true;
    redrawAll(s);
  });
  listenLeaving(s, signal);
}

/** Whoever turns to another part of the page, or leaves it, takes along what was chosen a moment before. */
function listenLeaving(s, signal) {
  const elsewhere = (event) => event.composedPath().includes(s.root) || flush(s);
  for (const name of ["pointerdown", "keydown", "focusin"]) document.addEventListener(name, elsewhere, { signal, capture: true });
  document.addEventListener("visibilitychange", () => flush(s), { signal });
  globalThis.addEventListener("pagehide", () => flush(s), { signal });
}

function listenGrid(s, on) {
  const { host } = s.grid;
  on(host, "pointermove", (event) => pointTile(s, tileUnder(event), event));
  on(host, "pointerleave", () => pointTile(s, null));
  on(host, "click", (event) => {
    const tile = tileUnder(event);
    if (tile) chooseHead(s, tile.layer, tile.head, adds(event));
  });
  on(host, "keydown", (event) => gridKey(s, event));
  on(host, "focus", () => {
    s.grid.active = [s.choice.layer, s.choice.heads.slice(-1)];
    markGrid(s);
  });
}

function tileUnder(event) {
  const node = event.target.closest?.(".tile");
  if (!node) return null;
  const number = (text) => (text === "mean" ? null : Number(text));
  return { node, layer: number(node.dataset.layer), head: number(node.dataset.head) };
}

function pointTile(s, tile, event) {
  const over = tile ? tile.node.id : null;
  if (tile) showTip(s, event.clientX, event.clientY, ...tileTip(s, tile.layer, tile.head === null ? [] : [tile.head]));
  else hideTip(s);
  if (over === s.grid.over) return;
  s.grid.over = over;
  markGrid(s);
}

function gridKey(s, event) {
  const [layer, heads] = s.grid.active;
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    chooseHead(s, layer, heads[0] ?? null, adds(event));
  } else if (ARROWS.includes(event.key) && !event.altKey) {
    event.preventDefault();
    const [next, head] = s.grid.laid.count ? sortedStep(s, event.key) : plainStep(s, event.key);
    if (adds(event)) walkTo(s, next, head);
    else chooseHead(s, next, head);
  }
}

function plainStep(s, pressed) {
  const { layers, heads } = s.frame.header, [layer, at] = s.grid.active;
  const [down, across] = step([layer ?? layers, at[0] ?? heads], pressed, layers, heads);
  return [down === layers ? null : down, across === heads ? null : across];
}

function sortedStep(s, pressed) {
  const { tiles, count } = s.grid.laid, [layer, heads] = s.grid.active;
  const at = Math.max(0, tiles.findIndex((tile) => tile.layer === layer && tile.heads[0] === heads[0]));
  const move = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -count, ArrowDown: count, Home: -at, End: tiles.length - 1 - at }[pressed];
  const tile = tiles[Math.min(tiles.length - 1, Math.max(0, at + move))];
  return [tile.layer, tile.heads[0]];
}

/** Moves the ring without choosing, so that a head can be added with Shift+Enter. */
function walkTo(s, layer, head) {
  s.grid.active = [layer, head === null ? [] : [head]];
  s.grid.over = tileId(...s.grid.active);
  markGrid(s);
}

function listenBig(s, on) {
  const { host } = s.big;
  on(host, "pointerdown", (event) => startDrag(s, event));
  on(host, "pointermove", (event) => pointCell(s, event));
  on(host, "pointerup", (event) => endDrag(s, event));
  on(host, "pointercancel", () => dropDrag(s));
  on(host, "pointerleave", () => leaveBig(s));
  on(host, "click", (event) => clickBig(s, event));
  on(host, "keydown", (event) => bigKey(s, event));
  on(host, "blur", () => leaveBig(s));
}

const pointIn = (s, event) => {
  const frame = s.big.base.getBoundingClientRect();
  return { x: event.clientX - frame.left, y: event.clientY - frame.top };
};

const unitsUnder = (s, event) => {
  const { x, y } = pointIn(s, event);
  return hit(s.big.laid, s.big.laid.view, x, y);
};

function pointCell(s, event) {
  if (s.pressed && !s.drag && farFrom(s.pressed, pointIn(s, event))) beginDrag(s, event);
  if (s.drag) return moveDrag(s, event);
  const { row, column } = unitsUnder(s, event);
  s.at = row < 0 && column < 0 ? null : { row, column };
  s.big.host.classList.toggle("pointing", Boolean(s.at));
  s.pointer = { x: event.clientX, y: event.clientY };
  markBig(s);
  if (!s.at) hideTip(s);
  else showTip(s, s.pointer.x, s.pointer.y, ...tipFor(s, row, column));
  rest(s, () => pointAgain(s));
}

/** Says anew what is under the pointer, once its exact row has come. */
export function pointAgain(s) {
  if (s.at && s.pointer && !s.tip.hidden) showTip(s, s.pointer.x, s.pointer.y, ...tipFor(s, s.at.row, s.at.column));
}

function tipFor(s, row, column) {
  if (row >= 0 && column >= 0) return cellTip(s, row, column);
  return row >= 0 ? labelTip(s, "rows", row) : labelTip(s, "columns", column);
}

function leaveBig(s) {
  if (s.drag) return;
  clearTimeout(s.timers.rest);
  s.at = null;
  markBig(s);
  hideTip(s);
}

function clickBig(s, event) {
  if (s.dragged) {
    s.dragged = false;
    return;
  }
  const { row, column } = unitsUnder(s, event);
  if (row >= 0 || column >= 0) chooseUnits(s, row >= 0 ? row : undefined, column >= 0 ? column : undefined);
}

function startDrag(s, event) {
  const { row, column } = unitsUnder(s, event);
  if (event.pointerType === "touch" || event.button || row < 0 || column < 0) return;
  s.pressed = pointIn(s, event);
  s.dragged = false;
}

const farFrom = (one, other) => Math.hypot(one.x - other.x, one.y - other.y) > 7;

function beginDrag(s, event) {
  s.drag = { from: s.pressed, to: s.pressed };
  s.big.host.setPointerCapture(event.pointerId);
  s.at = null;
  hideTip(s);
}

function moveDrag(s, event) {
  s.drag.to = pointIn(s, event);
  markBig(s);
}

function endDrag(s, event) {
  const { drag } = s;
  s.pressed = null;
  if (!drag) return;
  const { laid } = s.big, inside = (value, from, size) => Math.min(from + size - 0.01, Math.max(from, value));
  const corner = ({ x, y }) => hit(laid, laid.view, inside(x, laid.left, laid.width), inside(y, laid.top, laid.height));
  const one = corner(drag.from), other = corner(pointIn(s, event));
  dropDrag(s);
  s.dragged = true;
  const span = (a, b) => [Math.min(a, b), Math.max(a, b) + 1];
  zoom(s, { rows: span(one.row, other.row), columns: span(one.column, other.column) });
}

function dropDrag(s) {
  s.drag = null;
  s.pressed = null;
}

const REACH = 16;

/** Zooms around the chosen cell, else the corner where reading begins. */
function zoomIn(s) {
  const { rows, columns } = s.frame.header;
  const row = s.at?.row ?? s.units.query ?? 0, column = s.at?.column ?? s.units.key ?? row;
  zoom(s, zoomTo([rows.labels.length, columns.labels.length], row, column, REACH));
}

function bigKey(s, event) {
  const act = { Enter: chooseAt, " ": chooseAt, Escape: forget, "+": zoomIn, "=": zoomIn, "-": () => zoom(s, null), 0: () => zoom(s, null) }[event.key];
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (ARROWS.includes(event.key)) moveCell(s, event);
  else if (act) act(s);
  else return;
  event.preventDefault();
}

function chooseAt(s) {
  if (s.at) chooseUnits(s, s.at.row, s.at.column);
}

/** Escape lets go of the key first, then of the query. */
function forget(s) {
  if (s.units.key !== null) chooseUnits(s, undefined, null);
  else chooseUnits(s, null, undefined);
}

function moveCell(s, { key: pressed }) {
  const { laid } = s.big, view = viewOf(s), clamp = (value, [from, to]) => Math.min(to - 1, Math.max(from, value));
  const at = s.at ?? { row: s.units.query ?? view.rows[0], column: s.units.key ?? view.columns[0] };
  const move = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Home: [0, -Infinity], End: [0, Infinity] }[pressed];
  s.at = s.at ? { row: clamp(at.row + move[0], view.rows), column: clamp(at.column + move[1], view.columns) } : { row: clamp(at.row, view.rows), column: clamp(at.column, view.columns) };
  markBig(s);
  const frame = s.big.base.getBoundingClientRect();
  s.pointer = {
    x: frame.left + laid.left + (s.at.column - view.columns[0] + 1) * laid.cell - 8,
    y: frame.top + laid.top + (s.at.row - view.rows[0] + 1) * laid.cell - 8,
  };
  sayCell(s);
  rest(s, () => sayCell(s));
}

function sayCell(s) {
  if (!s.at) return;
  showTip(s, s.pointer.x, s.pointer.y, ...cellTip(s, s.at.row, s.at.column));
  s.panel.spoken.textContent = s.tip.innerText.replace(/\s+/g, " ");
}

function listenStrip(s, on) {
  const { host } = s.strip;
  on(host, "click", (event) => {
    const token = event.target.closest?.(".token");
    if (token) chooseToken(s, token, adds(event) || event.altKey);
  });
  on(host, "keydown", (event) => stripKey(s, event));
}

/** A token is the query, or with a modifier the key; the other way round where the strip shows who looks. */
function chooseToken(s, token, other) {
  const unit = Number(token.dataset.unit), keys = token.closest(".tokens").dataset.axis === "columns";
  const asKey = keys || (s.frame.header.side !== "cross" && (s.mode === "looked") !== other);
  chooseUnits(s, asKey ? undefined : unit, asKey ? unit : undefined);
  focusToken(token);
}

function focusToken(token) {
  for (const one of token.closest(".tokens").querySelectorAll(".token[tabindex='0']")) one.tabIndex = -1;
  token.tabIndex = 0;
  token.focus({ preventScroll: true });
}

function stripKey(s, event) {
  const token = event.target.closest?.(".token");
  if (event.key === "Escape") return forget(s);
  if (!token || !ARROWS.includes(event.key)) return;
  event.preventDefault();
  const line = token.closest(".tokens"), tokens = [...line.querySelectorAll(".token")], at = tokens.indexOf(token);
  const ahead = line.dir === "rtl" ? "ArrowLeft" : "ArrowRight", last = tokens.length - 1;
  const to = event.key === "Home" ? 0 : event.key === "End" ? last : event.key === ahead || event.key === "ArrowDown" ? at + 1 : at - 1;
  const next = tokens[Math.min(last, Math.max(0, to))];
  focusToken(next);
  next.scrollIntoView({ block: "nearest" });
}
