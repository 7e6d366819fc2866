/** What a picture or a table shows as files: its numbers, and itself with what the page's style makes of it written into it. */
import { csv } from "./packed.mjs";
import { draw } from "./parts.mjs";

const LOOK = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "font-family", "font-size", "font-weight"];

/** An element of a class, with children (elements or text). */
export function make(tag, name, ...children) {
  const node = document.createElement(tag);
  node.className = name;
  node.append(...children);
  return node;
}

/** What stands under a picture or a table: where it comes from, and a button for its numbers. */
export function foot() {
  const note = make("span", "note"), take = make("button", "take"), node = make("div", "under", note, take), now = {};
  take.addEventListener("click", () => saved(csv(now.packed.sheet()), "text/csv", `${now.packed.header.file}.csv`));
  const show = (packed) => {
    now.packed = packed;
    note.textContent = packed.header.note;
    take.textContent = packed.header.words.csv;
  };
  return { node, show };
}

/** Saves a text as a file. */
export function saved(text, kind, name) {
  const link = document.createElement("a");
  link.download = name;
  link.href = URL.createObjectURL(new Blob([text], { type: kind }));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** The SVG of a picture, that looks the same anywhere: on the page's own paper, with its title on top, and its cells in it. */
export function standing({ svg, canvas, picture: { plate }, packed }) {
  const copy = svg.cloneNode(true), [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
  const shown = svg.querySelectorAll("*"), page = getComputedStyle(svg), paper = page.getPropertyValue("--st-background-color").trim() || "none";
  copy.querySelectorAll("*").forEach((node, at) => {
    const look = getComputedStyle(shown[at]);
    for (const name of LOOK) node.style.setProperty(name, look.getPropertyValue(name));
  });
  copy.setAttribute("viewBox", `0 -30 ${width} ${height + 30}`);
  copy.setAttribute("width", width);
  copy.setAttribute("height", height + 30);
  copy.append(draw("text", { x: 0, y: -10, "font-family": "serif", "font-size": 15, "font-weight": "bold", fill: page.color }, packed.header.title));
  if (plate) copy.prepend(draw("image", { x: plate.left, y: plate.top, width: plate.width, height: plate.height, preserveAspectRatio: "none", style: "image-rendering: pixelated", href: canvas.toDataURL() }));
  copy.prepend(draw("rect", { x: 0, y: -30, width, height: height + 30, fill: paper }));
  return new XMLSerializer().serializeToString(copy);
}
