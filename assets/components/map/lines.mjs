/** Curves between tokens of the strip; thickness and opacity are the share. */

const SVG = "http://www.w3.org/2000/svg";

/** The path from one token's box to another's: an arch on one line of text, an S between lines. */
export function curve(from, to, rise) {
  const x1 = from.x + from.width / 2, x2 = to.x + to.width / 2;
  if (from === to) return `M${x1 - 5} ${from.y} C${x1 - 16} ${from.y - rise} ${x1 + 16} ${from.y - rise} ${x1 + 5} ${from.y}`;
  if (Math.abs(from.y - to.y) < 2) {
    const lift = Math.min(rise, 9 + Math.abs(x2 - x1) * 0.16);
    return `M${x1} ${from.y} C${x1} ${from.y - lift} ${x2} ${to.y - lift} ${x2} ${to.y}`;
  }
  const falls = to.y > from.y, y1 = falls ? from.y + from.height : from.y, y2 = falls ? to.y : to.y + to.height;
  const bend = Math.max(14, Math.abs(y2 - y1) * 0.5) * (falls ? 1 : -1);
  return `M${x1} ${y1} C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`;
}

/** How a share looks as a line. */
export const stroke = (share) => ({ width: (0.75 + 5.25 * share).toFixed(2), opacity: (0.22 + 0.7 * Math.sqrt(share)).toFixed(3) });

/** Puts the curves of `links` ([unit, share], best first) into an svg, the strongest on top. */
export function drawLines(svg, links, subject, boxes, others, rise) {
  const paths = [...links].reverse().map(([unit, share]) => {
    const path = document.createElementNS(SVG, "path"), { width, opacity } = stroke(share);
    path.setAttribute("d", curve(boxes[subject], others[unit], rise));
    path.setAttribute("stroke-width", width);
    path.setAttribute("stroke-opacity", opacity);
    path.dataset.unit = unit;
    return path;
  });
  svg.replaceChildren(...paths);
}

/** An empty drawing over the strip. */
export function linesLayer() {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "lines");
  svg.setAttribute("aria-hidden", "true");
  return svg;
}
