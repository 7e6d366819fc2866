/** A text while it is written: its tokens as they come, what else could have stood there, and the newest row of every head. */
import { candidate, chip, facts, make, put, ranked } from "./chosen.mjs";
import { strips } from "./rows.mjs";

const LIVE = Symbol.for("heads-up.live"), TEXTS = new WeakMap();

const known = () => (globalThis[LIVE] ??= new Map());

function add(s, one) {
  const node = chip(one, s.count, s.data.words);
  node.disabled = true;
  s.count += 1;
  s.tokens.append(node);
}

/** Takes what a step brings; steps that passed by too quickly to be shown come along with it. */
function take(s, news) {
  news.tokens.forEach((one, at) => news.first + at >= s.count && add(s, one));
  s.tokens.querySelector(".now")?.classList.remove("now");
  s.tokens.lastChild?.classList.add("now");
  s.best.replaceChildren(...ranked(news.step).map(candidate));
  s.facts.replaceChildren(...facts(news.step, s.data.pieces, s.data.words));
  s.next.hidden = false;
  s.row.hidden = !news.row;
  if (news.row) strips(s.row, news.row, s.data.words, s.data.palette);
}

function begin(s, data) {
  const { words } = data, left = make("div", "left"), prompt = make("div", "prompt"), table = make("table", "best");
  Object.assign(s, { data, count: 0, tokens: make("div", "tokens"), next: make("div", "next"), row: make("div", "row") });
  Object.assign(s, { best: make("tbody"), facts: make("div", "facts") });
  prompt.append(...data.prompt.map((label) => make("span", "given", label)));
  left.append(make("p", "title", words.before), prompt, make("p", "title", words.coming), s.tokens);
  table.append(make("caption", "", put(words.next, { pieces: data.pieces.toLocaleString("en") })), s.best);
  s.next.append(table, s.facts);
  s.next.hidden = s.row.hidden = true;
  s.root.replaceChildren(left, s.next, s.row);
  data.made.forEach((one) => add(s, one));
}

function create(parent) {
  const root = document.createElement("div");
  root.className = "written live";
  root.dataset.testid = "live";
  parent.append(root);
  return { root };
}

export default function live({ data, parentElement }) {
  if (!TEXTS.has(parentElement)) TEXTS.set(parentElement, create(parentElement));
  const s = TEXTS.get(parentElement), places = known();
  if (s.data?.serial !== data.serial) {
    begin(s, data);
    const place = places.get(data.serial) ?? {};
    places.set(data.serial, place);
    place.show = (news) => take(s, news);
    if (place.news) take(s, place.news);
  }
  return () => {
    places.delete(s.data.serial);
    s.root.remove();
    TEXTS.delete(parentElement);
  };
}
