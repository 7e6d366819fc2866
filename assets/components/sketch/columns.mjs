/** Upright bars: one number per dimension in the colour of its sign, or several shares per token side by side. */
import { barPath, slots } from "./bars.mjs";
import { measured, reach } from "./numbers.mjs";
import { draw, frame, levels, names, placed, places, roomAlong, roomBeside } from "./parts.mjs";

/** The picture of some bars, `width` pixels wide: {nodes, height, at(x, y), told(at), mark(at)}. */
export function columns({ header, values }, width) {
  const { labels, height } = header, named = labels && placed(labels), series = seriesOf(header, values);
  const count = series[0].numbers.length, ends = reach(values), below = roomAlong(named) + 26;
  const left = 26 + roomBeside(ends, height - below), box = { left, top: 8, width: width - left - 8, height: height - below - 8 };
  const step = box.width / count, level = (value) => box.top + (box.height * (ends[1] - value)) / (ends[1] - ends[0]);
  const bars = series.map((one, index) => draw("path", { class: one.class, d: barPath(one.numbers, slots(box.left, step, one.place ?? index, one.of), level, one.wanted) }));
  const around = [...names(header.x, header.y, box, height), ...places(count, named, box, step)];
  return {
    nodes: [...levels(ends, box, level), ...bars, ...(header.marked ? [frame(...header.marked, box, step)] : []), ...around],
    height, count,
    at: (x) => Math.floor((x - box.left) / step),
    told: (at) => [named ? named[at] : `${header.x} ${at}`, ...toldOf(header, values, count, at)],
    mark: (at) => draw("rect", { class: "mark", x: box.left + at * step, y: box.top, width: Math.max(1, step), height: box.height }),
  };
}

/** The series as they are drawn: of signed numbers those above and those below zero, in each other's places. */
function seriesOf({ names: several }, values) {
  if (!several) return [["below", (value) => value < 0], ["above", (value) => value > 0]].map(([name, wanted]) => ({ class: name, numbers: values, wanted, place: 0, of: 1 }));
  const size = values.length / several.length;
  return several.map((_, at) => ({ class: `series-${at}`, numbers: values.subarray(at * size, (at + 1) * size), of: several.length }));
}

const toldOf = ({ names: several, y }, values, count, at) => (several ?? [y]).map((name, index) => `${name} ${measured(values[index * count + at])}`);
