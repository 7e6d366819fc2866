import assert from "node:assert/strict";
import test from "node:test";

import { FIRST, choose, fitted, step, toggle } from "../../assets/components/map/choice.mjs";
import { bigLayout, gridLayout, hit, labelStep, LINE, sortedLayout, zoomTo } from "../../assets/components/map/layout.mjs";
import { bestMap, drawnHeads, keep, missing, newHeld, ownAddress, spelled } from "../../assets/components/map/held.mjs";
import { curve, stroke } from "../../assets/components/map/lines.mjs";

const big = (count, width, label = 40) => bigLayout({ rows: count, columns: count, width, tallest: 640, rowWidths: Array(count).fill(label), columnWidths: Array(count).fill(label), dpr: 2 });

test("the grid fits its width and no two tiles touch", () => {
  for (const [layers, heads, width] of [[6, 12, 620], [30, 9, 400], [6, 12, 358], [30, 9, 358], [12, 12, 340]]) {
    const { tiles, tile, gap, width: used } = gridLayout(layers, heads, width, 780);
    assert.equal(tiles.length, layers * (heads + 1) + 1);
    assert.ok(used <= width, `${used} of ${width}`);
    assert.ok(tile >= 18 && gap >= 2);
    assert.ok(tiles[1].x - tiles[0].x >= tile + gap && tiles[heads + 1].y - tiles[0].y >= tile + gap);
  }
});

test("the sorted grid keeps the order it is given and fits", () => {
  const order = [[3, 1], [0, 0], [2, 5]], { tiles, width } = sortedLayout(order, 358);
  assert.deepEqual(tiles.map(({ layer, heads }) => [layer, heads[0]]), order);
  assert.ok(width <= 368);
});

test("labels never overlap and the step is one of the stated ones", () => {
  for (const count of [3, 10, 16, 60, 128, 512, 2048]) {
    for (const width of [358, 520, 760]) {
      const { cell, rowStep, columnStep, mode, left, width: plot } = big(count, width);
      assert.ok(rowStep * cell >= LINE || count * cell < LINE);
      if (mode === "flat") assert.ok(cell >= 48);
      if (mode === "slant") assert.ok(cell * Math.SQRT1_2 >= 13);
      if (mode === "upright") assert.ok(columnStep * cell >= LINE);
      assert.ok(left + plot <= width, `${count} in ${width}`);
    }
  }
  assert.equal(big(10, 520).rowStep, 1);
  assert.ok(big(512, 520).rowStep > 1);
  assert.deepEqual([1, 7, 16].map((need) => labelStep(1, need)), [1, 10, 20]);
});

test("a point finds its cell, a label its row or column", () => {
  const layout = { left: 50, top: 40, cell: 10 }, view = { rows: [0, 5], columns: [2, 7] };
  assert.deepEqual(hit(layout, view, 50, 40), { row: 0, column: 2 });
  assert.deepEqual(hit(layout, view, 99, 89), { row: 4, column: 6 });
  assert.deepEqual(hit(layout, view, 20, 65), { row: 2, column: -1 });
  assert.deepEqual(hit(layout, view, 75, 10), { row: -1, column: 4 });
});

test("zooming keeps the cell in sight and stays on the map", () => {
  assert.deepEqual(zoomTo([100, 100], 50, 2, 16), { rows: [34, 66], columns: [0, 32] });
  assert.deepEqual(zoomTo([100, 20], 99, 19, 16), { rows: [68, 100], columns: [0, 20] });
});

test("arrows walk through heads, means and the mean of all, and come back", () => {
  assert.deepEqual(step([0, 0], "ArrowRight", 6, 12), [0, 1]);
  assert.deepEqual(step([0, 11], "ArrowRight", 6, 12), [0, 12]);
  assert.deepEqual(step([5, 12], "ArrowDown", 6, 12), [6, 12]);
  assert.deepEqual(step([6, 12], "ArrowUp", 6, 12), [5, 12]);
  assert.deepEqual(step([5, 3], "ArrowDown", 6, 12), [0, 3]);
  for (const key of ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"]) {
    let at = [6, 12];
    for (let count = 0; count < 200; count++) {
      at = step(at, key, 6, 12);
      assert.ok(at[0] < 6 ? at[1] <= 12 : at[1] === 12, `${key} led to ${at}`);
    }
  }
});

test("overlays hold six heads of one layer and never none", () => {
  const one = choose(FIRST, 3, [1]), two = toggle(one, 3, 4).choice;
  assert.deepEqual(two.heads, [1, 4]);
  assert.deepEqual(toggle(two, 3, 1).choice.heads, [4]);
  assert.deepEqual(toggle(one, 3, 1).choice.heads, [1]);
  assert.deepEqual(toggle(two, 2, 0), { choice: { ...two, layer: 2, heads: [0] }, said: "overlay_new" });
  assert.equal(toggle({ ...FIRST, heads: [0, 1, 2, 3, 4, 5] }, 0, 6).said, "overlay_full");
  assert.deepEqual(toggle(choose(FIRST, 3, []), 3, 2), { choice: choose(FIRST, 3, [2]), said: null });
});

test("a choice is made to fit a smaller model", () => {
  assert.deepEqual(fitted({ ...FIRST, layer: 29, heads: [8, 3] }, { side: "encoder", layers: 6, heads: 5 }), { side: "encoder", layer: 5, heads: [3], query: null, key: null });
  assert.deepEqual(fitted({ ...FIRST, layer: null, heads: [2] }, { side: "encoder", layers: 6, heads: 5 }).heads, []);
});

test("the route is asked for each overlaid head, for means by name, and never elsewhere", () => {
  const frame = { header: { url: "/attn/k?side=encoder", full: false, type: "u1" } }, held = newHeld();
  assert.deepEqual(missing(frame, held, { layer: 3, heads: [1, 4] }), ["layer=3&heads=1", "layer=3&heads=4"]);
  assert.deepEqual(missing(frame, held, { layer: null, heads: [] }), ["layer=mean&heads=mean"]);
  keep(held, spelled(3, [1]), { data: new Float32Array(4) });
  assert.deepEqual(missing(frame, held, { layer: 3, heads: [1, 4] }), ["layer=3&heads=4"]);
  assert.deepEqual(missing({ header: { ...frame.header, full: true, type: "f4" } }, newHeld(), { layer: 3, heads: [1] }), []);
  assert.deepEqual(drawnHeads({ layer: 3, heads: [] }), [[3, []]]);
  assert.deepEqual(["//evil.example/x", "https://evil.example/", "/attn/k?a=1"].map(ownAddress), [null, null, "/attn/k?a=1"]);
});

test("what is held stays below its limit, the least used leaves first", () => {
  const held = newHeld(), map = () => ({ data: new Uint8Array(10 << 20) });
  for (const head of [0, 1, 2, 3]) keep(held, spelled(0, [head]), map());
  bestMap(null, held, 0, [0]);
  keep(held, spelled(0, [4]), map());
  assert.deepEqual([...held.maps.keys()], [2, 3, 0, 4].map((head) => spelled(0, [head])));
  assert.ok(held.bytes <= 48 << 20);
});

test("lines grow with the share and reach from token to token", () => {
  assert.ok(Number(stroke(1).width) > Number(stroke(0.1).width) && Number(stroke(1).opacity) > Number(stroke(0.1).opacity));
  const a = { x: 0, y: 0, width: 20, height: 10 }, b = { x: 100, y: 0, width: 20, height: 10 }, below = { ...b, y: 60 };
  assert.match(curve(a, b, 30), /^M10 0 C.* 110 0$/);
  assert.match(curve(a, below, 30), /^M10 10 C.* 110 60$/);
  assert.match(curve(below, a, 30), /^M110 60 C.* 10 10$/);
});
