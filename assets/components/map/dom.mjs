/** Elements, canvases and the theme. Text only ever goes in as text. */
import { css } from "./palette.mjs";

/** An element with attributes, properties that begin with "." and children (nodes or text). */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith(".")) node[name.slice(1)] = value;
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children);
  return node;
}

/** Gives a canvas its size in CSS pixels, sharp on this screen; true where that cleared it. */
export function sized(canvas, width, height, dpr) {
  const across = Math.max(1, Math.round(width * dpr)), down = Math.max(1, Math.round(height * dpr));
  if (canvas.width === across && canvas.height === down) return false;
  canvas.width = across;
  canvas.height = down;
  canvas.style.width = across / dpr + "px";
  canvas.style.height = down / dpr + "px";
  return true;
}

/** A context that draws in CSS pixels. */
export function pen(canvas, dpr) {
  const context = canvas.getContext("2d");
  context.setTransform(dpr, 0, 0, dpr, 0, 0);
  return context;
}

/** Counts a finished picture, for whoever waits for pixels. */
export function painted(canvas, host) {
  canvas.dataset.rev = String((Number(canvas.dataset.rev) || 0) + 1);
  host.dataset.rev = canvas.dataset.rev;
}

const THEMES = {
  light: { query: [200, 64, 8], key: [0, 122, 108], text: [38, 39, 48], paper: [255, 255, 255] },
  dark: { query: [255, 158, 92], key: [72, 214, 190], text: [240, 240, 245], paper: [14, 17, 23] },
};

/** Everything of the page's look that the pictures depend on, as one text to compare. */
export function themeText(root) {
  const style = getComputedStyle(root);
  return [style.getPropertyValue("--st-background-color"), style.getPropertyValue("--st-text-color"), style.fontFamily].join();
}

/** The page's own colours, and from its background whether it is dark. */
export function readTheme(root) {
  const style = getComputedStyle(root), probe = document.createElement("canvas").getContext("2d");
  const variable = (name, fallback) => {
    probe.fillStyle = css(fallback);
    probe.fillStyle = style.getPropertyValue(name).trim() || css(fallback);
    return rgb(probe.fillStyle) ?? fallback;
  };
  const paper = variable("--st-background-color", behind(root) ?? THEMES.light.paper);
  const dark = paper[0] * 0.3 + paper[1] * 0.59 + paper[2] * 0.11 < 128, marks = dark ? THEMES.dark : THEMES.light;
  return { dark, paper, text: variable("--st-text-color", marks.text), query: marks.query, key: marks.key, font: style.fontFamily };
}

const rgb = (text) => (/^#[0-9a-f]{6}$/i.test(text) ? [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16)) : null);

/** The first opaque background behind an element. */
function behind(root) {
  for (let node = root; node; node = node.parentElement ?? node.getRootNode().host) {
    const numbers = getComputedStyle(node).backgroundColor.match(/[\d.]+/g)?.map(Number);
    if (numbers && (numbers[3] ?? 1) > 0.5) return numbers.slice(0, 3);
  }
  return null;
}
