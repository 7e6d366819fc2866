/** The small label at the pointer, or at the cell that the arrow keys are on. */
import { cellShares, headName } from "./looks.mjs";
import { css } from "./palette.mjs";
import { el } from "./dom.mjs";
import { below, isolated, unitName } from "./labels.mjs";
import { say, shareText } from "./words.mjs";

/** Shows `children` near a point of the page, kept within the component. */
export function showTip(s, x, y, ...children) {
  const { tip, root } = s, frame = root.getBoundingClientRect();
  tip.replaceChildren(...children);
  tip.hidden = false;
  const left = x - frame.left + 14, right = left + tip.offsetWidth > frame.width;
  tip.style.left = Math.max(0, right ? x - frame.left - tip.offsetWidth - 12 : left) + "px";
  tip.style.top = y - frame.top + 16 + "px";
}

export function hideTip(s) {
  s.tip.hidden = true;
}

/** "layer 3 · head 1", and its share of the chosen cell where the grid is sorted. */
export function tileTip(s, layer, heads) {
  const parts = [el("b", {}, headName(s, layer, heads))];
  if (!heads.length && !s.frame.header.full) parts.push(el("span", { class: "more" }, say(s.words, "mean_small")));
  const ranked = s.grid.ranked?.find(([one, head]) => one === layer && head === heads[0]);
  if (ranked) parts.push(el("span", { class: "more" }, shareText(ranked[2], s.grid.exactly, 4)));
  return parts;
}

/** Both tokens of a cell and the share in each chosen head. */
export function cellTip(s, row, column) {
  const { rows, columns } = s.frame.header, name = (axis, unit) => isolated((axis.kinds[unit] !== "unknown" && axis.titles?.[unit]) || axis.labels[unit]) + below(axis.alike?.[unit]);
  const parts = [el("b", {}, `${name(rows, row)} → ${name(columns, column)}`), el("span", { class: "more" }, `${row} → ${column}`)];
  const shares = cellShares(s, row, column);
  if (!shares) return [...parts, el("span", { class: "value" }, say(s.words, "masked"))];
  return [...parts, ...shares.map((one) => shareLine(one, shares.length > 1))];
}

function shareLine({ name, share, exactly, colour }, several) {
  const dot = el("i", { class: "dot" });
  dot.style.background = css(colour);
  return el("span", { class: "value" }, ...(several ? [dot, name + "  "] : []), shareText(share, exactly, 4));
}

/** A whole token where the axis had to shorten it. */
export function labelTip(s, axis, unit) {
  const { labels, titles, kinds, at } = s.frame.header[axis];
  const parts = [el("b", {}, unitName(s.frame.header[axis], unit)), el("span", { class: "more" }, say(s.words, "position", { position: at[unit] }))];
  if (kinds[unit] === "unknown") parts.push(el("span", { class: "more" }, say(s.words, "unknown")));
  else if (titles?.[unit] && titles[unit] !== labels[unit]) parts.push(el("span", { class: "more" }, isolated(titles[unit])));
  return parts;
}
