/** The token strip: the sentence as it is read, shaded by what the chosen token looks at, or who looks at it. */
import { css, ramp, unpixel } from "./palette.mjs";
import { direction, drawn } from "./labels.mjs";
import { drawLines, linesLayer } from "./lines.mjs";
import { el } from "./dom.mjs";
import { allowed, ruleOf } from "./rules.mjs";
import { lineOf, looks, subjectOf, topOf } from "./looks.mjs";
import { say, shareText } from "./words.mjs";
import { strongest, wordGroups } from "./units.mjs";

const LINES = 24, LEAST = 0.02, NUMBERED = 0.01, FULL = 0.25, ABOVE = 24;

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
  const looked = s.mode === "looked", subject = subjectOf(s);
  const line = subject === null ? null : lineOf(s, looked ? "column" : "row", subject);
  if (!line || line.exactly === "most") return null;
  const rule = ruleOf(s.frame.header, s.choice.layer);
  const may = (unit) => (looked ? allowed(rule, unit, subject) : allowed(rule, subject, unit));
  return { looked, subject, may, ...line };
}

/** Shades the tokens and draws the lines. */
export function shadeStrip(s) {
  const links = linksOf(s), { rows, columns, host } = s.strip;
  host.dataset.mode = s.mode;
  const subjects = links?.looked ? columns : rows, others = links?.looked ? rows : columns;
  const colours = shades(s);
  if (rows !== columns) for (const button of subjects.buttons) shade(button, null);
  others.buttons.forEach((button, unit) => shade(button, links, unit, colours));
  markChosen(s);
  follow(s);
  const best = links ? strongest(links.shares, LINES, LEAST) : [];
  const rise = host.clientWidth < 480 ? 24 : 38;
  drawLines(s.strip.svg, best, links?.subject ?? 0, subjects.boxes, others.boxes, rise);
}

/** The map's own colours behind the words: [background, text] of a share. Small shares fade into the page. */
function shades(s) {
  const colours = ramp(s.palette, s.theme.dark), top = s.scale === "head" ? Math.max(...looks(s).map(({ map }) => topOf(s, map))) : 1;
  const light = ([red, green, blue]) => red * 0.2126 + green * 0.7152 + blue * 0.0722;
  const [dark, pale] = [s.theme.text, s.theme.paper].sort((one, other) => light(one) - light(other));
  return (share) => {
    const part = top > 0 ? Math.min(1, share / top) : 0, ink = unpixel(colours[Math.round(255 * part)]), over = Math.min(1, part / FULL);
    const mixed = ink.map((channel, at) => channel * over + s.theme.paper[at] * (1 - over));
    return [css(ink, over.toFixed(3)), css(light(mixed) - light(dark) > light(pale) - light(mixed) ? dark : pale)];
  };
}

/** Brings a token that was just chosen into sight; only the strip moves, never the page. */
function follow(s) {
  const { host, rows, columns, shown } = s.strip, { query, key } = s.units;
  s.strip.shown = { query, key };
  const [part, unit] = query !== shown?.query ? [rows, query] : key !== shown?.key ? [columns, key] : [rows, null];
  const box = unit === null ? null : part.boxes[unit];
  if (!box || (box.y >= host.scrollTop + ABOVE && box.y + box.height <= host.scrollTop + host.clientHeight)) return;
  host.scrollTop = box.y - (host.clientHeight - box.height) / 2;
}

function shade(button, links, unit, colours) {
  const share = links ? links.shares[unit] : 0, may = !links || links.may(unit), shown = links && may && share > 0;
  for (const [at, name] of ["--fill", "--on"].entries()) shown ? button.style.setProperty(name, colours(share)[at]) : button.style.removeProperty(name);
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
  const own = s.theme.dark ? [126, 148, 255] : [84, 93, 197], ink = s.palette === "ink" ? own : unpixel(ramp(s.palette, s.theme.dark)[140]);
  return { "--ink": css(ink), "--query": css(s.theme.query), "--key": css(s.theme.key) };
}
