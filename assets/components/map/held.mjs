/** Exact maps that came from the server, bounded in bytes; the least recently used leave first. */
import { fetchedMap, floats, headMap, meanMap } from "./frame.mjs";

const LIMIT = 48 << 20, LINES_HELD = 400;

/** Up to so many cells a map is sent exactly; of a larger one, single rows and columns are. */
export const RIDES = 512 * 512;

export const newHeld = () => ({ maps: new Map(), cells: new Map(), lines: new Map(), bytes: 0 });

/** The name of a choice of heads, as the route spells it. */
export const spelled = (layer, heads) => `layer=${layer ?? "mean"}&heads=${heads.length ? heads.join(",") : "mean"}`;

/** Keeps a map under its name. */
export function keep(held, name, map) {
  drop(held, name);
  held.maps.set(name, map);
  held.bytes += map.data.byteLength;
  for (const oldest of held.maps.keys()) {
    if (held.bytes <= LIMIT || oldest === name) break;
    drop(held, oldest);
  }
}

function drop(held, name) {
  const map = held.maps.get(name);
  if (map) held.bytes -= map.data.byteLength;
  held.maps.delete(name);
}

/** The best map at hand: the exact one that came, else what the frame holds. */
export function bestMap(frame, held, layer, heads) {
  const name = spelled(layer, heads), map = held.maps.get(name);
  if (!map) return heads.length ? headMap(frame, layer, heads[0]) : meanMap(frame, layer);
  held.maps.delete(name);
  held.maps.set(name, map);
  return map;
}

/** The maps a choice is drawn from: one, or one for each overlaid head. */
export const drawnHeads = ({ layer, heads }) => (heads.length > 1 ? heads.map((head) => [layer, [head]]) : [[layer, heads]]);

/** The names a choice still needs from the route. */
export function missing(frame, held, choice) {
  const { header } = frame;
  if (!header.url || (header.full && header.type === "f4")) return [];
  return drawnHeads(choice).map(([layer, heads]) => spelled(layer, heads)).filter((name) => !held.maps.has(name));
}

/** The name of one exact row or column of one map, as the route spells it. */
export const lineName = (layer, heads, axis, unit) => `${spelled(layer, heads)}&${axis}=${unit}`;

/** Is a map of this frame too large to be sent exactly? */
export function large({ header }) {
  return !(header.full && header.type === "f4") && header.rows.labels.length * header.columns.labels.length > RIDES;
}

/** The names of rows and columns ([axis, unit]) that a choice still needs exactly. */
export function missingLines(frame, held, choice, wanted) {
  if (!large(frame)) return [];
  const names = wanted.flatMap(([axis, unit]) => drawnHeads(choice).map(([layer, heads]) => lineName(layer, heads, axis, unit)));
  return names.filter((name) => !held.lines.has(name));
}

/** Keeps one exact row or column; the oldest leave first. */
export function keepLine(held, name, shares) {
  held.lines.set(name, shares);
  if (held.lines.size > LINES_HELD) held.lines.delete(held.lines.keys().next().value);
}

/** Fetches one exact row or column and keeps it. */
export async function fetchLine(frame, held, name, signal) {
  const { url, rows, columns } = frame.header, { bytes } = await ask(`${ownAddress(url)}&${name}`, signal);
  const count = (name.includes("&row=") ? columns : rows).labels.length;
  if (bytes.length !== 4 * count) throw new RangeError(name);
  keepLine(held, name, floats(bytes, 0, count));
}

/** Only this site's own addresses are asked. */
export const ownAddress = (url) => (/^\/(?!\/)/.test(url) ? url : null);

/** Fetches one map and keeps it. Throws where the server no longer has it. */
export async function fetchMap(frame, held, name, signal) {
  const { url, rows, columns } = frame.header, down = rows.labels.length, across = columns.labels.length;
  const { bytes, type } = await ask(`${ownAddress(url)}&${name}`, signal);
  if (bytes.length !== (type === "f4" ? 4 : 1) * down * across + (type === "f4" ? 0 : 4)) throw new RangeError(name);
  keep(held, name, fetchedMap(bytes, type, down, across));
}

/** Fetches one cell in every head (units of the frame), float32 [layers * heads]. */
export async function fetchCell(frame, held, query, key, signal) {
  const { url, layers, heads } = frame.header, { bytes } = await ask(`${ownAddress(url)}&query=${query}&key=${key}`, signal);
  if (bytes.length !== 4 * layers * heads) throw new RangeError("cell");
  keepCell(held, query, key, new Float32Array(bytes.buffer));
}

/** Keeps one cell in every head; the oldest leave first. */
export function keepCell(held, query, key, shares) {
  held.cells.set(`${query},${key}`, shares);
  if (held.cells.size > 200) held.cells.delete(held.cells.keys().next().value);
}

async function ask(address, signal) {
  const answer = await fetch(address, { signal, credentials: "same-origin" });
  if (!answer.ok) throw new RangeError(String(answer.status));
  return { bytes: new Uint8Array(await answer.arrayBuffer()), type: answer.headers.get("X-Cells") ?? "f4" };
}
