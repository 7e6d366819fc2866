/** Frames made by hand for the tests. */
export function packed({ layers, heads, labels, cells, type = "f4", full = true, shape, block = [1, 1], rules = [null], extra = null, tail = [] }) {
  const count = labels.length, axis = { labels, titles: labels, kinds: labels.map(() => "word"), at: labels.map((_, at) => at), ends: labels.map((_, at) => at) };
  const header = {
    version: 1, name: "heads", side: "encoder", layers, heads, rows: axis, columns: axis, full, type, cells: shape ?? [count, count], block,
    rules, rule_of: Array(layers).fill(0), boundary: null, special: "show", units: "pieces", url: null, extra,
  };
  const text = new TextEncoder().encode(JSON.stringify(header)), pad = (4 - ((4 + text.length) % 4)) % 4;
  const size = cells.length / (layers * heads);
  const maxima = Array.from({ length: layers * heads }, (_, head) => Math.max(...cells.slice(head * size, (head + 1) * size)));
  const stored = type === "f4" ? new Uint8Array(Float32Array.from(cells).buffer) : Uint8Array.from(cells, (share, at) => Math.round((share / maxima[Math.floor(at / size)]) * 255));
  const parts = [Uint8Array.of(...new Uint8Array(Uint32Array.of(text.length + pad).buffer)), text, new Uint8Array(pad).fill(32), new Uint8Array(Float32Array.from(maxima).buffer), stored, new Uint8Array(Float32Array.from(tail).buffer)];
  return unaligned(parts);
}

/** The parts one after the other, at an offset that no typed array of four-byte numbers would accept. */
function unaligned(parts) {
  const length = parts.reduce((sum, part) => sum + part.length, 0), whole = new Uint8Array(length + 3).subarray(3);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
