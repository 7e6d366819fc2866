/** Units are the rows and columns that are drawn; positions are the sample's own and survive a change of units. */

/** The unit that holds `position`, or null where it is hidden. */
export function unitAt(axis, position) {
  if (position === null || position === undefined) return null;
  const unit = axis.at.findIndex((first, index) => first <= position && position <= axis.ends[index]);
  return unit < 0 ? null : unit;
}

/** The first position of a unit, or null. */
export const positionOf = (axis, unit) => (unit === null || unit === undefined ? null : axis.at[unit] ?? null);

/** Units in groups that belong to one word: a continuation joins what came before it. */
export function wordGroups(kinds) {
  const groups = [];
  kinds.forEach((kind, unit) => {
    const joins = kind === "continuation" && unit > 0 && kinds[unit - 1] !== "special";
    if (joins) groups[groups.length - 1].push(unit);
    else groups.push([unit]);
  });
  return groups;
}

/** The `count` largest shares as [unit, share], best first, leaving out what is below `least`. */
export function strongest(shares, count, least) {
  return Array.from(shares, (share, unit) => [unit, share])
    .filter(([, share]) => share >= least)
    .sort((one, other) => other[1] - one[1] || one[0] - other[0])
    .slice(0, count);
}
