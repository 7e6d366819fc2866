/** Token labels along the two axes of the big map. */
import { LINE } from "./layout.mjs";
import { css } from "./palette.mjs";
import { below, drawn, shorten } from "./labels.mjs";

export const labelFont = (theme, weight = 400) => `${weight} 12.5px ${theme.font}`;

/** The labels of one axis as drawn text with its width, also where it stands out, none wider than `limit`. */
export function axisTexts(pen, axis, span, limit, theme) {
  const measured = (weight) => (text) => {
    pen.font = labelFont(theme, weight);
    return pen.measureText(text).width;
  };
  const width = measured(400), bold = measured(600);
  const known = new Map();
  return axis.labels.slice(span[0], span[1]).map((label, index) => {
    const joint = axis.kinds[index + span[0]] === "continuation" ? "\u2011" : "";
    const number = below(axis.alike?.[index + span[0]]), name = joint + drawn(label), whole = name + number;
    if (!known.has(whole)) {
      const text = shorten(name, limit - width(number), width) + number;
      known.set(whole, { text, width: width(text), bold: bold(text) });
    }
    return { ...known.get(whole), unit: index + span[0], quiet: axis.kinds[index + span[0]] === "special" };
  });
}

/** Draws the labels of an axis that the layout has room for; the `strong` ones ([unit, colour]) always, over their neighbours. */
export function drawAxis(pen, layout, texts, side, theme, strong) {
  const step = side === "rows" ? layout.rowStep : layout.columnStep, first = texts[0]?.unit ?? 0;
  const near = (unit) => strong.some(([other]) => other !== unit && step > 1 && Math.abs(other - unit) * layout.cell < LINE);
  const named = new Map(strong);
  texts.forEach((entry, index) => {
    if (entry.unit % step || named.has(entry.unit) || near(entry.unit)) return;
    drawLabel(pen, layout, entry, index, side, { theme, colour: css(theme.text, entry.quiet ? 0.5 : 0.86) });
  });
  for (const [unit, colour] of strong) {
    const entry = texts[unit - first];
    if (entry) drawLabel(pen, layout, entry, unit - first, side, { theme, colour: css(colour), weight: 600, plate: true });
  }
}

/** One label in its place; `plate` lays the page's colour under it, so that it stands over its neighbours. */
export function drawLabel(pen, layout, entry, index, side, { theme, colour, weight = 400, plate = false }) {
  pen.save();
  pen.font = labelFont(theme, weight);
  pen.direction = "ltr";
  pen.textBaseline = "middle";
  const centre = (index + 0.5) * layout.cell;
  if (side === "rows") pen.translate(layout.left - 7, layout.top + centre);
  else pen.translate(layout.left + centre, layout.top - 7);
  const turned = side === "rows" ? 0 : { flat: 0, slant: -Math.PI / 4, upright: -Math.PI / 2 }[layout.mode];
  const flat = side === "columns" && layout.mode === "flat";
  pen.rotate(turned);
  pen.textAlign = side === "rows" ? "right" : flat ? "center" : "left";
  if (flat) pen.translate(0, -4);
  const wide = weight > 400 ? entry.bold : entry.width;
  const start = side === "rows" ? -wide : flat ? -wide / 2 : 0;
  if (plate) {
    pen.fillStyle = css(theme.paper);
    pen.fillRect(start - 3, -LINE / 2, wide + 6, LINE);
  }
  pen.fillStyle = colour;
  pen.fillText(entry.text, start + (pen.textAlign === "right" ? wide : pen.textAlign === "center" ? wide / 2 : 0), 0.5);
  pen.restore();
}
