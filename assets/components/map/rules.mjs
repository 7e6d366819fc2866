/** Which cells are masked: a rule gives, for every row, the columns [from, to) that may be looked at. */

/** The rule of one layer; over all layers (null) a cell is masked only where every layer masks it. */
export function ruleOf(header, layer) {
  if (layer !== null) return header.rules[header.rule_of[layer]] ?? null;
  const rules = [...new Set(header.rule_of)].map((index) => header.rules[index] ?? null);
  return rules.includes(null) ? null : rules.reduce(widest);
}

const widest = (one, other) => one.map(([from, to], row) => [Math.min(from, other[row][0]), Math.max(to, other[row][1])]);

/** May the query of `row` look at `column`? */
export const allowed = (rule, row, column) => !rule || (rule[row][0] <= column && column < rule[row][1]);

/** A byte per drawn cell, 1 where everything under it is masked; null where nothing is. */
export function maskOf(rule, units, cells, block) {
  if (!rule) return null;
  const [rows, columns] = cells, mask = new Uint8Array(rows * columns);
  for (let row = 0; row < rows; row++) {
    const spans = rule.slice(row * block[0], Math.min((row + 1) * block[0], units[0]));
    for (let column = 0; column < columns; column++) {
      const from = column * block[1], to = Math.min(from + block[1], units[1]);
      mask[row * columns + column] = spans.every((span) => Math.max(span[0], from) >= Math.min(span[1], to)) ? 1 : 0;
    }
  }
  return mask;
}
