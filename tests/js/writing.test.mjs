import assert from "node:assert/strict";
import { test } from "node:test";
import { heads, put, row, share } from "../../assets/components/writing/pieces.mjs";

const layers = [
  [[[1, 0]], [[0, 1]]],
  [[[0.25, 0.75]], [[0.75, 0.25]]],
];

test("the last layer comes first, and the mean of its heads before each of them", () => {
  assert.deepEqual(heads(layers).map(({ layer, head }) => `${layer} ${head}`), ["1 null", "1 0", "1 1", "0 null", "0 0", "0 1"]);
});

test("a row is one head's own, or the mean of a layer's", () => {
  assert.deepEqual(row(layers, { layer: 1, head: 0 }, 0), [0.25, 0.75]);
  assert.deepEqual(row(layers, { layer: 0, head: null }, 0), [0.5, 0.5]);
});

test("a small share is not nothing", () => {
  assert.deepEqual([0, 0.001, 0.005, 0.1249].map(share), ["0", "<.01", "0.01", "0.12"]);
});

test("values are put in once, and what is put in is left as it is", () => {
  assert.equal(put("step {step} of {steps}", { step: "{steps}", steps: 3 }), "step {steps} of 3");
  assert.equal(put("{unknown}", {}), "{unknown}");
});
