/** The parts of the picture of a translation: its two rows of tokens, the lines between them, and what might come next. */

/** An element with a class, a text and attributes; a text is never read as markup. */
export function make(name, kind = "", text = null, attributes = {}) {
  const node = document.createElement(name);
  if (kind) node.className = kind;
  if (text !== null) node.textContent = text;
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}

/** What can be chosen of a side: the mean of every layer's heads, and every head: the last layer first. */
export function heads(layers) {
  const found = [];
  for (let layer = layers.length - 1; layer >= 0; layer--) {
    found.push({ layer, head: null });
    for (let head = 0; head < layers[layer].length; head++) found.push({ layer, head });
  }
  return found;
}

/** One row of a side: of one head, or the mean of a layer's. */
export function row(layers, { layer, head }, at) {
  const rows = layers[layer].map((map) => map[at]);
  if (head !== null) return rows[head];
  return rows[0].map((_, column) => rows.reduce((sum, one) => sum + one[column], 0) / rows.length);
}

/** A share with two digits; what is smaller but not nothing says so. */
export const share = (value) => (value >= 0.005 ? value.toFixed(2) : value > 0 ? "<.01" : "0");

/** A message with its values put in. */
export const put = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));

const named = (words, { layer, head }) => put(head === null ? words.mean : words.head, { layer, head });

function token(label, kind, tag = "span") {
  const node = make(tag, `token ${kind}`);
  node.append(make("span", "text", label), make("span", "share"));
  return node;
}

function picker(s, kind) {
  const box = make("label", `pick ${kind}`), list = make("select");
  for (const one of heads(s.data[kind])) list.append(make("option", "", named(s.data.words, one)));
  box.append(make("span", "hint", s.data.words[kind]), list);
  s.pick[kind] = list;
  return box;
}

function controls(s) {
  const { words, steps } = s.data, bar = make("div", "bar");
  s.play = make("button", "play", words.play, { type: "button" });
  s.slider = make("input", "slider", null, { type: "range", min: 0, max: steps.length - 1, step: 1, "aria-label": words.step });
  s.says = make("span", "says", "");
  bar.append(s.play, s.slider, s.says);
  return bar;
}

function rows(s) {
  const field = make("div", "field"), reads = make("div", "tokens reads"), writes = make("div", "tokens writes");
  s.lines = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  s.lines.setAttribute("class", "lines");
  s.lines.setAttribute("aria-hidden", "true");
  s.source = s.data.source.map(({ label, kind }) => token(label, kind));
  s.begun = s.data.begun.map((label) => token(label, "special"));
  s.chips = s.data.steps.map(({ label, special }) => token(label, special ? "special" : "word", "button"));
  s.chips.forEach((chip) => chip.setAttribute("type", "button"));
  reads.append(...s.source);
  writes.append(...s.begun, ...s.chips);
  const above = make("div", "label"), below = make("div", "label");
  above.append(make("span", "title", s.data.words.source), picker(s, "cross"));
  below.append(make("span", "title", s.data.words.target), picker(s, "self"));
  field.append(s.lines, above, reads, below, writes);
  s.field = field;
  return field;
}

function nextTokens(s) {
  const panel = make("div", "next"), table = make("table", "best");
  s.question = make("p", "title", "");
  s.best = s.data.steps[0].best.map(() => {
    const line = make("tr"), bar = make("td", "bar-cell"), rod = make("span", "rod");
    bar.append(rod);
    const parts = { line, label: make("th", "", "", { scope: "row" }), rod, chance: make("td", "chance", "") };
    line.append(parts.label, bar, parts.chance);
    table.append(line);
    return parts;
  });
  s.entropy = make("p", "hint entropy", "");
  panel.append(s.question, table, s.entropy);
  return panel;
}

/** Everything anew, for a new translation. */
export function build(s) {
  s.pick = {};
  const left = make("div", "left");
  s.line = make("p", "line", "", { "data-testid": "line", lang: "fr", "aria-hidden": "true" });
  s.whole = make("p", "unseen", s.data.text, { "data-testid": "whole", "aria-live": "polite", lang: "fr" });
  left.append(s.line, s.whole, controls(s), rows(s));
  s.root.replaceChildren(left, nextTokens(s));
}

function shade(node, value, show) {
  node.style.setProperty("--share", show ? value.toFixed(4) : "0");
  node.lastChild.textContent = show && value >= 0.005 ? share(value) : "";
}

/** Puts one step into what is drawn. */
export function fill(s, step) {
  const { data } = s, now = data.steps[step], { words } = data;
  const cross = row(data.cross, s.head.cross, now.row), back = row(data.self, s.head.self, now.row);
  s.root.dataset.step = String(step);
  s.source.forEach((node, at) => shade(node, cross[at], true));
  [...s.begun, ...s.chips].forEach((node, at) => {
    const before = at <= now.row, here = at === s.begun.length + step;
    shade(node, back[at] ?? 0, before);
    node.classList.toggle("now", here);
    node.classList.toggle("later", !before && !here);
  });
  s.chips.forEach((chip, at) => chip.setAttribute("aria-pressed", String(at === step)));
  s.line.replaceChildren(...said(data, step));
  s.says.textContent = put(words.says, { step: step + 1, steps: data.steps.length });
  s.question.textContent = put(words.next, { pieces: data.pieces });
  s.best.forEach((parts, at) => {
    const { label, probability, written } = now.best[at];
    parts.label.textContent = label;
    parts.line.classList.toggle("written", written);
    parts.rod.style.width = `${(probability * 100).toFixed(2)}%`;
    parts.chance.textContent = probability >= 0.001 ? probability.toFixed(3) : "<0.001";
  });
  s.entropy.textContent = put(words.entropy, { bits: now.entropy.toFixed(2), most: Math.log2(data.pieces).toFixed(2) });
}

/** The translation as far as it is written, with what this step added marked, and what is to come kept free. */
function said(data, step) {
  const before = step ? data.steps[step - 1].text : "", now = data.steps[step].text;
  const old = make("span", "", now.startsWith(before) ? before : ""), added = make("span", "added", now.slice(old.textContent.length));
  return [old, added, make("span", "rest", data.text.startsWith(now) ? data.text.slice(now.length) : "")];
}

/** Lines from the token that this step writes to those that it looked at. */
export function drawLines(s, step) {
  const box = s.field.getBoundingClientRect(), now = s.data.steps[step], cross = row(s.data.cross, s.head.cross, now.row);
  s.lines.setAttribute("width", String(box.width));
  s.lines.setAttribute("height", String(box.height));
  const to = s.chips[step].getBoundingClientRect(), x = to.left + to.width / 2 - box.left, y = to.top - box.top;
  s.lines.replaceChildren(...cross.flatMap((value, at) => (value < 0.02 ? [] : [line(s.source[at].getBoundingClientRect(), box, x, y, value)])));
}

function line(from, box, x, y, value) {
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  const begin = from.left + from.width / 2 - box.left, top = from.bottom - box.top, middle = (top + y) / 2;
  path.setAttribute("d", `M${x} ${y} C${x} ${middle} ${begin} ${middle} ${begin} ${top}`);
  path.setAttribute("stroke-width", (1 + 5 * value).toFixed(2));
  path.setAttribute("opacity", (0.15 + 0.75 * value).toFixed(3));
  return path;
}
