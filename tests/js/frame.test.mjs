import assert from "node:assert/strict";
import test from "node:test";

import { columnOf, decode, extraOf, headMap, largest, meanMap, rowOf, sameBytes, sameTrace, shareAt } from "../../assets/components/map/frame.mjs";
import { packed } from "./frames.mjs";

const CELLS = [0.75, 0.25, 0.5, 0.5, 1, 0, 0.125, 0.875];
const two = (more = {}) => packed({ layers: 1, heads: 2, labels: ["a", "b"], cells: CELLS, ...more });
const near = (came, wanted, slack) => assert.ok(Math.abs(came - wanted) <= slack, `${came} is not ${wanted}`);

test("float cells come back exactly, from any offset", () => {
  const frame = decode(two());
  assert.deepEqual([...headMap(frame, 0, 1).data], [1, 0, 0.125, 0.875]);
  assert.equal(headMap(frame, 0, 1).exactly, "exact");
  assert.equal(shareAt(headMap(frame, 0, 0), 0, 1), 0.25);
});

test("byte cells are within half a step of the share and say so", () => {
  const map = headMap(decode(two({ type: "u1" })), 0, 0);
  assert.equal(map.exactly, "about");
  near(shareAt(map, 1, 0), 0.5, 0.75 / 510);
});

test("rows are queries and columns keys", () => {
  const map = headMap(decode(two()), 0, 1);
  assert.deepEqual([...rowOf(map, 1, 2)], [0.125, 0.875]);
  assert.deepEqual([...columnOf(map, 0, 2)], [1, 0.125]);
  assert.equal(largest(map), 1);
});

test("means are taken over heads, then over layers", () => {
  const frame = decode(packed({ layers: 2, heads: 1, labels: ["a", "b"], cells: CELLS }));
  assert.deepEqual([...meanMap(frame, null).data], [0.875, 0.125, 0.3125, 0.6875]);
  assert.deepEqual([...meanMap(decode(two()), 0).data], [0.875, 0.125, 0.3125, 0.6875]);
});

test("thumbnails say that a share is at most what they show", () => {
  const labels = ["a", "b", "c", "d"], frame = decode(packed({ layers: 1, heads: 1, labels, cells: [0.5, 0.1, 0.2, 0.9], shape: [2, 2], block: [2, 2], full: false, type: "u1" }));
  const map = headMap(frame, 0, 0);
  assert.equal(map.exactly, "most");
  near(shareAt(map, 3, 2), 0.9, 1e-6);
  near(shareAt(map, 0, 1), 0.5, 0.002);
});

test("the extra is the chosen map, then one cell in every head", () => {
  const tail = [0.1, 0.2, 0.3, 0.4, 0.6, 0.7];
  const extra = extraOf(decode(two({ type: "u1", extra: { layer: 0, heads: [1], query: 1, key: 0, bytes: 24 }, tail })));
  assert.deepEqual([...extra.map.data].map((share) => share.toFixed(1)), ["0.1", "0.2", "0.3", "0.4"]);
  assert.deepEqual([...extra.cell].map((share) => share.toFixed(1)), ["0.6", "0.7"]);
  assert.equal(extraOf(decode(two())), null);
});

test("a lone surrogate in a label survives the JSON", () => {
  assert.equal(decode(two({ labels: ["\ud800", "b"] })).header.rows.labels[0], "\ud800");
});

test("the same trace is known whatever rides behind it", () => {
  const bare = decode(two({ type: "u1" })), riding = decode(two({ type: "u1", extra: { layer: 0, heads: [1], bytes: 16 }, tail: [1, 2, 3, 4] }));
  assert.ok(sameTrace(bare, riding));
  assert.ok(!sameTrace(bare, decode(two({ type: "u1", cells: [...CELLS].reverse() }))));
  assert.ok(sameBytes(two(), two()) && !sameBytes(two(), two({ type: "u1" })));
});
