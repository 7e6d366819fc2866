/** The big map: every cell of the chosen heads, with labels, crosshair and marks. */
import { axisTexts, drawAxis } from "./axes.mjs";
import { bigLayout } from "./layout.mjs";
import { blend, css, pixel, ramp, stops, tones } from "./palette.mjs";
import { blendCells, cropped, expand, rampCells } from "./raster.mjs";
import { looks, maskFor, topOf } from "./looks.mjs";
import { painted, pen, sized } from "./dom.mjs";

/** The rows and columns in sight. */
export function viewOf(s) {
  const { rows, columns } = s.frame.header;
  return s.zoom ?? { rows: [0, rows.labels.length], columns: [0, columns.labels.length] };
}

/** Lays the map out for the room it has. */
export function layBig(s) {
  const { rows, columns } = s.frame.header, view = viewOf(s), context = pen(s.big.base, s.dpr);
  const limit = Math.max(44, Math.min(112, s.bigWidth * 0.21));
  const down = axisTexts(context, rows, view.rows, limit, s.theme), across = axisTexts(context, columns, view.columns, limit, s.theme);
  const widths = (texts) => texts.map((entry) => entry.bold);
  const layout = bigLayout({
    rows: down.length, columns: across.length, width: s.bigWidth, tallest: s.bigWidth < 480 ? 520 : 640,
    rowWidths: widths(down), columnWidths: widths(across), dpr: s.dpr,
  });
  s.big.laid = { ...layout, view, down, across };
}

/** Draws the map anew. */
export function paintBig(s) {
  const { laid, base, marks, host } = s.big, width = laid.left + laid.width + laid.over + 2, height = laid.top + laid.height + 2;
  sized(base, width, height, s.dpr);
  sized(marks, width, height, s.dpr);
  const context = pen(base, s.dpr);
  context.clearRect(0, 0, width + 1, height + 1);
  const [left, top, across, down] = [laid.left, laid.top, laid.width, laid.height].map((value) => Math.round(value * s.dpr));
  const image = context.createImageData(across, down);
  fillCells(s, new Uint32Array(image.data.buffer), across, down);
  context.putImageData(image, left, top);
  drawBoundary(context, s, laid);
  painted(base, host);
}

function fillCells(s, pixels, width, height) {
  const heads = looks(s), view = s.big.laid.view;
  const parts = heads.map(({ layer, map }) => cropped(map, maskFor(s, layer, map), blocksOf(view, map), [height, width]));
  expand(pixels, width, { left: 0, top: 0, width, height }, parts[0], cellColours(s, heads, parts), bigLook(s));
}

/** Colours of every cell: the ramp for one head, inks mixed for several. */
export function cellColours(s, heads, parts) {
  const tops = heads.map(({ map }) => topOf(s, map));
  if (parts.length === 1) return rampCells(parts[0], ramp(s.palette, s.theme.dark), tops[0]);
  return blendCells(parts, heads.map(({ colour }) => colour), tops, (shares, colours) => blend(shares, colours, s.theme.dark));
}

const blocksOf = ({ rows, columns }, { block }) => ({
  rows: [Math.floor(rows[0] / block[0]), Math.ceil(rows[1] / block[0])],
  columns: [Math.floor(columns[0] / block[1]), Math.ceil(columns[1] / block[1])],
});

function bigLook(s) {
  const roomy = s.big.laid.cell >= 11;
  return { ...tones(s.theme.dark), period: Math.round(6 * s.dpr), thick: Math.max(1, Math.round(s.dpr)), gap: roomy ? 1 : 0, gapColour: pixel(gapColour(s)) };
}

/** Paper between inks; between other ramps' cells something of their own first colour, which may be dark on a light page. */
function gapColour({ palette, theme }) {
  const first = stops(palette, theme.dark)[0];
  return palette === "ink" ? theme.paper : first.map((channel, at) => Math.round(0.72 * channel + 0.28 * theme.paper[at]));
}

function drawBoundary(context, s, laid) {
  const { boundary, side } = s.frame.header;
  if (boundary === null || boundary === undefined) return;
  context.strokeStyle = css(s.theme.text, 0.75);
  context.lineWidth = 1;
  context.setLineDash([4, 3]);
  context.beginPath();
  const x = laid.left + (boundary - laid.view.columns[0]) * laid.cell, y = laid.top + (boundary - laid.view.rows[0]) * laid.cell;
  if (x > laid.left && x < laid.left + laid.width) context.moveTo(x - 0.5, laid.top - 6), context.lineTo(x - 0.5, laid.top + laid.height);
  if (side !== "cross" && y > laid.top && y < laid.top + laid.height) context.moveTo(laid.left - 6, y - 0.5), context.lineTo(laid.left + laid.width, y - 0.5);
  context.stroke();
  context.setLineDash([]);
}

/** Draws what lies over the map: labels, the chosen row, column and cell, the crosshair, the dragged rectangle. */
export function markBig(s) {
  const { laid, marks } = s.big, context = pen(marks, s.dpr);
  context.clearRect(0, 0, laid.left + laid.width + laid.over + 4, laid.top + laid.height + 4);
  const { query, key } = s.units, { row, column } = s.at ?? { row: -1, column: -1 };
  band(context, laid, "rows", row, css(s.theme.text, 0.38), 1);
  band(context, laid, "columns", column, css(s.theme.text, 0.38), 1);
  band(context, laid, "rows", query, css(s.theme.query), 1.5);
  band(context, laid, "columns", key, css(s.theme.key), 1.5);
  ring(context, laid, query, key, css(s.theme.text), s.theme);
  ring(context, laid, row, column, css(s.theme.text), s.theme);
  drawAxis(context, laid, laid.down, "rows", s.theme, strongLabels(row, query, s.theme.text, s.theme.query));
  drawAxis(context, laid, laid.across, "columns", s.theme, strongLabels(column, key, s.theme.text, s.theme.key));
  if (s.drag) rectangle(context, s.drag, s.theme);
}

const place = (laid, axis, unit) => {
  const [from, to] = laid.view[axis];
  return unit === null || unit === undefined || unit < from || unit >= to ? -1 : unit - from;
};

function band(context, laid, axis, unit, colour, width) {
  const index = place(laid, axis, unit);
  if (index < 0) return;
  context.strokeStyle = colour;
  context.lineWidth = width;
  const from = index * laid.cell, over = width / 2;
  if (axis === "rows") context.strokeRect(laid.left - over, laid.top + from - over, laid.width + width - 1, laid.cell + width - 1);
  else context.strokeRect(laid.left + from - over, laid.top - over, laid.cell + width - 1, laid.height + width - 1);
}

function ring(context, laid, row, column, colour, theme) {
  const down = place(laid, "rows", row), across = place(laid, "columns", column);
  if (down < 0 || across < 0) return;
  const size = Math.max(laid.cell, 5), x = laid.left + (across + 0.5) * laid.cell - size / 2, y = laid.top + (down + 0.5) * laid.cell - size / 2;
  context.lineWidth = 3.5;
  context.strokeStyle = css(theme.paper);
  context.strokeRect(x - 0.75, y - 0.75, size + 0.5, size + 0.5);
  context.lineWidth = 1.75;
  context.strokeStyle = colour;
  context.strokeRect(x - 0.75, y - 0.75, size + 0.5, size + 0.5);
}

/** The labels that stand out: the pointed-at one, and the chosen one in its colour. */
function strongLabels(pointed, chosen, colour, chosenColour) {
  const list = pointed >= 0 && pointed !== chosen ? [[pointed, colour]] : [];
  return chosen === null ? list : [[chosen, chosenColour], ...list];
}

function rectangle(context, { from, to }, theme) {
  context.fillStyle = css(theme.text, 0.1);
  context.strokeStyle = css(theme.text, 0.8);
  context.lineWidth = 1;
  const box = [Math.min(from.x, to.x), Math.min(from.y, to.y), Math.abs(to.x - from.x), Math.abs(to.y - from.y)];
  context.fillRect(...box);
  context.strokeRect(...box);
}
