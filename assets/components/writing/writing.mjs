/** A translation that is written token by token, and what each step looked at. */
import { build, drawLines, fill, heads } from "./pieces.mjs";

const PACE = 90, WAIT = 300, APPS = new WeakMap();

/** Everything but the step: while this stays, so does what is drawn. */
const told = (data) => JSON.stringify({ ...data, step: null, turn: null });

function show(s, step) {
  s.shown = step;
  fill(s, step);
  drawLines(s, step);
}

function go(s, step, report = true) {
  s.step = Math.max(0, Math.min(step, s.data.steps.length - 1));
  s.slider.value = String(s.step);
  show(s, s.step);
  if (!report) return;
  clearTimeout(s.timer);
  s.timer = setTimeout(() => s.tell(s.step), WAIT);
}

function stop(s) {
  clearInterval(s.playing);
  s.playing = null;
  s.root.classList.remove("playing");
  s.play.textContent = s.data.words.play;
}

/** Writes from the beginning; `rest` is where it stops, and what is reported only if a person asked for it. */
function play(s, rest, report) {
  stop(s);
  s.root.classList.add("playing");
  s.play.textContent = s.data.words.stop;
  go(s, 0, false);
  s.playing = setInterval(() => {
    if (s.step < s.data.steps.length - 1) return go(s, s.step + 1, false);
    stop(s);
    go(s, rest, report);
  }, s.pace);
}

function listen(s) {
  s.play.addEventListener("click", () => (s.playing ? (stop(s), go(s, s.step)) : play(s, s.data.steps.length - 1, true)));
  s.slider.addEventListener("input", () => (stop(s), go(s, Number(s.slider.value))));
  s.chips.forEach((chip, at) => {
    chip.addEventListener("click", () => (stop(s), go(s, at)));
    chip.addEventListener("pointerenter", () => s.playing || show(s, at));
    chip.addEventListener("pointerleave", () => s.playing || show(s, s.step));
    chip.addEventListener("focus", () => s.playing || show(s, at));
    chip.addEventListener("blur", () => s.playing || show(s, s.step));
  });
  for (const kind of ["cross", "self"]) s.pick[kind].addEventListener("change", () => {
    s.head[kind] = heads(s.data[kind])[s.pick[kind].selectedIndex];
    show(s, s.shown);
  });
}

function renew(s, data, asked) {
  stopped(s);
  s.data = data;
  s.text = told(data);
  s.head = { cross: heads(data.cross)[0], self: heads(data.self)[0] };
  build(s);
  listen(s);
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (still || asked) go(s, data.step ?? data.rest, false);
  else play(s, data.rest, false);
}

const stopped = (s) => {
  clearInterval(s.playing);
  clearTimeout(s.timer);
  s.playing = null;
};

function create(parent) {
  const root = document.createElement("div");
  root.className = "writing";
  root.dataset.testid = "writing";
  parent.append(root);
  const s = { root, pace: PACE, tell() {} };
  s.resized = new ResizeObserver(() => s.data && drawLines(s, s.shown));
  s.resized.observe(root);
  document.fonts?.ready.then(() => s.data && drawLines(s, s.shown));
  return s;
}

export default function writing({ data, parentElement, setStateValue }) {
  if (!APPS.has(parentElement)) APPS.set(parentElement, create(parentElement));
  const s = APPS.get(parentElement);
  s.tell = (step) => setStateValue("step", { serial: s.data.serial, step });
  if (s.text !== told(data)) renew(s, data, data.step !== null);
  else if (s.turn !== data.turn && data.step !== null) stop(s), go(s, data.step, false);
  s.turn = data.turn;
  return () => {
    stopped(s);
    s.resized.disconnect();
    s.root.remove();
    APPS.delete(parentElement);
  };
}
