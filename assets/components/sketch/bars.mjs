/** Bars: from numbers to the paths of a picture, with nothing but arithmetic. */

const round = (number) => Math.round(number * 100) / 100;

/** The path of all bars of one series: `slots` = {left, step, wide} in pixels, `level(value)` how far down a value is. */
export function barPath(values, slots, level, wanted = () => true) {
  const ground = round(level(0)), parts = [];
  for (let at = 0; at < values.length; at++) {
    if (!Number.isFinite(values[at]) || values[at] === 0 || !wanted(values[at])) continue;
    const from = round(slots.left + at * slots.step), to = round(slots.left + at * slots.step + slots.wide);
    parts.push(`M${from} ${ground}V${round(level(values[at]))}H${to}V${ground}Z`);
  }
  return parts.join("");
}

/** Where the bars of series `index` of `count` stand when each place is `step` wide: neighbours touch in a crowd only. */
export function slots(left, step, index, count) {
  const gap = step > 3 ? 0.15 * step : 0, wide = (step - gap) / count;
  return { left: left + gap / 2 + index * wide, step, wide };
}
