/** A picture that is drawn at once when its numbers come: pointed at or walked along by arrow keys, it says each of them. */
import { cells } from "./cells.mjs";
import { columns } from "./columns.mjs";
import { saved, standing } from "./keeping.mjs";
import { alike, csv, unpacked } from "./packed.mjs";
import { draw } from "./parts.mjs";

const SKETCHES = new WeakMap(), MOVES = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], Home: [0, -Infinity], End: [0, Infinity] };

function make(tag, name, ...children) {
  const node = document.createElement(tag);
  node.className = name;
  node.append(...children);
  return node;
}

/** Draws what there is at the width that there is. */
function redraw(s) {
  if (!s.width || !s.packed) return;
  const { header } = s.packed;
  s.picture = (header.cells ? cells : columns)(s.packed, s.width);
  paint(s.canvas, s.picture.plate);
  s.svg.setAttribute("viewBox", `0 0 ${s.width} ${s.picture.height}`);
  s.svg.setAttribute("height", s.picture.height);
  s.svg.setAttribute("aria-label", `${header.title}: ${header.y}, ${header.x}. ${header.words.walk}`);
  s.svg.replaceChildren(...s.picture.nodes);
  s.title.textContent = header.title;
  s.note.textContent = header.note;
  s.save.textContent = header.words.save;
  s.take.textContent = header.words.csv;
  s.legend.replaceChildren(...(header.names ?? []).map((name, at) => make("span", `of series-${at}`, name)));
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
  s.take.addEventListener("click", () => saved(csv(s.packed.sheet()), "text/csv", `${s.packed.header.file}.csv`));
}

function create(parent) {
  const s = { bytes: null, packed: null, width: 0, now: null };
  Object.assign(s, { svg: draw("svg", { role: "img", tabindex: 0 }), title: make("figcaption", "title"), legend: make("div", "legend") });
  Object.assign(s, { said: make("output", "said"), note: make("span", "note"), save: make("button", "save"), take: make("button", "take") });
  s.canvas = make("canvas", "plate");
  s.root = make("figure", "sketch", s.title, s.legend, make("div", "picture", s.canvas, s.svg), s.said, make("div", "under", s.note, s.save, s.take));
  parent.append(s.root);
  listen(s);
  s.width = s.root.clientWidth;
  s.resized = new ResizeObserver(([entry]) => {
    const width = Math.round(entry.contentRect.width);
    if (width === s.width) return;
    s.width = width;
    redraw(s);
  });
  s.resized.observe(s.root);
  return s;
}

/** Mounts a picture, or gives one that is there other numbers; the same again leaves it alone. Only the newest call may
 *  take it away: one that was overtaken is ended while the picture stays. */
export function mount({ data, parentElement }) {
  if (!SKETCHES.has(parentElement)) SKETCHES.set(parentElement, create(parentElement));
  const s = SKETCHES.get(parentElement);
  if (!alike(s.bytes, data)) {
    s.bytes = data.slice();
    s.packed = unpacked(s.bytes);
    redraw(s);
  }
  const call = (s.newest = {});
  return () => {
    if (s.newest !== call) return;
    s.resized.disconnect();
    s.root.remove();
    SKETCHES.delete(parentElement);
  };
}
