/** Blocks of memory, each as full as it is, in the colour of whoever reads it. */
import { draw } from "./parts.mjs";

const LEAST = 44, MOST = 16, HIGH = 40, GAP = 4, HUES = 9;

/** The picture of some blocks, `width` pixels wide: as that of bars. */
export function blocks({ header, values }, width) {
  const { owners, size, told, marked } = header, count = owners.length;
  const across = Math.max(1, Math.min(MOST, count, Math.floor(width / LEAST))), wide = Math.min(84, width / across);
  const place = (at) => ({ x: (at % across) * wide, y: Math.floor(at / across) * HIGH });
  const field = (at, look, part = 1) => {
    const { x, y } = place(at);
    return draw("rect", { class: look, x, y, width: (wide - GAP) * part, height: HIGH - GAP });
  };
  const drawn = owners.flatMap((owner, at) => {
    const { x, y } = place(at), look = owner < 0 ? "kept" : `series-${owner % HUES}`, part = values[at] / size;
    const full = owner === -1 || !part ? [] : [field(at, `block ${look}`, part)];
    const over = owner !== -1 && part > 0.5 ? "over" : "";
    return [field(at, "free"), ...full, draw("text", { class: over, x: x + (wide - GAP) / 2, y: y + HIGH / 2 + 2, "text-anchor": "middle" }, String(at))];
  });
  return {
    nodes: [...drawn, ...marked.map((at) => field(at, "ring"))],
    height: Math.ceil(count / across) * HIGH, count, wide: across,
    at: (x, y) => (x < 0 || x >= across * wide ? -1 : Math.floor(y / HIGH) * across + Math.floor(x / wide)),
    told: (at) => [told[at]],
    mark: (at) => field(at, "mark"),
  };
}
