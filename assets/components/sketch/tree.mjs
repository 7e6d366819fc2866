/** A tree from left to right, each node with its label above it; where steps are too narrow for that it scrolls. */
import { draw, LETTER, names, shortened } from "./parts.mjs";

const BRANCH = 30, TOP = 30, SIDE = 14, NEAR = 16;

/** The picture of a tree, `width` pixels wide or as wide as it must be: as that of bars. */
export function tree({ header, values }, width) {
  const { labels, parents, told, node_looks: looks, least } = header, count = labels.length;
  const across = depths(parents), columns = Math.max(0, ...across) + 1, rows = Math.max(0, ...values) + 1;
  const step = Math.max(least, (width - SIDE) / columns), x = (at) => SIDE + across[at] * step, y = (at) => TOP + values[at] * BRANCH;
  const box = { left: SIDE, top: TOP, width: step * (columns - 1), height: rows * BRANCH }, height = TOP + box.height + 38;
  const edges = parents.flatMap((parent, at) => (parent === null ? [] : [edge(at, parent)]));
  function edge(at, parent) {
    const strong = looks[at] === "strong" && looks[parent] === "strong" ? " strong" : "";
    return draw("path", { class: `edge${strong}`, d: `M${x(parent)} ${y(parent)}L${x(parent) + step / 2} ${y(at)}H${x(at)}` });
  }
  const dots = labels.flatMap((label, at) => [
    draw("circle", { class: `dot ${looks[at]}`, cx: x(at), cy: y(at), r: 4.5 }),
    draw("text", { class: "leaf", x: x(at) - 4, y: y(at) - 9 }, shortened(label, Math.floor((step - 6) / LETTER))),
  ]);
  const steps = Array.from({ length: columns }, (_, at) => draw("text", { class: "tick", x: SIDE + at * step, y: height - 26, "text-anchor": "middle" }, String(at)));
  return {
    nodes: [...edges.filter((one) => !one.getAttribute("class").includes("strong")), ...edges.filter((one) => one.getAttribute("class").includes("strong")), ...dots, ...steps, ...names(header.x, header.y, { ...box, width: Math.min(box.width, width - 2 * SIDE) }, height)],
    height, count, width: SIDE + columns * step,
    at: (left, top) => labels.findIndex((_, at) => Math.abs(x(at) - left) < NEAR && Math.abs(y(at) - top) < NEAR),
    told: (at) => [told[at]],
    mark: (at) => draw("circle", { class: "here", cx: x(at), cy: y(at), r: 8 }),
  };
}

/** How many steps each node is from where its tree begins; parents come first. */
export function depths(parents) {
  const found = [];
  for (const parent of parents) found.push(parent === null ? 0 : found[parent] + 1);
  return found;
}
