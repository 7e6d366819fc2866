/** The table twin of the big map: the chosen row, and on demand the whole map, as real tables. */
import { cellShares, headName, rowShown } from "./looks.mjs";
import { el } from "./dom.mjs";
import { unitName } from "./labels.mjs";
import { say, shareText } from "./words.mjs";

export const WHOLE_LIMIT = 64;

/** Fills the table if somebody has it open. */
export function fillTable(s) {
  const { details, body } = s.table;
  if (!details.open) return;
  body.replaceChildren(s.table.whole && fits(s) ? wholeTable(s) : rowTable(s), wholeButton(s));
}

const fits = ({ frame: { header } }) => header.rows.labels.length <= WHOLE_LIMIT && header.columns.labels.length <= WHOLE_LIMIT;

function wholeButton(s) {
  if (!fits(s)) return el("p", { class: "note" }, say(s.words, "table_limit", { limit: WHOLE_LIMIT }));
  const button = el("button", { type: "button", class: "quiet", "aria-pressed": String(s.table.whole) }, say(s.words, s.table.whole ? "table_row" : "table_whole"));
  button.addEventListener("click", () => {
    s.table.whole = !s.table.whole;
    fillTable(s);
    s.table.body.querySelector("button").focus();
  });
  return button;
}

const heading = (text, scope, name) => el("th", { scope, class: name }, text);

function rowTable(s) {
  const row = rowShown(s), { rows, columns } = s.frame.header;
  const first = cellNames(s, row);
  const head = el("tr", {}, heading("#", "col"), heading(say(s.words, "token"), "col"), ...first.map((name) => heading(name, "col", "number")));
  const lines = columns.labels.map((_, column) => el("tr", {}, el("td", { class: "number" }, String(column)), heading(unitName(columns, column), "row"), ...shareCells(s, row, column, first.length)));
  const caption = say(s.words, "table_caption", { token: unitName(rows, row), head: headName(s, s.choice.layer, s.choice.heads) });
  return tableOf(caption, head, lines);
}

function cellNames(s, row) {
  const all = s.frame.header.columns.labels.map((_, column) => cellShares(s, row, column)).find(Boolean);
  return all ? all.map(({ name }) => name) : [say(s.words, "share")];
}

function shareCells(s, row, column, count) {
  const shares = cellShares(s, row, column);
  if (!shares) return Array.from({ length: count }, () => el("td", { class: "number quiet" }, say(s.words, "masked")));
  return shares.map(({ share, exactly }) => el("td", { class: "number" }, shareText(share, exactly, 4)));
}

function wholeTable(s) {
  const { rows, columns } = s.frame.header;
  const head = el("tr", {}, heading(say(s.words, "rows_columns"), "col"), ...columns.labels.map((_, column) => heading(unitName(columns, column), "col", "number")));
  const lines = rows.labels.map((_, row) => el("tr", {}, heading(unitName(rows, row), "row"), ...columns.labels.map((_, column) => wholeCell(s, row, column))));
  return tableOf(say(s.words, "table_whole_caption", { head: headName(s, s.choice.layer, s.choice.heads) }), head, lines);
}

function wholeCell(s, row, column) {
  const shares = cellShares(s, row, column);
  const text = shares ? shares.map(({ share, exactly }) => shareText(share, exactly, 4)).join(" · ") : say(s.words, "masked_short");
  return el("td", { class: shares ? "number" : "number quiet" }, text);
}

function tableOf(caption, head, lines) {
  const table = el("table", {}, el("caption", {}, caption), el("thead", {}, head), el("tbody", {}, ...lines));
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, table);
}
