/** Numbers as people read them, and the round numbers along an axis. */
const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";

const raised = (power) => power.replace("+", "").replace("-", "⁻").replace(/\d/g, (digit) => RAISED[digit]);

/** A measured number, shortly; a very small or large one with its power of ten. */
export function measured(value) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "–" : value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (value === 0 || (size >= 1e-3 && size < 1e5)) return String(Number(value.toPrecision(4))).replace("-", "−");
  const [digits, power] = value.toExponential(1).split("e");
  return `${digits} × 10${raised(power)}`.replace("-", "−");
}

/** An amount along an axis: a large one with k, M, G or T. */
export function counted(value) {
  const power = Math.min(4, Math.floor(Math.log10(Math.max(1, Math.abs(value))) / 3 + 1e-9));
  return power ? String(Number((value / 1000 ** power).toPrecision(4))).replace("-", "−") + " kMGT"[power] : measured(value);
}

/** The multiples of `step` from `low` to `high`. */
function multiples(low, high, step) {
  const first = Math.ceil(low / step - 1e-9), last = Math.floor(high / step + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => Number(((first + at) * step).toPrecision(12)));
}

/** About `count` round numbers from `low` to `high`, in steps of 1, 2 or 5 times a power of ten, none below `least`:
 *  three at least where that leaves room. */
export function ticks(low, high, count, least = 0) {
  const rough = Math.max((high - low) / Math.max(1, count), least, Number.MIN_VALUE), power = 10 ** Math.floor(Math.log10(rough));
  const steps = [0.5, 1, 2, 5, 10].map((digit) => digit * power), fits = steps.findIndex((step) => step >= rough * (1 - 1e-9));
  const found = multiples(low, high, steps[fits]);
  return found.length >= 3 || steps[fits - 1] < least ? found : multiples(low, high, steps[fits - 1]);
}

/** The lowest and the highest of some numbers and zero, with a little room beyond each that is not zero. */
export function reach(values) {
  let low = 0, high = 0;
  for (const value of values) {
    if (value < low && value > -Infinity) low = value;
    if (value > high && value < Infinity) high = value;
  }
  return low === high ? [0, 1] : [low * 1.06, high * 1.06];
}
