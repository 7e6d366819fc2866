/** Where things stand, in CSS pixels; pure, so that it is tested without a browser. */
const STEPS = [1, 2, 3, 4, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000];
export const LINE = 14;

/** The smallest of the stated steps at which labels `pitch` apart need at least `room` each. */
export const labelStep = (pitch, room) => STEPS.find((step) => step * pitch >= room) ?? Math.ceil(room / pitch);

/** The grid: layers down, heads across, a column of layer means, one cell for the mean of all. */
export function gridLayout(layers, heads, width, height) {
  const left = 24, top = 20, gap = width < 480 ? 2 : 3, apart = 9;
  const across = (width - left - apart) / (heads + 1) - gap, down = (height - top - apart) / (layers + 1) - gap;
  const tile = Math.max(14, Math.floor(Math.min(across, Math.max(down, 26), 64)));
  const column = (head) => left + head * (tile + gap) + (head >= heads ? apart : 0);
  const row = (layer) => top + layer * (tile + gap) + (layer >= layers ? apart : 0);
  return { tile, gap, left, top, width: column(heads) + tile + 2, height: row(layers) + tile + 2, tiles: gridTiles(layers, heads, column, row), column, row };
}

function gridTiles(layers, heads, column, row) {
  const tiles = [];
  for (let layer = 0; layer < layers; layer++) {
    for (let head = 0; head < heads; head++) tiles.push({ layer, heads: [head], x: column(head), y: row(layer) });
    tiles.push({ layer, heads: [], x: column(heads), y: row(layer) });
  }
  tiles.push({ layer: null, heads: [], x: column(heads), y: row(layers) });
  return tiles;
}

/** The sorted grid: `order` = [[layer, head], ...], best first, a line of text under every tile. */
export function sortedLayout(order, width) {
  const gap = 9, label = 17, count = Math.max(1, Math.min(order.length, Math.floor((width + gap) / (60 + gap))));
  const tile = Math.min(68, Math.floor((width + gap) / count) - gap);
  const tiles = order.map(([layer, head], index) => ({
    layer, heads: [head], x: 2 + (index % count) * (tile + gap), y: 2 + Math.floor(index / count) * (tile + label + 6),
  }));
  return { tile, gap, left: 0, top: 0, label, count, width: count * (tile + gap), height: Math.ceil(order.length / count) * (tile + label + 6) + 4, tiles };
}

/** The big map: margins for the labels, how the top labels stand, and at which step they are drawn. */
export function bigLayout({ rows, columns, width, tallest, rowWidths, columnWidths, dpr = 1 }) {
  const left = Math.ceil(Math.max(0, ...rowWidths)) + 12, widest = Math.max(0, ...columnWidths);
  const room = Math.max(60, width - left - 2);
  const cellFor = (right) => whole(Math.min((room - right) / columns, tallest / rows, 44), dpr);
  const flat = cellFor(0);
  if (widest + 8 <= flat) return finish("flat", flat, 0, LINE + 6, 1);
  const right = slantOver(columnWidths, flat), slant = cellFor(right);
  if (slant >= 19) return finish("slant", slant, right, Math.ceil(widest * Math.SQRT1_2) + 20, 1);
  return finish("upright", flat, 0, Math.ceil(widest) + 12, labelStep(flat, LINE));

  function finish(mode, cell, over, top, columnStep) {
    return { mode, left, top, cell, width: cell * columns, height: cell * rows, over, columnStep, rowStep: labelStep(cell, LINE) };
  }
}

/** A cell of whole device pixels, as soon as rounding down costs less than a quarter of it. */
const whole = (cell, dpr) => (cell * dpr >= 4 ? Math.floor(cell * dpr + 1e-6) / dpr : cell);

/** How far the last slanted labels reach beyond the last column. */
function slantOver(widths, cell) {
  return Math.ceil(Math.max(0, ...widths.map((wide, index) => (wide + 8) * Math.SQRT1_2 - (widths.length - index - 0.5) * cell)));
}

/** The cell under a point of the big map, -1 beyond an edge; labels are hit beside the cells. */
export function hit(layout, view, x, y) {
  const column = Math.floor((x - layout.left) / layout.cell), row = Math.floor((y - layout.top) / layout.cell);
  const inside = (value, span) => (value >= 0 && value < span[1] - span[0] ? value + span[0] : -1);
  return { row: inside(row, view.rows), column: inside(column, view.columns) };
}

/** A window that shows both units with some neighbours, or the cells of a dragged rectangle. */
export function zoomTo(units, row, column, reach) {
  const around = (at, count) => {
    const from = Math.max(0, Math.min(count - 2 * reach, at - reach));
    return [from, Math.min(count, from + 2 * reach)];
  };
  return { rows: around(row, units[0]), columns: around(column, units[1]) };
}
