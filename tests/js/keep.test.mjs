import assert from "node:assert/strict";
import test from "node:test";

import keep, { drawnIn, picturing } from "../../assets/components/chart/keep.mjs";

const chart = (names, click = () => {}) => ({
  _fullLayout: { _modeBar: { buttons: [names.map((name) => ({ name, click }))] } },
});

test("a chart is found by the class of its container, once it is drawn", () => {
  const asked = [], root = (found) => ({ querySelector: (selector) => (asked.push(selector), found) });
  const drawn = chart(["toImage"]);
  assert.equal(drawnIn(root(drawn), "chart-cost-growth"), drawn);
  assert.equal(drawnIn(root({}), "chart-cost-growth"), null);
  assert.equal(drawnIn(root(null), "chart-cost-growth"), null);
  assert.equal(asked[0], ".st-key-chart-cost-growth .js-plotly-plot");
});

test("the chart's own button for a picture is pressed, and no other", () => {
  const pressed = [], drawn = chart(["zoom2d", "toImage"], (which) => pressed.push(which));
  picturing(drawn)();
  assert.deepEqual(pressed, [drawn]);
  assert.equal(picturing(chart(["zoom2d"])), null);
  assert.equal(picturing({ _fullLayout: {} }), null);
});

test("a label is text and never markup, and one button stays one", () => {
  const made = [];
  globalThis.document = { createElement: (name) => (made.push(name), { name }) };
  const parent = { own: null, querySelector: () => parent.own, appendChild: (button) => (parent.own = button) };
  for (const label of ["<b>Save</b>", "Save"]) keep({ data: { label, chart: "chart-a" }, parentElement: parent });
  assert.deepEqual(made, ["button"]);
  assert.equal(parent.own.textContent, "Save");
  delete globalThis.document;
});
