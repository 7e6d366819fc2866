/** The bytes of a picture: u32 length | JSON | float32 numbers: those that are drawn, then the columns of its sheet. */
import { numbered } from "./parts.mjs";

/** {header, values, sheet}; the message's own offset is not aligned, so the numbers are copied. */
export function unpacked(bytes) {
  const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  const numbers = new Float32Array(bytes.slice(4 + length).buffer);
  const values = numbers.subarray(0, header.drawn);
  return { header, bytes, values, sheet: () => (header.sheet ? columnsOf(header, numbers) : grid(header, values)) };
}

/** The columns that came along: words and whole numbers as they are, all others one after the other. */
function columnsOf({ drawn, sheet }, numbers) {
  let from = drawn;
  return sheet.map(([name, cells]) => [name, Array.isArray(cells) ? cells : numbers.subarray(from, (from += cells))]);
}

/** A map as columns, its rows named in the first. */
const grid = ({ y, rows, columns }, values) => [
  [y, numbered(rows)],
  ...numbered(columns).map((name, across) => [name, rows.map((_, down) => values[down * columns.length + across])]),
];

/** Are these the same bytes? */
export const alike = (one, other) => one !== null && one.length === other.length && one.every((byte, at) => byte === other[at]);

const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** A number with nine digits, which give every float32 back exactly; what is not a number stays empty. */
const spelled = (cell) => (typeof cell === "string" ? quoted(cell) : Number.isNaN(cell) ? "" : String(Number(cell.toPrecision(9))));

/** Columns [name, cells] as CSV; one that ends earlier leaves the rest empty. */
export function csv(columns) {
  const rows = Math.max(...columns.map(([, cells]) => cells.length));
  const lines = Array.from({ length: rows }, (_, at) => columns.map(([, cells]) => (at < cells.length ? spelled(cells[at]) : "")));
  return [columns.map(([name]) => quoted(name)), ...lines].map((line) => line.join(",") + "\r\n").join("");
}
