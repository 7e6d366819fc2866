/** A map of numbers: a pixel for every cell, as large as its picture, and what its colours mean beside it. */
import { measured, ticks } from "./numbers.mjs";
import { draw, frame, names, placed, places, roomAlong, roomFor } from "./parts.mjs";

const BAR = 12, BESIDE = 80, STRIPES = 48, MASKED = [[216, 214, 208], [44, 44, 47]];

/** The picture of a map, `width` pixels wide: as that of bars, with the cells' pixels and where they go (`plate`). */
export function cells({ header: given, values }, width, dark) {
  const header = { ...given, colours: given.colours[Number(dark)], masked: MASKED[Number(dark)] };
  const rows = placed(header.rows), columns = header.columns && placed(header.columns), [down, across] = header.cells;
  const left = 30 + roomFor(rows), top = columns ? roomAlong(columns) : 8, bottom = columns ? 26 : 44;
  const room = width - left - (header.scale ? BESIDE : 12), wide = header.square ? Math.min(room, header.widest) : room, high = header.square ? (wide * down) / across : header.high;
  const box = { left, top, width: wide, height: high }, height = top + high + bottom, step = wide / across, deep = high / down;
  return {
    nodes: [...(header.scale ? scale(header, box) : []), ...names(header.x, header.y, box, height), ...places(across, columns, box, step, true), ...rowLabels(rows, box, deep), ...(header.marked ? [frame(...header.marked, box, step)] : [])],
    plate: { ...box, down, across, pixels: pixels(values, header) },
    height, count: values.length, wide: across,
    at: (x, y) => (x < left || x >= left + wide || y < top || y >= top + high ? -1 : Math.floor((y - top) / deep) * across + Math.floor((x - left) / step)),
    told: (at) => [rows[Math.floor(at / across)], columns ? columns[at % across] : `${header.x} ${at % across}`, measured(values[at])],
    mark: (at) => draw("rect", { class: "here", x: left + (at % across) * step, y: top + Math.floor(at / across) * deep, width: step, height: deep }),
  };
}

/** The colour of a number, between those that lie evenly from the lowest to the highest. */
export function colourOf(value, { ends: [low, high], colours, masked }) {
  if (Number.isNaN(value)) return masked;
  const last = colours.length - 1, place = Math.max(0, Math.min(1, (value - low) / (high - low))) * last;
  const from = Math.min(last - 1, Math.floor(place)), part = place - from;
  return [0, 1, 2].map((channel) => Math.round(colours[from][channel] * (1 - part) + colours[from + 1][channel] * part));
}

/** One opaque pixel per cell, as canvas memory holds it. */
export function pixels(values, header) {
  const { ends: [low, high] } = header, opaque = ([red, green, blue]) => ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
  const ramp = Uint32Array.from({ length: 256 }, (_, at) => opaque(colourOf(low + ((high - low) * at) / 255, header)));
  const found = new Uint32Array(values.length), masked = opaque(header.masked), steps = 255 / (high - low);
  for (let at = 0; at < values.length; at++) {
    const value = values[at];
    found[at] = Number.isNaN(value) ? masked : ramp[Math.max(0, Math.min(255, Math.round((value - low) * steps)))];
  }
  return new Uint8ClampedArray(found.buffer);
}

/** Labels down the side, as many as there is room for. */
function rowLabels(labels, box, deep) {
  const every = Math.max(1, Math.ceil(14 / deep));
  return labels.flatMap((label, at) => (at % every ? [] : [draw("text", { class: "tick", x: box.left - 6, y: box.top + (at + 0.5) * deep + 4, "text-anchor": "end" }, label)]));
}

/** The bar that says which colour is which number. */
function scale(header, box) {
  const { ends: [low, high], share } = header, x = box.left + box.width + 16, part = box.height / STRIPES;
  const level = (value) => box.top + (box.height * (high - value)) / (high - low);
  const stripes = Array.from({ length: STRIPES }, (_, at) => {
    const colour = colourOf(high - ((high - low) * at) / (STRIPES - 1), header);
    return draw("rect", { x, y: box.top + at * part, width: BAR, height: part + 0.5, style: `fill: rgb(${colour})` });
  });
  const marks = ticks(low, high, box.height / 60).map((mark) => draw("text", { class: "tick", x: x + BAR + 5, y: level(mark) + 4 }, measured(mark)));
  return [...stripes, ...marks, draw("text", { class: "name", "text-anchor": "middle", transform: `translate(${x + BAR + 46} ${box.top + box.height / 2}) rotate(-90)` }, share)];
}
