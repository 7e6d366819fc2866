/** What the views need to know about the chosen heads: their maps, masks, tops and colours. */
import { bestMap, drawnHeads } from "./held.mjs";
import { largest, meanOf, shareAt } from "./frame.mjs";
import { maskOf, ruleOf, allowed } from "./rules.mjs";
import { headColour } from "./palette.mjs";
import { say } from "./words.mjs";

/** The chosen heads as [{layer, heads, map, colour}], several where they are overlaid. */
export function looks(s, choice = s.choice) {
  return drawnHeads(choice).map(([layer, heads], index) => ({
    layer, heads, map: bestMap(s.frame, s.held, layer, heads), colour: headColour(index, s.theme.dark),
  }));
}

/** One map for the strip and the table: the chosen one, or the mean of the overlaid heads. */
export function joint(s) {
  const extra = s.extra, { layer, heads } = s.choice;
  const same = heads.length > 1 && extra && extra.layer === layer && String(extra.heads) === String(heads);
  return same ? extra.map : meanOf(looks(s).map(({ map }) => map));
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
  const came = s.held.cells.get(`${row},${column}`);
  return looks(s).map(({ layer, heads, map, colour }) => {
    const index = heads.length ? layer * s.frame.header.heads + heads[0] : -1;
    const exact = came && index >= 0 && map.exactly !== "exact";
    return { name: headName(s, layer, heads), share: exact ? came[index] : shareAt(map, row, column), exactly: exact ? "exact" : map.exactly, colour };
  });
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
