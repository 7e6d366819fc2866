/** What a choice sets in motion: pixels first, then what is missing from the server, then word to Python. */
import { bare, choose, fitted, sameChoice, toggle } from "./choice.mjs";
import { measureStrip, shadeStrip, stripColours, stripNote } from "./strip.mjs";
import { fetchCell, fetchLine, fetchMap, missing, missingLines } from "./held.mjs";
import { fillBar, fillHeading, fillPanel } from "./panel.mjs";
import { fillTable } from "./table.mjs";
import { layBig, markBig, paintBig } from "./big.mjs";
import { layGrid, markGrid, paintGrid } from "./grid.mjs";
import { positionOf, unitAt } from "./units.mjs";
import { readTheme, themeText } from "./dom.mjs";
import { say } from "./words.mjs";
import { wantedLines } from "./looks.mjs";

const PAUSE = 150, FETCH_PAUSE = 60, REST = 120, APART = 36, NARROW = 760;

/** Everything anew: a new frame, width, theme, palette or language. */
export function redrawAll(s) {
  if (!s.frame || !s.ready || !s.root.clientWidth) return;
  s.colours = themeText(s.root);
  s.theme = readTheme(s.root);
  s.dpr = globalThis.devicePixelRatio || 1;
  for (const [name, value] of Object.entries(stripColours(s))) s.root.style.setProperty(name, value);
  s.root.classList.toggle("dark", s.theme.dark);
  writeWords(s);
  layOut(s);
  paintGrid(s);
  measureStrip(s);
  redraw(s);
}

/** Widths of the two sides, and their layouts. */
function layOut(s) {
  const width = s.root.clientWidth, beside = width >= NARROW;
  s.width = width;
  arrange(s, beside);
  s.gridWidth = beside ? Math.floor((width - APART) * 0.53) : width;
  layGrid(s);
  s.bigWidth = beside ? width - APART - s.grid.laid.width : width;
  layBig(s);
}

/** Beside each other the grid comes first; below each other the big map does, since a grid of thirty layers is long. */
function arrange({ views }, beside) {
  const [grid, big] = ["grid-side", "big-side"].map((name) => views.querySelector(`.${name}`)), first = beside ? grid : big;
  if (views.firstElementChild !== first) views.prepend(first);
}

/** What depends on the choice: the big map, all marks, shading, words and the table. */
export function redraw(s) {
  paintBig(s);
  markBig(s);
  markGrid(s);
  shadeStrip(s);
  fillHeading(s, (head) => chooseHead(s, s.choice.layer, head, true));
  fillBar(s);
  fillPanel(s);
  s.strip.note.textContent = stripNote(s);
  fillTable(s);
  tellRoot(s);
}

function tellRoot(s) {
  const { layer, heads, query, key } = s.choice;
  Object.assign(s.root.dataset, { layer: layer ?? "mean", heads: heads.length ? heads.join(",") : "mean", query: query ?? "", key: key ?? "", mode: s.mode });
}

/** Words that do not depend on the choice. */
function writeWords(s) {
  const { strip, grid, big, panel, table, words } = s, { layers, heads, rows, columns } = s.frame.header;
  strip.looks.textContent = say(words, "mode_looks");
  strip.looked.textContent = say(words, "mode_looked");
  strip.modes.setAttribute("aria-label", say(words, "modes"));
  strip.host.setAttribute("aria-label", say(words, "strip_label"));
  grid.host.setAttribute("aria-label", say(words, "grid_label", { layers, heads }));
  big.host.setAttribute("aria-label", say(words, "big_label", { rows: rows.labels.length, columns: columns.labels.length }));
  big.host.setAttribute("aria-roledescription", say(words, "big_role"));
  grid.more.textContent = say(words, "sort_all");
  panel.zoom.textContent = say(words, "zoom");
  panel.reset.textContent = say(words, "zoom_reset");
  table.summary.textContent = say(words, "table");
  for (const mode of ["looks", "looked"]) strip[mode].setAttribute("aria-pressed", String(s.mode === mode));
}

/** Chooses one head or a mean (head null); `added` overlays it instead. */
export function chooseHead(s, layer, head, added = false) {
  const { choice, said } = added && head !== null && layer !== null ? toggle(s.choice, layer, head) : { choice: choose(s.choice, layer, head === null ? [] : [head]), said: null };
  s.grid.active = [layer, head === null ? [] : [head]];
  change(s, choice);
  if (said) s.panel.notes.textContent = s.panel.spoken.textContent = say(s.words, said);
}

/** Chooses units: a query, a key, or both; undefined leaves one as it is. */
export function chooseUnits(s, query, key) {
  const { rows, columns } = s.frame.header;
  if (query !== undefined) s.units.query = query;
  if (key !== undefined) s.units.key = key;
  change(s, {
    ...s.choice,
    query: query === undefined ? s.choice.query : positionOf(rows, query),
    key: key === undefined ? s.choice.key : positionOf(columns, key),
  }, s.sort);
}

function change(s, choice, sorted = false) {
  s.choice = choice;
  if (sorted) relayGrid(s);
  redraw(s);
  afterwards(s);
  clearTimeout(s.timers.report);
  s.timers.report = setTimeout(() => flush(s), PAUSE);
}

/** Tells Python at once what it was to be told after a pause. */
export function flush(s) {
  if (!s.timers.report) return;
  clearTimeout(s.timers.report);
  s.timers.report = null;
  report(s);
}

/** Orders the grid by the chosen cell, or back by layers and heads, and tells Python. */
export function sortGrid(s, sort) {
  flush(s);
  s.sort = sort;
  s.grid.all = false;
  relayGrid(s);
  redraw(s);
  afterwards(s);
  s.tell("sort", sort);
}

/** The grid's order anew. */
export function relayGrid(s) {
  layGrid(s);
  paintGrid(s);
}

function report(s) {
  if (s.reported && sameChoice(s.reported, s.choice)) return;
  s.reported = s.choice;
  s.place.unsaid = { choice: bare(s.choice), serial: s.serial };
  s.tell("choice", bare(s.choice));
}

/** A choice that Python never heard of, since the page was left in that moment, is taken up again and told. */
export function resume(s, steer) {
  const { unsaid } = s.place ?? {};
  if (!unsaid || !steer.choice) return;
  const heard = sameChoice(unsaid.choice, steer.choice) || unsaid.serial !== steer.serial;
  if (heard) s.place.unsaid = null;
  else if (s.serial === null) {
    adopt(s, unsaid.choice);
    s.reported = null;
    s.timers.report = setTimeout(() => flush(s), PAUSE);
  }
}

/** Asks the route for what is drawn only roughly, once the choice has rested for a moment. */
export function afterwards(s) {
  s.fetching?.abort();
  clearTimeout(s.timers.fetch);
  if (s.ready && s.frame.header.url) s.timers.fetch = setTimeout(() => fetchMissing(s), FETCH_PAUSE);
}

async function fetchMissing(s) {
  const { frame, held, units } = s, abort = new AbortController(), wanted = missing(frame, held, s.choice);
  const cell = wantsCell(s) ? fetchCell(frame, held, units.query, units.key, abort.signal) : null;
  const lines = missingLines(frame, held, s.choice, wantedLines(s));
  if (!wanted.length && !lines.length && !cell) return;
  s.fetching = abort;
  try {
    const maps = wanted.map((name) => fetchMap(frame, held, name, abort.signal));
    await Promise.all([...maps, ...lines.map((name) => fetchLine(frame, held, name, abort.signal)), cell]);
    s.trouble = null;
  } catch {
    if (abort.signal.aborted) return;
    s.trouble = "gone";
  }
  if (s.frame !== frame || abort.signal.aborted) return;
  if (cell && s.sort) relayGrid(s);
  redraw(s);
}

/** The pointer rests on a cell of a map too large to be exact: its row is asked for, of the route or of Python. */
export function rest(s, then) {
  clearTimeout(s.timers.rest);
  const { frame, held, choice } = s;
  if (!s.at || !missingLines(frame, held, choice, wantedLines(s)).length) return;
  s.timers.rest = setTimeout(() => (frame.header.url ? fetchRest(s, then) : s.tell("row", s.at?.row ?? null)), REST);
}

async function fetchRest(s, then) {
  const { frame, held } = s, names = missingLines(frame, held, s.choice, wantedLines(s));
  try {
    await Promise.all(names.map((name) => fetchLine(frame, held, name, s.abort.signal)));
  } catch {
    return;
  }
  if (s.frame === frame) then();
}

function wantsCell({ frame, held, units, sort }) {
  const { full, type } = frame.header;
  if (units.query === null || units.key === null || (full && type === "f4")) return false;
  return sort && !held.cells.has(`${units.query},${units.key}`);
}

/** Takes a choice from Python: positions become the units that hold them. */
export function adopt(s, choice) {
  s.choice = fitted({ ...s.choice, ...choice }, s.frame.header);
  s.reported = s.choice;
  unitsAnew(s);
  s.grid.active = [s.choice.layer, s.choice.heads.slice(0, 1)];
}

/** The units of the chosen positions in the present frame. */
export function unitsAnew(s) {
  const { rows, columns } = s.frame.header;
  s.units = { query: unitAt(rows, s.choice.query), key: unitAt(columns, s.choice.key) };
}

/** Switches between what a token looks at and who looks at it. */
export function setMode(s, mode) {
  s.mode = mode;
  writeWords(s);
  redraw(s);
  afterwards(s);
}

/** Zooms to a window of exact cells, or back to the whole map (null). */
export function zoom(s, view) {
  s.zoom = view;
  layBig(s);
  redraw(s);
}
