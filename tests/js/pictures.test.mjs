import assert from "node:assert/strict";
import test from "node:test";

import { blend, headColour, ramp, stops, tones, unpixel } from "../../assets/components/map/palette.mjs";
import { blendCells, cropped, edges, expand, rampCells } from "../../assets/components/map/raster.mjs";
import { allowed, maskOf, ruleOf } from "../../assets/components/map/rules.mjs";

const NAMES = ["ink", "viridis", "cividis", "magma"];
const light = ([red, green, blue]) => 0.2126 * red + 0.7152 * green + 0.0722 * blue;
const map = (data, rows, columns) => ({ data: Float32Array.from(data), scale: 1, rows, columns });
const whole = ({ rows, columns }) => ({ rows: [0, rows], columns: [0, columns] });

test("every ramp begins and ends at its own stops and never turns back in lightness", () => {
  for (const name of NAMES) {
    for (const dark of [false, true]) {
      const colours = [...ramp(name, dark)].map(unpixel), ends = stops(name, dark), sign = Math.sign(light(ends.at(-1)) - light(ends[0]));
      assert.deepEqual([colours[0], colours[255]], [ends[0], ends.at(-1)]);
      for (let at = 1; at < 256; at++) assert.ok(sign * (light(colours[at]) - light(colours[at - 1])) > -1.2, `${name} at ${at}`);
    }
  }
});

test("masked cells have a colour that no ramp and no zero has", () => {
  for (const name of NAMES) for (const dark of [false, true]) assert.ok(![...ramp(name, dark)].includes(tones(dark).mask));
});

test("one overlaid head alone is its own colour, none is paper", () => {
  for (const dark of [false, true]) {
    const colour = headColour(1, dark), paper = unpixel(blend([0, 0], [headColour(0, dark), colour], dark));
    assert.deepEqual(paper, stops("ink", dark)[0]);
    unpixel(blend([1], [colour], dark)).forEach((channel, at) => assert.ok(Math.abs(channel - colour[at]) < 24));
    assert.deepEqual(blend([0.3, 0.8], [headColour(0, dark), colour], dark), blend([0.8, 0.3], [colour, headColour(0, dark)], dark));
  }
});

test("edges cover every pixel once", () => {
  for (const [count, size] of [[3, 10], [7, 7], [5, 64], [512, 700]]) {
    const found = edges(count, size);
    assert.equal(found[0], 0);
    assert.equal(found[count], size);
    for (let at = 1; at <= count; at++) assert.ok(found[at] > found[at - 1]);
  }
});

test("where cells share a pixel the strongest is drawn, so that one strong cell is never lost", () => {
  const data = new Float32Array(100 * 100);
  data[63 * 100 + 41] = 0.9;
  const part = cropped(map(data, 100, 100), null, { rows: [0, 100], columns: [0, 100] }, [10, 10]);
  assert.deepEqual([part.rows, part.columns], [10, 10]);
  assert.ok(Math.abs(part.data[6 * 10 + 4] - 0.9) < 1e-6);
  assert.equal([...part.data].filter(Boolean).length, 1);
});

test("a window holds its own cells", () => {
  const part = cropped(map([0, 1, 2, 3, 4, 5, 6, 7, 8], 3, 3), null, { rows: [1, 3], columns: [0, 2] }, [99, 99]);
  assert.deepEqual([...part.data], [3, 4, 6, 7]);
});

test("row 0 is on top and a causal mask is filled at the upper right", () => {
  const rule = [[0, 1], [0, 2]], one = map([1, 0, 0, 1], 2, 2), mask = maskOf(rule, [2, 2], [2, 2], [1, 1]);
  const part = cropped(one, mask, whole(one), [4, 4]), pixels = new Uint32Array(16);
  expand(pixels, 4, { left: 0, top: 0, width: 4, height: 4 }, part, Uint32Array.of(11, 12, 13, 14), { mask: 99, period: 0, gap: 0 });
  assert.deepEqual([...pixels], [11, 11, 99, 99, 11, 11, 99, 99, 13, 13, 14, 14, 13, 13, 14, 14]);
});

test("the hatch of masked cells shows inside them only", () => {
  const one = map([0, 0], 1, 2), part = { ...one, mask: Uint8Array.of(0, 1) }, pixels = new Uint32Array(4 * 8);
  expand(pixels, 8, { left: 0, top: 0, width: 8, height: 4 }, part, Uint32Array.of(5, 5), { mask: 1, hatch: 2, period: 4, thick: 1, gap: 0 });
  pixels.forEach((value, at) => assert.ok(at % 8 < 4 ? value === 5 : value === 1 || value === 2));
  assert.equal(pixels.filter((value) => value === 2).length, 4);
});

test("the top of the scale takes the last colour and a map of nothing the first", () => {
  const colours = ramp("ink", false);
  assert.deepEqual([...rampCells({ data: Float32Array.of(0, 0.2, 0.4), scale: 1 }, colours, 0.4)], [colours[0], colours[128], colours[255]]);
  assert.deepEqual([...rampCells({ data: Float32Array.of(0, 0), scale: 1 }, colours, 0)], [colours[0], colours[0]]);
  assert.deepEqual([...blendCells([{ data: [1], scale: 0.5 }, { data: [2], scale: 1 }], [], [1, 1], (shares) => shares.reduce((sum, share) => sum + share))], [1]);
});

test("rules: a block is masked only where all of it is, and over all layers only where every layer masks", () => {
  const causal = [[0, 1], [0, 2], [0, 3], [0, 4]], header = { rules: [causal, null], rule_of: [0, 1] };
  assert.deepEqual([...maskOf(causal, [4, 4], [2, 2], [2, 2])], [0, 1, 0, 0]);
  assert.deepEqual([...maskOf(causal.slice(0, 3), [3, 3], [2, 2], [2, 2])], [0, 1, 0, 0]);
  assert.equal(ruleOf(header, null), null);
  assert.deepEqual(ruleOf({ rules: [causal, [[0, 4], [1, 2], [0, 3], [0, 4]]], rule_of: [0, 1] }, null)[1], [0, 2]);
  assert.ok(allowed(causal, 1, 1) && !allowed(causal, 1, 2) && allowed(null, 0, 3));
});
