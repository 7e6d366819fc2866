/** A picture that is drawn at once when its numbers come: pointed at or walked along by arrow keys, it says each number. */
import { blocks } from "./blocks.mjs";
import { cells } from "./cells.mjs";
import { columns } from "./columns.mjs";
import { foot, make, saved, standing } from "./keeping.mjs";
import { layers } from "./layers.mjs";
import { draw } from "./parts.mjs";
import { rods } from "./rods.mjs";
import { tree } from "./tree.mjs";

const MOVES = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], Home: [0, -Infinity], End: [0, Infinity] };

const KINDS = { blocks, cells, columns, layers, rods, tree };

/** Whether letters are light, so that the page is dark. */
const atNight = (root) => getComputedStyle(root).color.match(/[\d.]+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0) > 384;

/** Draws what there is at the width that there is; what is wider scrolls. */
function redraw(s) {
  if (!s.width || !s.packed) return;
  const { header } = s.packed;
  s.dark = atNight(s.root);
  s.picture = KINDS[header.kind](s.packed, s.width, s.dark);
  const wide = Math.max(s.width, s.picture.width ?? 0);
  s.svg.parentNode.classList.toggle("wide", wide > s.width);
  paint(s.canvas, s.picture.plate);
  s.svg.setAttribute("viewBox", `0 0 ${wide} ${s.picture.height}`);
  s.svg.setAttribute("height", s.picture.height);
  s.svg.style.width = wide > s.width ? `${wide}px` : "";
  s.svg.setAttribute("aria-label", [header.title, header.y, header.x, header.words.walk].filter(Boolean).join(". "));
  s.svg.replaceChildren(...s.picture.nodes);
  s.title.textContent = header.title;
  s.foot.show(s.packed);
  s.save.textContent = header.words.save;
  const several = header.names?.length > 1 || header.looks ? header.names : [];
  s.legend.replaceChildren(...several.map((name, at) => make("span", `of ${header.looks?.[at] ?? `series-${at}`}`, name)));
  point(s, null);
}

/** Puts the cells' pixels where they go, none where there are no cells. */
function paint(canvas, plate) {
  canvas.hidden = !plate;
  if (!plate) return;
  canvas.width = plate.across;
  canvas.height = plate.down;
  canvas.getContext("2d").putImageData(new ImageData(plate.pixels, plate.across), 0, 0);
  canvas.style.imageRendering = plate.down > plate.height ? "auto" : "pixelated";
  for (const name of ["left", "top", "width", "height"]) canvas.style[name] = `${plate[name]}px`;
  canvas.dataset.rev = String((Number(canvas.dataset.rev) || 0) + 1);
}

/** Says one of the numbers, or none. */
function point(s, at) {
  s.svg.querySelector(".mark, .here")?.remove();
  s.now = at === null ? null : Math.max(0, Math.min(at, s.picture.count - 1));
  s.said.hidden = s.now === null;
  if (s.now === null) return;
  s.svg.append(s.picture.mark(s.now));
  s.said.textContent = s.picture.told(s.now).join(" · ");
}

function listen(s) {
  s.svg.addEventListener("pointermove", (event) => {
    const at = s.picture.at(event.offsetX, event.offsetY);
    if (at !== s.now) point(s, at < 0 || at >= s.picture.count ? null : at);
  });
  s.svg.addEventListener("pointerleave", () => point(s, null));
  s.svg.addEventListener("blur", () => point(s, null));
  s.svg.addEventListener("keydown", (event) => {
    if (!(event.key in MOVES)) return;
    event.preventDefault();
    const [down, across] = MOVES[event.key];
    point(s, (s.now ?? -1) + down * (s.picture.wide ?? 0) + across);
  });
  s.save.addEventListener("click", () => saved(standing(s), "image/svg+xml", `${s.packed.header.file}.svg`));
}

/** A picture inside an element: {show(packed), end()}. */
export function picture(parent) {
  const s = { packed: null, width: 0, now: null, foot: foot() };
  Object.assign(s, { svg: draw("svg", { role: "img", tabindex: 0 }), title: make("figcaption", "title"), legend: make("div", "legend") });
  Object.assign(s, { said: make("output", "said"), save: make("button", "save"), canvas: make("canvas", "plate") });
  s.foot.node.insertBefore(s.save, s.foot.node.lastChild);
  s.root = make("figure", "sketch", s.title, s.legend, make("div", "picture", s.canvas, s.svg), s.said, s.foot.node);
  parent.append(s.root);
  listen(s);
  s.width = s.root.clientWidth;
  const resized = new ResizeObserver(([entry]) => {
    const width = Math.round(entry.contentRect.width);
    if (width === s.width) return;
    s.width = width;
    redraw(s);
  });
  resized.observe(s.root);
  const dimmed = () => s.picture && s.dark !== atNight(s.root) && redraw(s);
  return { show: (packed) => redraw(Object.assign(s, { packed })), dimmed, end: () => (resized.disconnect(), s.root.remove()) };
}
