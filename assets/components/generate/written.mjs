/** A text that was written token by token: go back and forth, and put another token in its place. */
import { build, fill, fillRow } from "./chosen.mjs";

const WAIT = 250, APPS = new WeakMap(), MOVES = { ArrowLeft: -1, ArrowRight: 1 };

const told = (data) => JSON.stringify({ ...data, step: null, row: null });

function go(s, step, report = true) {
  s.step = Math.max(0, Math.min(step, s.data.steps.length - 1));
  fill(s);
  fillRow(s);
  clearTimeout(s.timer);
  if (report) s.timer = setTimeout(() => s.tell({ serial: s.data.serial, step: s.step }), WAIT);
}

function listen(s) {
  s.slider.addEventListener("input", () => go(s, Number(s.slider.value)));
  s.back.addEventListener("click", () => go(s, s.step - 1));
  s.on.addEventListener("click", () => go(s, s.step + 1));
  s.chips.forEach((node, at) => {
    node.addEventListener("click", () => go(s, at));
    node.addEventListener("keydown", (event) => {
      if (!(event.key in MOVES)) return;
      event.preventDefault();
      go(s, s.step + MOVES[event.key]);
      s.chips[s.step].focus();
    });
  });
}

function renew(s, data) {
  s.data = data;
  s.text = told(data);
  s.step = data.step;
  build(s);
  listen(s);
  go(s, data.step, false);
}

function create(parent) {
  const root = document.createElement("div");
  root.className = "written";
  root.dataset.testid = "written";
  parent.append(root);
  return { root };
}

export default function written({ data, parentElement, setStateValue }) {
  if (!APPS.has(parentElement)) APPS.set(parentElement, create(parentElement));
  const s = APPS.get(parentElement);
  s.tell = (step) => setStateValue("step", step);
  s.force = (force) => setStateValue("force", force);
  if (s.text !== told(data)) renew(s, data);
  else if (s.asked !== data.step && s.step !== data.step) go(s, data.step, false);
  s.data = data;
  fillRow(s);
  s.asked = data.step;
  return () => {
    clearTimeout(s.timer);
    s.root.remove();
    APPS.delete(parentElement);
  };
}
