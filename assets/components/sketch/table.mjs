/** A table of texts: when others come, only what is in its cells changes, and the marked row is in sight. */
import { drawn } from "../map/labels.mjs";
import { foot, make } from "./keeping.mjs";

const ROW = 33;

/** The rows of some columns [name, cells], the first cell of each its name. */
function build(columns) {
  const head = make("tr", "", ...columns.map(([name]) => Object.assign(make("th", "", name), { scope: "col" })));
  const rows = columns[0][1].map((_, row) => make("tr", "", ...columns.map(([, cells], at) => (at ? make("td", "", cells[row]) : Object.assign(make("th", "", cells[row]), { scope: "row" })))));
  return [make("thead", "", head), make("tbody", "", ...rows)];
}

/** Puts other texts into the rows that are there; false where they do not fit. */
function refilled(table, columns) {
  const rows = [...table.rows], texts = [columns.map(([name]) => name), ...columns[0][1].map((_, row) => columns.map(([, cells]) => cells[row]))];
  if (rows.length !== texts.length || rows[0].cells.length !== columns.length) return false;
  rows.forEach((row, down) => texts[down].forEach((text, at) => {
    if (row.cells[at].textContent !== text) row.cells[at].textContent = text;
  }));
  return true;
}

/** A table inside an element: {show(packed), end()}. */
export function table(parent) {
  const rows = make("table", ""), box = make("div", "rows", rows), under = foot(), root = make("figure", "sketch", box, under.node);
  box.tabIndex = 0;
  box.setAttribute("role", "group");
  parent.append(root);
  const show = (packed) => {
    const { marked, words } = packed.header, columns = packed.header.table.map(([name, cells]) => [name, cells.map(drawn)]);
    if (!refilled(rows, columns)) rows.replaceChildren(...build(columns));
    box.setAttribute("aria-label", words.table);
    rows.querySelector("[aria-current]")?.removeAttribute("aria-current");
    if (marked !== null) {
      rows.rows[marked + 1].setAttribute("aria-current", "true");
      box.scrollTop = (marked - 4) * ROW;
    }
    under.show(packed);
  };
  return { show, dimmed() {}, end: () => root.remove() };
}
