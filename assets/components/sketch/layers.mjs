/** Amounts along an axis: one on top of another, or each as a line of its own. */
import { counted, reach } from "./numbers.mjs";
import { amounts, draw, levels, names, roomBeside } from "./parts.mjs";

/** The picture of some amounts, `width` pixels wide: as that of bars. */
export function layers({ header, values }, width) {
  const { along, height, names: several, steps } = header, count = along.length;
  const raised = several.map((_, at) => Array.from(values.subarray(at * count, (at + 1) * count)));
  const tops = header.piled ? piled(raised) : raised, ends = reach(tops.flat()), ahead = edges(along, steps);
  const left = 26 + roomBeside(ends, height - 60, counted), box = { left, top: 8, width: width - left - 20, height: height - 60 };
  const spread = ahead.at(-1) - along[0] || 1, x = (value) => box.left + (box.width * (value - along[0])) / spread;
  const level = (value) => box.top + (box.height * (ends[1] - value)) / (ends[1] - ends[0]);
  const points = (heights) => heights.flatMap((one, at) => (steps ? [[x(along[at]), level(one)], [x(ahead[at]), level(one)]] : [[x(along[at]), level(one)]]));
  const shapes = tops.map((heights, at) => draw("path", header.piled
    ? { class: `layer series-${at}`, d: closed(points(heights), points(tops[at - 1] ?? heights.map(() => 0))) }
    : { class: `line series-${at}`, d: open(points(heights)) }));
  return {
    nodes: [...levels(ends, box, level, counted), ...shapes, ...amounts([along[0], ahead.at(-1)], { ...box, top: box.top + box.height, height: 0 }, x), ...names(header.x, header.y, box, height)],
    height, count,
    at: (place) => nearest(along.map((value, at) => x(steps ? (value + ahead[at]) / 2 : value)), place),
    told: (at) => [`${header.x} ${along[at]}`, ...several.map((name, one) => `${name} ${counted(raised[one][at])}`)],
    mark: (at) => draw("rect", { class: "mark", x: steps ? x(along[at]) : x(along[at]) - 1, y: box.top, width: steps ? x(ahead[at]) - x(along[at]) : 2, height: box.height }),
  };
}

/** Where each amount ends: at the next place, the last as far on as the one before. */
const edges = (along, steps) => along.map((value, at) => along[at + 1] ?? (steps ? value + (along.length > 1 ? value - along[at - 1] : 1) : value));

/** Each series on top of those before it. */
export function piled(raised) {
  const sums = new Array(raised[0].length).fill(0);
  return raised.map((heights) => heights.map((one, at) => (sums[at] += one)));
}

const open = (points) => "M" + points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L");
const closed = (above, below) => open([...above, ...below.reverse()]) + "Z";

const nearest = (places, x) => places.reduce((best, place, at) => (Math.abs(place - x) < Math.abs(places[best] - x) ? at : best), 0);
