/** The component's own elements, once for each place it is mounted. */
import { el } from "./dom.mjs";

const canvas = (name) => el("canvas", { class: name, "aria-hidden": "true" });

/** Builds everything and returns the parts by name. */
export function build(parent) {
  const strip = stripParts(), grid = gridParts(), big = bigParts(), panel = panelParts(), table = tableParts();
  const tip = el("div", { class: "tip", "data-testid": "tip", "aria-hidden": "true", hidden: true });
  const views = el("div", { class: "views" },
    el("div", { class: "side grid-side" }, el("div", { class: "above" }, grid.order), grid.host, el("div", { class: "under" }, grid.note, grid.more)),
    el("div", { class: "side big-side" }, panel.top, big.host, panel.legend, panel.under));
  const root = el("div", { class: "map", "data-testid": "map" }, strip.section, views, table.details, tip);
  parent.append(root);
  return { root, views, strip, grid, big, panel, table, tip };
}

function stripParts() {
  const looks = el("button", { type: "button", class: "mode", "data-mode": "looks" });
  const looked = el("button", { type: "button", class: "mode", "data-mode": "looked" });
  const host = el("div", { class: "strip", "data-testid": "strip", role: "group" });
  const note = el("span", { class: "note" });
  const modes = el("div", { class: "modes", role: "group" }, looks, looked);
  return { section: el("section", { class: "strip-side" }, el("div", { class: "bar-line" }, modes, note), host), host, note, modes, looks, looked };
}

function gridParts() {
  const base = canvas("base"), marks = canvas("marks"), tiles = el("div", { class: "tiles", role: "presentation" });
  const host = el("div", { class: "grid", "data-testid": "grid", role: "grid", tabindex: "0", "aria-multiselectable": "true" }, base, marks, tiles);
  return { host, base, marks, tiles, nodes: [], note: el("span", { class: "note" }), order: el("button", { type: "button", class: "quiet", "data-testid": "order", hidden: true }), more: el("button", { type: "button", class: "quiet", hidden: true }), active: [0, [0]], over: null, all: false };
}

function bigParts() {
  const base = canvas("base"), marks = canvas("marks");
  const host = el("div", { class: "big", "data-testid": "big", role: "application", tabindex: "0" }, base, marks);
  return { host, base, marks };
}

function panelParts() {
  const title = el("h3", { class: "title" }), chips = el("div", { class: "chips", role: "group", hidden: true });
  const reading = el("p", { class: "reading", role: "status", "aria-live": "polite", "data-testid": "reading" });
  const spoken = el("p", { class: "unseen", "aria-live": "polite" });
  const bar = el("div", { class: "colours" }), ticks = el("div", { class: "ticks" }), kind = el("span", { class: "kind" });
  const masked = el("span", { class: "masked-key", hidden: true }, el("i", { "aria-hidden": "true" }), el("span"));
  const zoom = el("button", { type: "button", class: "quiet" }), reset = el("button", { type: "button", class: "quiet", hidden: true });
  const note = el("p", { class: "note", "data-testid": "notes" });
  return {
    title, chips, reading, spoken, bar, ticks, kind, masked, zoom, reset, notes: note,
    top: el("div", { class: "top" }, title, chips, reading, spoken),
    legend: el("div", { class: "legend" }, el("div", { class: "scale" }, bar, ticks), el("div", { class: "keys" }, kind, masked)),
    under: el("div", { class: "under" }, note, zoom, reset),
  };
}

function tableParts() {
  const summary = el("summary"), body = el("div", { class: "table-body" });
  return { details: el("details", { class: "table", "data-testid": "table" }, summary, body), summary, body, whole: false };
}
