/** What stands around the big map in words: its heading, the overlaid heads, the colour bar, the reading, the notes. */
import { cellShares, headName, looks, topOf } from "./looks.mjs";
import { css, stops } from "./palette.mjs";
import { el } from "./dom.mjs";
import { unitName } from "./labels.mjs";
import { RIDES } from "./held.mjs";
import { ruleOf } from "./rules.mjs";
import { say, shareText } from "./words.mjs";

/** The heading and, for overlaid heads, one chip each that takes it away. */
export function fillHeading(s, remove) {
  const { layer, heads } = s.choice;
  s.panel.title.textContent = headName(s, layer, heads);
  const chips = heads.length < 2 ? [] : looks(s).map(({ heads: [head], colour }) => {
    const name = headName(s, layer, [head]);
    const chip = el("button", { type: "button", class: "chip", "data-head": head, "aria-label": say(s.words, "remove_head", { name }) }, el("span", { class: "dot" }), `${layer}·${head}`, el("span", { class: "cross", "aria-hidden": "true" }, "×"));
    chip.style.setProperty("--chip", css(colour));
    chip.addEventListener("click", () => remove(head));
    return chip;
  });
  s.panel.chips.replaceChildren(...chips);
  s.panel.chips.hidden = !chips.length;
}

/** The colour bar with numbers, what scale it is, and how masked cells look. */
export function fillBar(s) {
  const { bar, ticks, kind, masked } = s.panel, shown = looks(s), top = Math.max(...shown.map(({ map }) => topOf(s, map)));
  const colours = shown.length > 1 ? null : stops(s.palette, s.theme.dark).map((colour) => css(colour));
  bar.style.background = colours ? `linear-gradient(to right, ${colours.join(", ")})` : "none";
  bar.replaceChildren(...(colours ? [] : shown.map(({ colour }) => overlayBar(colour))));
  ticks.replaceChildren(...[0, 0.25, 0.5, 0.75, 1].map((part) => el("span", {}, tickText(part * top))));
  kind.textContent = say(s.words, s.scale === "head" ? (shown.length > 1 ? "scale_heads" : "scale_head") : "scale_shared");
  masked.hidden = !ruleOf(s.frame.header, s.choice.layer);
  masked.lastChild.textContent = say(s.words, "masked");
}

const tickText = (value) => (value === 0 ? "0" : value === 1 ? "1" : value.toFixed(value < 0.1 ? 3 : 2));

function overlayBar(colour) {
  const line = el("span", { class: "overlay-bar" });
  line.style.background = `linear-gradient(to right, ${css(colour, 0.04)}, ${css(colour)})`;
  return line;
}

/** The shares of one cell in words: "0.677", or each overlaid head's own. */
export function sharesText(s, row, column) {
  const shares = cellShares(s, row, column);
  if (!shares) return say(s.words, "masked");
  if (shares.length === 1) return shareText(shares[0].share, shares[0].exactly);
  return shares.map(({ name, share, exactly }) => `${name}: ${shareText(share, exactly)}`).join("; ");
}

/** The sentence about what is chosen; it is also what a screen reader is told. */
export function reading(s) {
  const { query, key } = s.units, { rows, columns } = s.frame.header, head = headName(s, s.choice.layer, s.choice.heads);
  if (query === null && key === null) return say(s.words, "reading_head", { head });
  if (key === null) return say(s.words, "reading_query", { head, query: unitName(rows, query) });
  if (query === null) return say(s.words, "reading_key", { head, seen: unitName(columns, key) });
  return say(s.words, "reading_cell", { head, query: unitName(rows, query), seen: unitName(columns, key), share: sharesText(s, query, key) });
}

/** Notes that keep the picture honest: thinned labels, shared pixels, zoom, what is still on its way. */
export function notes(s) {
  const { laid } = s.big, { rows, columns } = s.frame.header, list = [], view = laid.view;
  if (laid.rowStep > 1) list.push(say(s.words, "labels_rows", { step: laid.rowStep }));
  if (laid.columnStep > 1) list.push(say(s.words, "labels_columns", { step: laid.columnStep }));
  const shared = Math.ceil((view.rows[1] - view.rows[0]) / Math.max(1, laid.height * s.dpr));
  if (shared > 1) list.push(say(s.words, "block_max", { size: shared }));
  if (s.zoom) list.push(say(s.words, "zoomed", { from: view.rows[0], to: view.rows[1] - 1, all: rows.labels.length, left: view.columns[0], right: view.columns[1] - 1, columns: columns.labels.length }));
  if (s.trouble) list.push(say(s.words, s.trouble));
  else if (looks(s).some(({ map }) => map.exactly === "most")) list.push(say(s.words, comes(s) ? "coarse" : "coarse_only"));
  return list;
}

/** Does the exact map come: by the route, or with the next frame where it is small enough to ride along? */
function comes({ frame: { header } }) {
  return Boolean(header.url) || header.rows.labels.length * header.columns.labels.length <= RIDES;
}

/** Writes the reading and the notes. */
export function fillPanel(s) {
  const text = reading(s);
  if (s.panel.reading.textContent !== text) s.panel.reading.textContent = text;
  s.panel.notes.textContent = notes(s).join(" ");
  s.panel.reset.hidden = !s.zoom;
  const { rows, columns } = s.frame.header;
  s.panel.zoom.hidden = Boolean(s.zoom) || Math.max(rows.labels.length, columns.labels.length) < 24;
  s.grid.note.textContent = gridNote(s);
  fillOrder(s);
  s.grid.more.hidden = !s.grid.ranked || s.grid.laid.tiles.length >= s.grid.ranked.length;
}

/** The button that orders the grid by the chosen cell, or back. */
function fillOrder(s) {
  const { order } = s.grid, { query, key } = s.units, { rows, columns } = s.frame.header, pair = query !== null && key !== null;
  order.hidden = !pair && !s.sort;
  order.setAttribute("aria-pressed", String(s.sort));
  order.textContent = s.sort ? say(s.words, "sort_back") : pair ? say(s.words, "sort_by", { query: unitName(rows, query), seen: unitName(columns, key) }) : "";
}

function gridNote(s) {
  const { ranked, laid } = s.grid;
  if (s.sort && !ranked) return say(s.words, s.units.query === null || s.units.key === null ? "sort_needs" : "sort_waits");
  if (ranked) return say(s.words, "sorted", { shown: laid.tiles.length, all: ranked.length });
  return "";
}
