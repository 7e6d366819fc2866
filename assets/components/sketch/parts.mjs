/** What every picture has around it: elements of an SVG, axes with round numbers or labels, and their names. */
import { drawn, shorten } from "../map/labels.mjs";
import { counted, measured, ticks } from "./numbers.mjs";

const SVG = "http://www.w3.org/2000/svg", LINE = 15, LEAN = 0.87;

/** How wide a letter is, about, in pixels. */
export const LETTER = 6.6;

/** An element of an SVG; text only ever goes in as text. */
export function draw(tag, attributes = {}, text) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  return node;
}

/** Labels with their places, so that no two are alike; one that is its own place stays. */
export const numbered = (labels) => labels.map((label, at) => (label === String(at) ? label : `${at}  ${label}`));

/** A label as it is drawn, its middle left out where it is longer than so many letters. */
export const shortened = (label, most) => shorten(drawn(label), most, lettersIn);

/** The same as they are drawn: short, and with marks for what cannot be seen. */
export const placed = (labels) => numbered(labels.map((label) => shortened(label, 24)));

/** About how many letters wide a text is drawn: Chinese characters and emoji are as wide as two. */
export const lettersIn = (text) => Array.from(text).reduce((sum, letter) => sum + (letter >= "\u2e80" ? 2 : 1), 0);

const longest = (texts) => Math.max(0, ...texts.map(lettersIn)) * LETTER;

/** How much room labels need that lean beside an axis; none lean where they are numbers. */
export const roomAlong = (labels) => (labels ? Math.min(120, 12 + longest(labels) * LEAN) : 18);

/** The room that labels down the side need, and that the numbers up an axis need. */
export const roomFor = (labels) => longest(labels) + 8;
export const roomBeside = ([low, high], height, spell = measured) => roomFor(ticks(low, high, height / 46).map(spell));

/** The numbers up an axis of amounts, with a line across the picture at each. */
export const levels = ([low, high], box, level, spell = measured) => ticks(low, high, box.height / 46).flatMap((mark) => [
  draw("line", { class: mark === 0 ? "ground" : "grid", x1: box.left, x2: box.left + box.width, y1: level(mark), y2: level(mark) }),
  draw("text", { class: "tick", x: box.left - 6, y: level(mark) + 4, "text-anchor": "end" }, spell(mark)),
]);

/** The numbers along an axis of amounts, with a line down the picture at each. */
export const amounts = ([low, high], box, level) => ticks(low, high, box.width / 76).flatMap((mark) => [
  draw("line", { class: mark === 0 ? "ground" : "grid", x1: level(mark), x2: level(mark), y1: box.top, y2: box.top + box.height }),
  draw("text", { class: "tick", x: level(mark), y: box.top + box.height + 16, "text-anchor": "middle" }, counted(mark)),
]);

/** The numbers along an axis of places, or their labels, leaning where they are words; as many as there is room for. */
export function places(count, labels, box, step, above = false) {
  const edge = above && labels ? box.top : box.top + box.height, middle = (at) => box.left + (at + 0.5) * step;
  const put = (attributes, text) => draw("text", { class: "tick", ...attributes }, text);
  if (!labels) return ticks(0, count - 1, box.width / 60, 1).map((at) => put({ x: middle(at), y: edge + 16, "text-anchor": "middle" }, String(at)));
  const every = Math.max(1, Math.ceil(LINE / step)), anchor = above ? "start" : "end", down = above ? -6 : 10;
  const lean = (at) => `translate(${middle(at) + 4} ${edge + down}) rotate(-60)`;
  return labels.flatMap((label, at) => (at % every ? [] : [put({ "text-anchor": anchor, transform: lean(at) }, label)]));
}

/** The names of both axes: what goes across, and what goes up. */
export const names = (across, up, box, bottom) => [
  draw("text", { class: "name", x: box.left + box.width / 2, y: bottom - 6, "text-anchor": "middle" }, across),
  draw("text", { class: "name", "text-anchor": "middle", transform: `translate(13 ${box.top + box.height / 2}) rotate(-90)` }, up),
];

/** A frame around the places `first` to `last`. */
export const frame = (first, last, box, step) => draw("rect", { class: "frame", x: box.left + first * step, y: box.top, width: (last - first + 1) * step, height: box.height });
