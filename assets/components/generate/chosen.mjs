/** One step of a text that was written: the token, and those that could have stood there. */
import { strips } from "./rows.mjs";

const LEAST = 0.00005, SURE = 0.62;

export const make = (tag, name, text) => {
  const node = document.createElement(tag);
  if (name) node.className = name;
  if (text !== undefined) node.textContent = text;
  return node;
};

export const put = (message, values) => message.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);

const percent = (value) => (value && value < LEAST ? "<0.01 %" : `${(100 * value).toFixed(value < 0.1 ? 2 : 1)} %`);

/** A token as a button, shaded by how likely it was. */
export function chip(step, at, words) {
  const node = make("button", "token"), text = make("span", "text", step.label);
  node.type = "button";
  node.style.setProperty("--share", (SURE * step.probability).toFixed(3));
  node.classList.toggle("forced", step.forced);
  node.setAttribute("aria-label", put(words.chip, { step: at, token: step.label, probability: percent(step.probability) }));
  node.append(text, make("span", "share", percent(step.probability)));
  return node;
}

/** The row of one candidate: its name, its rod, its probability. */
export function candidate(one) {
  const row = make("tr", one.written ? "picked" : ""), name = make("th", "", one.label);
  const cell = make("td", "bar-cell"), rod = make("span", "rod");
  name.scope = "row";
  name.title = `${one.label}  ${one.ident}`;
  rod.style.width = `${Math.max(0.5, 100 * one.probability)}%`;
  cell.append(rod);
  row.append(name, cell, make("td", "chance", percent(one.probability)));
  return row;
}

/** What stood to choose from at a step, the likeliest first. */
export const ranked = (step) => [{ ...step, written: true }, ...step.others].sort((a, b) => b.probability - a.probability);

/** What is said of a step: its rank, how undecided the model was, and how it was chosen. */
export function facts(step, pieces, words) {
  const effect = step.forced ? words.was_forced : step.drawn ? words.drawn : words.likeliest;
  return [
    make("p", "", put(words.rank, { rank: step.rank + 1, pieces: pieces.toLocaleString("en") })),
    make("p", "", put(words.entropy, { bits: step.entropy.toFixed(2), most: Math.log2(pieces).toFixed(2) })),
    make("p", "", put(effect, { chance: percent(step.chance) })),
  ];
}

/** What can be done with a candidate: the button that writes it here. */
function deed(s, one) {
  const cell = make("td", "deed"), words = s.data.words;
  if (one.written) {
    cell.textContent = s.data.steps[s.step].forced ? words.forced : words.written;
    return cell;
  }
  const button = make("button", "force", words.force);
  button.type = "button";
  button.setAttribute("aria-label", put(words.force_label, { token: one.label }));
  button.addEventListener("click", () => s.force({ serial: s.data.serial, step: s.step, ident: one.ident }));
  cell.append(button);
  return cell;
}

/** What stood to choose from at the chosen step. */
export function fill(s) {
  const now = s.data.steps[s.step], words = s.data.words;
  s.chips.forEach((node, at) => {
    node.classList.toggle("now", at === s.step);
    node.classList.toggle("later", at > s.step);
    node.setAttribute("aria-pressed", String(at === s.step));
    node.tabIndex = at === s.step ? 0 : -1;
  });
  s.slider.value = String(s.step);
  s.slider.setAttribute("aria-valuetext", put(words.says, { step: s.step, steps: s.data.steps.length - 1 }));
  s.says.textContent = put(words.says, { step: s.step, steps: s.data.steps.length - 1 });
  s.best.replaceChildren(...ranked(now).map((one) => {
    const row = candidate(one);
    row.append(deed(s, one));
    return row;
  }));
  s.facts.replaceChildren(...facts(now, s.data.pieces, words));
}

/** The row that the chosen step added to every head's map; pale while it is on its way. */
export function fillRow(s) {
  const { row, words } = s.data;
  s.row.hidden = !row;
  if (!row) return;
  s.row.classList.toggle("pale", row.step !== s.step);
  strips(s.row, row, words, s.data.palette);
}

/** Everything that stays while steps go by. */
export function build(s) {
  const words = s.data.words, left = make("div", "left"), bar = make("div", "bar"), right = make("div", "next");
  s.root.replaceChildren(left, right);
  s.chips = s.data.steps.map((step, at) => chip(step, at, words));
  s.slider = make("input", "slider");
  Object.assign(s.slider, { type: "range", min: "0", max: String(s.data.steps.length - 1), step: "1" });
  s.slider.setAttribute("aria-label", words.step);
  s.says = make("span", "says");
  s.back = make("button", "arrow", "‹");
  s.on = make("button", "arrow", "›");
  for (const [node, label] of [[s.back, words.back], [s.on, words.on]]) Object.assign(node, { type: "button", title: label, ariaLabel: label });
  bar.append(s.back, s.slider, s.on, s.says);
  const prompt = make("div", "prompt"), tokens = make("div", "tokens");
  prompt.append(...s.data.prompt.map((label) => make("span", "given", label)));
  tokens.append(...s.chips);
  left.append(make("p", "title", words.before), prompt, make("p", "title", words.after), tokens, bar);
  const table = make("table", "best");
  s.best = make("tbody");
  table.append(make("caption", "", put(words.next, { pieces: s.data.pieces.toLocaleString("en") })), s.best);
  s.facts = make("div", "facts");
  right.append(table, s.facts);
  s.row = make("div", "row");
  s.root.append(s.row);
}
