/** The token strip: the sentence as it is read, shaded by what the chosen token looks at, or who looks at it. */
import { columnOf, rowOf } from "./frame.mjs";
import { css } from "./palette.mjs";
import { direction, drawn } from "./labels.mjs";
import { drawLines, linesLayer } from "./lines.mjs";
import { el } from "./dom.mjs";
import { allowed, ruleOf } from "./rules.mjs";
import { joint } from "./looks.mjs";
import { say, shareText } from "./words.mjs";
import { strongest, wordGroups } from "./units.mjs";

const LINES = 24, LEAST = 0.02, NUMBERED = 0.01;

/** Builds the tokens of a new frame: one strip, or one of queries and one of keys where they differ. */
export function buildStrip(s) {
  const { side, rows, columns, boundary } = s.frame.header;
  const svg = linesLayer();
  s.strip.svg = svg;
  s.strip.rows = tokensOf(rows, "rows", side === "cross" ? null : boundary);
  s.strip.columns = side === "cross" ? tokensOf(columns, "columns", boundary) : s.strip.rows;
  const lines = side === "cross" ? [s.strip.rows.line, s.strip.columns.line] : [s.strip.rows.line];
  s.strip.host.replaceChildren(svg, ...lines);
  s.strip.host.classList.toggle("long", rows.labels.length > 64);
  s.strip.shown = null;
}

function tokensOf(axis, name, boundary) {
  const buttons = axis.labels.map((label, unit) => tokenButton(axis, unit, label));
  const words = wordGroups(axis.kinds).map((group) => el("span", { class: "word" }, ...group.map((unit) => buttons[unit])));
  const line = el("div", { class: "tokens", dir: direction(axis.labels), "data-axis": name }, ...words);
  if (boundary) buttons[boundary]?.parentNode.before(el("span", { class: "between", "aria-hidden": "true" }));
  return { buttons, line, boxes: [] };
}

function tokenButton(axis, unit, label) {
  const text = drawn(label), title = axis.titles?.[unit];
  return el("button", {
    type: "button", class: `token ${axis.kinds[unit]}`, "data-unit": unit, tabindex: unit ? "-1" : "0",
    title: title && title !== label ? drawn(title) : text.length > 24 ? text : null,
  }, el("bdi", { class: "text", dir: "auto" }, text), el("span", { class: "share", dir: "ltr" }));
}

/** Where the tokens stand now; read once after each change of the page, not for every choice. */
export function measureStrip(s) {
  const { host, svg, rows, columns } = s.strip, base = host.getBoundingClientRect();
  svg.setAttribute("width", host.clientWidth);
  svg.setAttribute("height", host.scrollHeight);
  for (const part of new Set([rows, columns])) {
    part.boxes = part.buttons.map((button) => {
      const { left, top, width, height } = button.getBoundingClientRect();
      return { x: left - base.left + host.scrollLeft, y: top - base.top + host.scrollTop, width, height };
    });
  }
}

/** What the strip shows: the subject and the share of every other token for it. */
export function linksOf(s) {
  const { query, key } = s.units, { rows, columns } = s.frame.header;
  const looked = s.mode === "looked", self = s.frame.header.side !== "cross";
  const subject = looked ? key ?? (self ? query : null) : query;
  const map = subject === null ? null : joint(s);
  if (!map || map.exactly === "most") return null;
  const rule = ruleOf(s.frame.header, s.choice.layer);
  const shares = looked ? columnOf(map, subject, rows.labels.length) : rowOf(map, subject, columns.labels.length);
  const may = (unit) => (looked ? allowed(rule, unit, subject) : allowed(rule, subject, unit));
  return { looked, subject, shares, may, exactly: map.exactly };
}

/** Shades the tokens and draws the lines. */
export function shadeStrip(s) {
  const links = linksOf(s), { rows, columns, host } = s.strip;
  host.dataset.mode = s.mode;
  const subjects = links?.looked ? columns : rows, others = links?.looked ? rows : columns;
  if (rows !== columns) for (const button of subjects.buttons) shade(button, null);
  others.buttons.forEach((button, unit) => shade(button, links, unit));
  markChosen(s);
  const best = links ? strongest(links.shares, LINES, LEAST) : [];
  const rise = host.clientWidth < 480 ? 24 : 38;
  drawLines(s.strip.svg, best, links?.subject ?? 0, subjects.boxes, others.boxes, rise);
}

function shade(button, links, unit) {
  const share = links ? links.shares[unit] : 0, may = !links || links.may(unit);
  button.style.setProperty("--share", may ? share.toFixed(4) : "0");
  button.classList.toggle("masked", !may);
  const text = links && may && share >= NUMBERED ? shareText(share, links.exactly).replace("0.", ".") : "";
  if (button.lastChild.textContent !== text) button.lastChild.textContent = text;
}

function markChosen(s) {
  const { rows, columns } = s.strip, { query, key } = s.units;
  for (const part of new Set([rows, columns])) for (const button of part.chosen ?? []) button.classList.remove("query", "key"), button.removeAttribute("aria-pressed");
  rows.chosen = columns.chosen = [];
  const mark = (part, unit, name) => {
    if (unit === null) return;
    part.buttons[unit].classList.add(name);
    part.buttons[unit].setAttribute("aria-pressed", "true");
    part.chosen = [...part.chosen, part.buttons[unit]];
  };
  mark(rows, query, "query");
  mark(columns, key, "key");
}

/** The note under the strip: which lines are drawn. */
export function stripNote(s) {
  const links = linksOf(s);
  if (!links) return say(s.words, "strip_hint");
  const lines = Math.min(LINES, Array.from(links.shares).filter((share) => share >= LEAST).length);
  return say(s.words, "strip_note", { least: LEAST, lines });
}

/** Colours of the two modes for the style sheet. */
export function stripColours(s) {
  const ink = s.theme.dark ? [126, 148, 255] : [84, 93, 197];
  return { "--ink": css(ink), "--query": css(s.theme.query), "--key": css(s.theme.key) };
}
