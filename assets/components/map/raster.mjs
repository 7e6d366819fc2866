/** From shares to pixels, with nothing but typed arrays. */

/** Where each of `count` cells begins along `size` whole pixels, and where the last one ends. */
export function edges(count, size) {
  return Int32Array.from({ length: count + 1 }, (_, index) => Math.round((index * size) / count));
}

/** The part of a map and its mask inside `view` (rows and columns of the map), with at most `limit` rows and
 *  columns: where more would have to share a pixel, the strongest is drawn. */
export function cropped(map, mask, view, limit) {
  const height = view.rows[1] - view.rows[0], width = view.columns[1] - view.columns[0];
  const rows = Math.min(height, Math.max(1, limit[0])), columns = Math.min(width, Math.max(1, limit[1]));
  if (rows === map.rows && columns === map.columns) return { data: map.data, scale: map.scale, rows, columns, mask };
  const down = edges(rows, height), across = edges(columns, width);
  const data = new map.data.constructor(rows * columns), hidden = mask && new Uint8Array(rows * columns).fill(1);
  for (let row = 0; row < rows; row++) {
    for (let y = down[row]; y < down[row + 1]; y++) {
      const base = (y + view.rows[0]) * map.columns + view.columns[0];
      for (let column = 0, to = row * columns; column < columns; column++, to++) {
        for (let x = across[column]; x < across[column + 1]; x++) {
          if (map.data[base + x] > data[to]) data[to] = map.data[base + x];
          if (hidden && !mask[base + x]) hidden[to] = 0;
        }
      }
    }
  }
  return { data, scale: map.scale, rows, columns, mask: hidden };
}

/** A pixel for every cell from a ramp; `top` is the share of the last colour. */
export function rampCells(part, colours, top) {
  const factor = top > 0 ? (255 * part.scale) / top : 0, { data } = part, cells = new Uint32Array(data.length);
  for (let at = 0; at < cells.length; at++) cells[at] = colours[Math.min(255, Math.round(data[at] * factor))];
  return cells;
}

/** A pixel for every cell from several maps, each in its own colour. */
export function blendCells(parts, colours, tops, mix) {
  const cells = new Uint32Array(parts[0].data.length), shares = new Array(parts.length);
  for (let at = 0; at < cells.length; at++) {
    for (let index = 0; index < parts.length; index++) shares[index] = tops[index] > 0 ? Math.min(1, (parts[index].data[at] * parts[index].scale) / tops[index]) : 0;
    cells[at] = mix(shares, colours);
  }
  return cells;
}

/** Draws cells into a rectangle of `target` (whole pixels); `look` = {mask, hatch, period, gap, gapColour}. */
export function expand(target, stride, box, part, cells, look) {
  const down = edges(part.rows, box.height), across = edges(part.columns, box.width);
  for (let row = 0; row < part.rows; row++) {
    const first = (box.top + down[row]) * stride + box.left, height = down[row + 1] - down[row];
    if (!height) continue;
    fillRow(target, first, across, cells, part, row, look);
    for (let y = 1; y < height; y++) target.copyWithin(first + y * stride, first, first + box.width);
    if (look.period && part.mask) hatchRow(target, stride, first, height, across, part, row, look);
    if (look.gap && height > 2 * look.gap) gapRow(target, stride, first, height, box.width, look);
  }
}

function fillRow(target, first, across, cells, part, row, look) {
  for (let column = 0, at = row * part.columns; column < part.columns; column++, at++) {
    const colour = part.mask && part.mask[at] ? look.mask : cells[at];
    target.fill(colour, first + across[column], first + across[column + 1]);
    if (look.gap) target.fill(look.gapColour, first + across[column + 1] - look.gap, first + across[column + 1]);
  }
}

function gapRow(target, stride, first, height, width, look) {
  for (let y = height - look.gap; y < height; y++) target.fill(look.gapColour, first + y * stride, first + y * stride + width);
}

function hatchRow(target, stride, first, height, across, part, row, look) {
  for (let column = 0, at = row * part.columns; column < part.columns; column++, at++) {
    if (!part.mask[at]) continue;
    for (let y = 0; y < height; y++) {
      const line = first + y * stride, top = Math.floor(line / stride);
      for (let x = line + across[column]; x < line + across[column + 1]; x++) {
        if (((x % stride) + top) % look.period < look.thick) target[x] = look.hatch;
      }
    }
  }
}
