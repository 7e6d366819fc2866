/** The map: one frame of bytes in, one small choice out. Steering comes from its sister component. */
import { FIRST, fitted } from "./choice.mjs";
import { adopt, afterwards, flush, redrawAll, resume, unitsAnew } from "./actions.mjs";
import { build } from "./build.mjs";
import { buildStrip } from "./strip.mjs";
import { decode, extraOf, sameBytes, sameTrace } from "./frame.mjs";
import { keep, keepCell, keepLine, lineName, newHeld, spelled } from "./held.mjs";
import { listen, pointAgain } from "./events.mjs";
import { themeText } from "./dom.mjs";
import { unitAt } from "./units.mjs";

const MAPS = Symbol.for("heads-up.maps"), PLACES = new WeakMap(), WAIT = 150;

/** The meeting place of a map and what steers it: whichever is mounted first leaves it for the other. */
function meeting(name) {
  const maps = (globalThis[MAPS] ??= new Map());
  if (!maps.has(name)) maps.set(name, { steer: null, map: null });
  return maps.get(name);
}

function create(parent) {
  const abort = new AbortController();
  const s = {
    ...build(parent), abort, call: 0, bytes: null, frame: null, held: newHeld(), extra: null, choice: FIRST, units: { query: null, key: null },
    at: null, zoom: null, drag: null, pressed: null, mode: "looks", scale: "shared", palette: "ink", sort: false, told: null, words: {},
    serial: null, ready: false, trouble: null, timers: {}, reported: null, tell() {}, width: 0,
  };
  listen(s, abort.signal);
  s.resized = new ResizeObserver(() => {
    if (s.root.clientWidth && s.root.clientWidth !== s.width) redrawAll(s);
  });
  s.resized.observe(s.root);
  document.fonts?.addEventListener("loadingdone", () => redrawAll(s), { signal: abort.signal });
  return s;
}

/** Takes new bytes; the same bytes again change nothing, the same trace keeps what was fetched. */
function receive(s, bytes) {
  if (s.bytes && sameBytes(s.bytes, bytes)) return false;
  const frame = decode(bytes), before = s.frame;
  s.bytes = bytes;
  s.frame = frame;
  if (!before || !sameTrace(before, frame)) renew(s, before);
  s.extra = extraOf(frame);
  if (s.extra) keepExtra(s);
  return true;
}

function renew(s, before) {
  const { rows, columns } = s.frame.header, size = ({ header }) => `${header.rows.labels.length} ${header.columns.labels.length}`;
  s.fetching?.abort();
  s.held = newHeld();
  s.at = null;
  s.trouble = null;
  if (!before || size(before) !== size(s.frame)) s.zoom = null;
  s.choice = fitted(s.choice, s.frame.header);
  unitsAnew(s);
  buildStrip(s);
  s.root.dataset.rows = rows.labels.length;
  s.root.dataset.columns = columns.labels.length;
}

/** The extra of a frame without a route: the chosen map, and the chosen cell in every head. */
function keepExtra(s) {
  const { layer, heads, map, cell } = s.extra;
  keep(s.held, spelled(layer, heads), map);
  const { rows, columns, extra } = s.frame.header, query = unitAt(rows, extra.query), key = unitAt(columns, extra.key);
  if (cell && query !== null && key !== null) keepCell(s.held, query, key, cell);
}

/** Exact rows that Python sends where no route answers: [{layer, heads, row, shares}]. */
function keepRows(s, rows) {
  for (const { layer, heads, row, shares } of rows) {
    if (shares.length === s.frame.header.columns.labels.length) keepLine(s.held, lineName(layer, heads, "row", row), Float32Array.from(shares));
  }
}

/** Takes what it is told from outside: words, palette, scale; the order and the choice where Python changed them. */
function steered(s, steer) {
  s.words = steer.words ?? {};
  s.scale = steer.scale ?? "shared";
  s.palette = steer.palette ?? "ink";
  if (steer.sort !== s.told) s.sort = Boolean(steer.sort);
  s.told = steer.sort;
  s.ready = true;
  if (!s.frame) return;
  keepRows(s, steer.rows ?? []);
  if (steer.serial !== s.serial && steer.choice) adopt(s, steer.choice);
  resume(s, steer);
  s.serial = steer.serial;
  redrawAll(s);
  afterwards(s);
  pointAgain(s);
}

/** Leaves word where what steers it will look; true where that was waiting and everything is drawn. */
function meet(s) {
  const place = meeting(s.frame.header.name);
  place.map = s.met = { steer: (steer) => steered(s, steer) };
  s.place = place;
  if (s.ready) return false;
  if (place.steer) steered(s, place.steer);
  else s.timers.wait = setTimeout(() => s.ready || steered(s, {}), WAIT);
  return Boolean(place.steer);
}

function destroy(s, parent) {
  flush(s);
  s.abort.abort();
  s.fetching?.abort();
  s.resized.disconnect();
  Object.values(s.timers).forEach(clearTimeout);
  if (s.place && s.place.map === s.met) s.place.map = null;
  s.root.remove();
  PLACES.delete(parent);
}

/** Called for every new frame, theme or state with the same parent; only the newest call's cleanup takes it down. */
export function mount({ data, parentElement, setStateValue }) {
  const s = PLACES.get(parentElement) ?? create(parentElement), call = ++s.call;
  PLACES.set(parentElement, s);
  s.tell = setStateValue;
  if (data && receive(s, data)) {
    if (!meet(s)) redrawAll(s), afterwards(s);
  } else if (s.frame && s.colours !== themeText(s.root)) redrawAll(s);
  return () => s.call === call && destroy(s, parentElement);
}
