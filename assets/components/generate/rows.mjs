/** One new row in every head: layers from top to bottom, heads from left to right, in each strip the tokens it looks at. */
import { pen, readTheme, sized } from "../map/dom.mjs";
import { css, ramp, tones } from "../map/palette.mjs";

const NOWHERE = 255, ALL = 254, GAP = 5, HIGH = 270, LEFT = 26, TOP = 18;

/** The cells of a row [layer, head, key]: 254 is a share of 1, 255 a key that may not be looked at. */
export const unpacked = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

/** Where everything lies in so wide a picture. */
export function places({ layers, heads, keys }, width) {
  const pitch = Math.max(4, Math.min(18, Math.floor(HIGH / layers))), across = (width - LEFT) / heads;
  return { pitch, across, strip: across - GAP, high: TOP + pitch * layers, keys: keys.length };
}

/** Which head and which token lie under a point, or null. */
export function under(row, place, x, y) {
  const layer = Math.floor((y - TOP) / place.pitch), head = Math.floor((x - LEFT) / place.across);
  const key = Math.floor(((x - LEFT - head * place.across) / place.strip) * place.keys);
  const there = layer >= 0 && layer < row.layers && head >= 0 && head < row.heads && key >= 0 && key < place.keys;
  return there ? { layer, head, key, share: row.cells[(layer * row.heads + head) * place.keys + key] } : null;
}

/** One pixel for each cell, as canvas memory holds it: layers from top to bottom, heads and their keys from left to right. */
export const coloured = (cells, colours, nowhere) => Uint32Array.from(cells, (share) => (share === NOWHERE ? nowhere : colours[share]));

/** The cells as a picture of a pixel each. */
function plate(s, dark) {
  const found = coloured(s.row.cells, ramp(s.palette, dark), tones(dark).mask), wide = s.row.heads * s.place.keys;
  Object.assign(s.plate, { width: wide, height: s.row.layers });
  s.plate.getContext("2d").putImageData(new ImageData(new Uint8ClampedArray(found.buffer), wide), 0, 0);
  return s.plate;
}

function paint(s) {
  const { row, place } = s, theme = readTheme(s.canvas), context = pen(s.canvas, s.ratio), cells = plate(s, theme.dark);
  context.clearRect(0, 0, LEFT + place.across * row.heads, place.high);
  context.font = `10.5px ${theme.font}`;
  context.textBaseline = "middle";
  context.fillStyle = css(theme.text, 0.7);
  context.imageSmoothingEnabled = place.keys > place.strip;
  context.imageSmoothingQuality = "high";
  for (let head = 0; head < row.heads; head++) {
    const left = LEFT + head * place.across;
    context.fillText(String(head), left, TOP / 2);
    context.drawImage(cells, head * place.keys, 0, place.keys, row.layers, left, TOP, place.strip, place.pitch * row.layers);
  }
  for (let layer = 0; layer < row.layers; layer++) {
    if (layer % Math.ceil(11 / place.pitch) === 0) context.fillText(String(layer), 0, TOP + (layer + 0.5) * place.pitch);
    context.clearRect(LEFT, TOP + (layer + 1) * place.pitch - 1, place.across * row.heads, 1);
  }
  s.canvas.dataset.rev = String((Number(s.canvas.dataset.rev) || 0) + 1);
}

function point(s, event) {
  const box = s.canvas.getBoundingClientRect(), found = s.row && under(s.row, s.place, event.clientX - box.left, event.clientY - box.top);
  const told = found && { ...found, token: `\u2068${s.row.keys[found.key]}\u2069`, share: found.share === NOWHERE ? "—" : `≈ ${(found.share / ALL).toFixed(2)}` };
  s.said.textContent = told ? s.words.row_cell.replace(/\{(\w+)\}/g, (whole, name) => told[name] ?? whole) : s.words.row_hint;
}

function made(box) {
  const s = { title: document.createElement("p"), canvas: document.createElement("canvas"), plate: document.createElement("canvas"), said: document.createElement("p") };
  s.title.className = "title";
  s.said.className = "said";
  s.canvas.setAttribute("role", "img");
  box.replaceChildren(s.title, s.canvas, s.said);
  for (const name of ["pointermove", "pointerdown", "pointerleave"]) s.canvas.addEventListener(name, (event) => point(s, event));
  s.watch = new ResizeObserver(() => s.row && measure(s, box));
  s.watch.observe(box);
  return s;
}

function measure(s, box) {
  const width = Math.max(160, box.clientWidth);
  s.ratio = globalThis.devicePixelRatio || 1;
  s.place = places(s.row, width);
  sized(s.canvas, width, s.place.high, s.ratio);
  paint(s);
}

/** Draws a row into a box; `row` = {token, layers, heads, keys, cells}, its cells as text. */
export function strips(box, row, words, palette) {
  const s = (box.strips ??= made(box));
  Object.assign(s, { words, palette, row: { ...row, cells: unpacked(row.cells) } });
  s.title.textContent = words.row.replace("{token}", () => `\u2068${row.token}\u2069`);
  s.canvas.setAttribute("aria-label", s.title.textContent);
  s.canvas.dataset.token = row.token;
  s.said.textContent = words.row_hint;
  measure(s, box);
}
