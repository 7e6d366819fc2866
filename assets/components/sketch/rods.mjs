/** Bars that lie, drawn to scale: one per name, its parts one after another. */
import { counted } from "./numbers.mjs";
import { amounts, draw, names, roomFor, shortened } from "./parts.mjs";

/** The picture of some lying bars, `width` pixels wide: as that of upright ones. */
export function rods({ header, values }, width) {
  const { labels, names: several, row } = header, count = labels.length, said = labels.map((label) => shortened(label, 26));
  const left = roomFor(said), box = { left, top: 4, width: width - left - 14, height: row * count }, height = box.top + box.height + 42;
  const whole = labels.map((_, at) => several.reduce((sum, _, part) => sum + values[part * count + at], 0));
  const most = header.most || Math.max(...whole) * 1.03 || 1, level = (value) => box.left + (box.width * value) / most;
  return {
    nodes: [...amounts([0, most], box, level), ...several.flatMap((_, part) => rodsOf(values, part, count, box, row, level)), ...down(said, box, row), ...names(header.x, header.y, box, height)],
    height, count, wide: 1,
    at: (x, y) => Math.floor((y - box.top) / row),
    told: (at) => [labels[at], ...several.map((name, part) => `${name} ${counted(values[part * count + at])}`)],
    mark: (at) => draw("rect", { class: "mark", x: box.left, y: box.top + at * row, width: box.width, height: row }),
  };
}

/** One part of every bar, each after the parts before it. */
function rodsOf(values, part, count, box, row, level) {
  return Array.from({ length: count }, (_, at) => {
    let before = 0;
    for (let one = 0; one < part; one++) before += values[one * count + at];
    const from = level(before), size = Math.max(0, level(before + values[part * count + at]) - from);
    return draw("rect", { class: `block series-${part}`, x: from, y: box.top + at * row + row * 0.1, width: size, height: row * 0.8 });
  });
}

const down = (labels, box, row) => labels.map((label, at) => draw("text", { class: "tick", x: box.left - 8, y: box.top + (at + 0.5) * row + 4, "text-anchor": "end" }, label));
