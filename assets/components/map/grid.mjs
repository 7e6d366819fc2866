/** The grid: a small picture of every head, layers down, heads across, means at the end. */
import { cellColours } from "./big.mjs";
import { cropped, expand } from "./raster.mjs";
import { css, headColour, tones } from "./palette.mjs";
import { el, painted, pen, sized } from "./dom.mjs";
import { everyHead, headName, maskFor } from "./looks.mjs";
import { headMap, meanMap } from "./frame.mjs";
import { gridLayout, sortedLayout } from "./layout.mjs";
import { say, shareText } from "./words.mjs";

const SHOWN = 72;

/** Tiles in their places, sorted by the chosen cell where that is asked for and known. */
export function layGrid(s) {
  const { layers, heads } = s.frame.header;
  const order = s.sort ? senders(s) : null;
  s.grid.ranked = order;
  s.grid.laid = order ? sortedLayout(order.slice(0, s.grid.all ? order.length : SHOWN), s.gridWidth) : gridLayout(layers, heads, s.gridWidth, 780);
  placeTiles(s);
}

/** Every head as [layer, head, share], best first, for the chosen query and key; null until it is known. */
export function senders(s) {
  const { query, key } = s.units;
  if (query === null || key === null) return null;
  const every = everyHead(s, query, key), { heads } = s.frame.header;
  if (!every) return null;
  s.grid.exactly = every.exactly;
  return Array.from(every.shares, (share, index) => [Math.floor(index / heads), index % heads, share])
    .sort((one, other) => other[2] - one[2] || one[0] - other[0] || one[1] - other[1]);
}

export const tileId = (layer, heads) => `tile-${layer ?? "mean"}-${heads.length ? heads[0] : "mean"}`;

/** One element a tile, so that it has a name for a screen reader and a place to click. */
function placeTiles(s) {
  const { laid, host, tiles } = s.grid, lines = new Map();
  s.grid.nodes = laid.tiles.map((tile, index) => {
    const line = laid.count ? Math.floor(index / laid.count) : tile.layer ?? "all", node = tileNode(s, laid, tile);
    if (!lines.has(line)) lines.set(line, el("div", { role: "row" }));
    lines.get(line).append(node);
    return node;
  });
  tiles.replaceChildren(...lines.values());
  host.style.width = laid.width + "px";
  host.style.height = laid.height + "px";
}

function tileNode(s, laid, { layer, heads, x, y }) {
  const node = el("div", {
    role: "gridcell", id: tileId(layer, heads), class: "tile", "aria-label": headName(s, layer, heads),
    "data-layer": layer ?? "mean", "data-head": heads.length ? heads[0] : "mean",
  });
  Object.assign(node.style, { left: x + "px", top: y + "px", width: laid.tile + "px", height: laid.tile + (laid.label ?? 0) + "px" });
  return node;
}

/** Draws every tile. */
export function paintGrid(s) {
  const { base, marks, laid, host } = s.grid, dpr = s.dpr;
  sized(base, laid.width, laid.height, dpr);
  sized(marks, laid.width, laid.height, dpr);
  const context = pen(base, dpr), image = context.createImageData(base.width, base.height);
  const pixels = new Uint32Array(image.data.buffer), side = Math.round(laid.tile * dpr);
  for (const tile of laid.tiles) {
    const box = { left: Math.round(tile.x * dpr), top: Math.round(tile.y * dpr), width: side, height: side };
    paintTile(s, pixels, base.width, box, tile);
  }
  context.putImageData(image, 0, 0);
  painted(base, host);
}

function paintTile(s, pixels, stride, box, { layer, heads }) {
  const map = heads.length ? headMap(s.frame, layer, heads[0]) : meanMap(s.frame, layer);
  const part = cropped(map, maskFor(s, layer, map), { rows: [0, map.rows], columns: [0, map.columns] }, [box.height, box.width]);
  expand(pixels, stride, box, part, cellColours(s, [{ map }], [part]), { ...tones(s.theme.dark), period: 0, gap: 0 });
}

/** Draws numbers, the chosen tiles' outlines and the pointed-at one. */
export function markGrid(s) {
  const { marks, laid, host } = s.grid, context = pen(marks, s.dpr);
  context.clearRect(0, 0, laid.width + 2, laid.height + 2);
  if (laid.count) sortedNumbers(context, s, laid);
  else numbers(context, s, laid);
  const { layer, heads } = s.choice, chosen = (tile) => tile.layer === layer && (heads.length ? heads.includes(tile.heads[0]) : !tile.heads.length);
  laid.tiles.forEach((tile, index) => {
    const isChosen = chosen(tile), name = tileId(tile.layer, tile.heads);
    if (isChosen) outline(context, tile, laid.tile, ringColour(s, tile), 2.25, s.theme);
    else if (name === s.grid.over || name === tileId(...s.grid.active)) outline(context, tile, laid.tile, s.theme.text, 1, s.theme);
    s.grid.nodes[index].setAttribute("aria-selected", isChosen);
  });
  host.setAttribute("aria-activedescendant", tileId(...s.grid.active));
}

const ringColour = ({ choice, theme }, tile) => (choice.heads.length > 1 ? headColour(choice.heads.indexOf(tile.heads[0]), theme.dark) : theme.query);

function outline(context, tile, size, colour, width, theme) {
  context.strokeStyle = css(theme.paper);
  context.lineWidth = width + 1;
  context.strokeRect(tile.x - width / 2, tile.y - width / 2, size + width, size + width);
  context.strokeStyle = css(colour);
  context.lineWidth = width;
  context.strokeRect(tile.x - width / 2, tile.y - width / 2, size + width, size + width);
}

function numbers(context, s, laid) {
  const { layers, heads } = s.frame.header, { theme } = s, over = laid.tiles.find((tile) => tileId(tile.layer, tile.heads) === s.grid.over);
  const write = (text, x, y, align, strong) => {
    context.font = `${strong ? 650 : 400} 11.5px ${theme.font}`;
    context.fillStyle = css(theme.text, strong ? 1 : 0.58);
    context.textAlign = align;
    context.textBaseline = "middle";
    context.fillText(text, x, y);
  };
  for (let layer = 0; layer < layers; layer++) write(String(layer), laid.left - 7, laid.row(layer) + laid.tile / 2, "right", layer === s.choice.layer || layer === over?.layer);
  for (let head = 0; head < heads; head++) write(String(head), laid.column(head) + laid.tile / 2, 9, "center", s.choice.heads.includes(head) || over?.heads[0] === head);
  write(say(s.words, "mean"), laid.width - 2, 9, "right", s.choice.layer !== null && !s.choice.heads.length);
  write(say(s.words, "mean_of_all"), laid.column(heads) - 8, laid.row(layers) + laid.tile / 2, "right", s.choice.layer === null);
}

function sortedNumbers(context, s, laid) {
  laid.tiles.forEach((tile, index) => {
    const share = s.grid.ranked[index][2];
    context.textBaseline = "middle";
    context.textAlign = "left";
    context.font = `600 11px ${s.theme.font}`;
    context.fillStyle = css(s.theme.text, 0.9);
    const y = tile.y + laid.tile + 11, name = `${tile.layer}·${tile.heads[0]}`;
    context.fillText(name, tile.x, y);
    context.font = `400 11px ${s.theme.font}`;
    context.fillStyle = css(s.theme.text, 0.66);
    context.textAlign = "right";
    context.fillText(shareText(share, s.grid.exactly === "exact" ? "exact" : "about").replace(/0\./, "."), tile.x + laid.tile, y);
  });
}
