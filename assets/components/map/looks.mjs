/** What the views need to know about the chosen heads: their maps, masks, tops and colours. */
import { bestMap, drawnHeads, lineName } from "./held.mjs";
import { columnOf, largest, rowOf, shareAt } from "./frame.mjs";
import { maskOf, ruleOf, allowed } from "./rules.mjs";
import { headColour } from "./palette.mjs";
import { say } from "./words.mjs";

/** The chosen heads as [{layer, heads, map, colour}], several where they are overlaid. */
export function looks(s, choice = s.choice) {
  return drawnHeads(choice).map(([layer, heads], index) => ({
    layer, heads, map: bestMap(s.frame, s.held, layer, heads), colour: headColour(index, s.theme.dark),
  }));
}

/** The token that the strip is about: the one that looks, or the one that is looked at. */
export function subjectOf({ mode, units: { query, key }, frame: { header } }) {
  if (mode !== "looked") return query;
  return key ?? (header.side === "cross" ? null : query);
}

/** Rows and columns that should be exact, as [axis, unit]: the strip's, the chosen one, the one that is pointed at. */
export function wantedLines(s) {
  const rows = new Set([s.units.query, s.at?.row, s.table.details.open ? rowShown(s) : null]), subject = subjectOf(s);
  const list = [...rows].filter((unit) => Number.isInteger(unit) && unit >= 0).map((unit) => ["row", unit]);
  return s.mode === "looked" && subject !== null ? [...list, ["column", subject]] : list;
}

/** The row that the table is about: the chosen query, else the one under the cursor, else the first. */
export const rowShown = (s) => s.units.query ?? Math.max(0, s.at?.row ?? 0);

/** A whole row or column of the chosen heads together, {shares, exactly}: of one map, or the mean of the overlaid. */
export function lineOf(s, axis, unit) {
  const { layer, heads } = s.choice, { extra } = s;
  const rides = heads.length > 1 && extra && extra.layer === layer && String(extra.heads) === String(heads);
  const lines = rides ? [cut(s, extra.map, axis, unit)] : looks(s).map((look) => partOf(s, look, axis, unit));
  const order = ["exact", "about", "most"], exactly = order[Math.max(...lines.map((line) => order.indexOf(line.exactly)))];
  if (lines.length === 1) return lines[0];
  return { shares: lines[0].shares.map((_, at) => lines.reduce((sum, { shares }) => sum + shares[at], 0) / lines.length), exactly };
}

function partOf(s, { layer, heads, map }, axis, unit) {
  const shares = s.held.lines.get(lineName(layer, heads, axis, unit));
  return shares ? { shares, exactly: "exact" } : cut(s, map, axis, unit);
}

function cut({ frame: { header } }, map, axis, unit) {
  const shares = axis === "row" ? rowOf(map, unit, header.columns.labels.length) : columnOf(map, unit, header.rows.labels.length);
  return { shares, exactly: map.exactly };
}

/** The mask of one map, cell by cell as it is drawn. */
export function maskFor(s, layer, map) {
  const { header, masks } = s.frame, name = `${layer} ${map.rows} ${map.columns}`;
  if (!masks.has(name)) {
    const units = [header.rows.labels.length, header.columns.labels.length];
    masks.set(name, maskOf(ruleOf(header, layer), units, [map.rows, map.columns], map.block));
  }
  return masks.get(name);
}

const TOPS = new WeakMap();

/** The share that gets the last colour: 1 for everyone, or the map's own largest. */
export function topOf(s, map) {
  if (s.scale !== "head") return 1;
  if (!TOPS.has(map.data)) TOPS.set(map.data, largest(map));
  return TOPS.get(map.data);
}

/** One cell in every chosen head as [{name, share, exactly, colour}]; null where it is masked. */
export function cellShares(s, row, column) {
  if (!allowed(ruleOf(s.frame.header, s.choice.layer), row, column)) return null;
  return looks(s).map((look) => {
    const { layer, heads, map, colour } = look, exact = map.exactly === "exact" ? null : exactCell(s, look, row, column);
    return { name: headName(s, layer, heads), share: exact ?? shareAt(map, row, column), exactly: exact === null ? map.exactly : "exact", colour };
  });
}

/** The exact share of one cell that came apart from the map: in its row, its column, or in every head; else null. */
function exactCell({ held, frame }, { layer, heads }, row, column) {
  const came = heads.length ? held.cells.get(`${row},${column}`) : null;
  const across = held.lines.get(lineName(layer, heads, "row", row)), down = held.lines.get(lineName(layer, heads, "column", column));
  return across?.[column] ?? down?.[row] ?? came?.[layer * frame.header.heads + heads[0]] ?? null;
}

/** One cell in every head, {shares, exactly}: from the cells, the route's answer, the extra; else as drawn. */
export function everyHead(s, row, column) {
  const { header } = s.frame, came = s.held.cells.get(`${row},${column}`);
  if (came) return { shares: came, exactly: "exact" };
  if (!header.full) return null;
  const shares = Float32Array.from({ length: header.layers * header.heads }, (_, index) =>
    shareAt(bestFor(s, index), row, column));
  return { shares, exactly: header.type === "f4" ? "exact" : "about" };
}

const bestFor = (s, index) => bestMap(s.frame, s.held, Math.floor(index / s.frame.header.heads), [index % s.frame.header.heads]);

/** "layer 3 · head 1", "layer 3 · mean", "mean of all layers" in the visitor's language. */
export function headName(s, layer, heads) {
  if (layer === null) return say(s.words, "mean_all");
  if (!heads.length) return say(s.words, "mean_layer", { layer });
  return say(s.words, heads.length > 1 ? "some_heads" : "one_head", { layer, head: heads.join(", ") });
}
