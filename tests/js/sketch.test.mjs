import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import test from "node:test";

import { barPath, slots } from "../../assets/components/sketch/bars.mjs";
import { blocks } from "../../assets/components/sketch/blocks.mjs";
import { cells, colourOf, pixels } from "../../assets/components/sketch/cells.mjs";
import { layers, piled } from "../../assets/components/sketch/layers.mjs";
import { standing } from "../../assets/components/sketch/keeping.mjs";
import { counted, measured, reach, ticks } from "../../assets/components/sketch/numbers.mjs";
import { alike, csv, unpacked } from "../../assets/components/sketch/packed.mjs";
import { lettersIn, numbered, placed } from "../../assets/components/sketch/parts.mjs";
import { rods } from "../../assets/components/sketch/rods.mjs";
import { mount } from "../../assets/components/sketch/sketch.mjs";
import { depths, tree } from "../../assets/components/sketch/tree.mjs";

test("numbers are written as the page writes them", () => {
  const said = [0, 0.67684, -3, 4.1e-7, 2.21e5, -Infinity, NaN, 1e5].map(measured);
  assert.deepEqual(said, ["0", "0.6768", "−3", "4.1 × 10⁻⁷", "2.2 × 10⁵", "−∞", "–", "1.0 × 10⁵"]);
});

test("large amounts are written shortly", () => {
  assert.deepEqual([0, 0.5, 999, 1000, 8192, 2.5e6, 5e8, 3e12, -4e3].map(counted), ["0", "0.5", "999", "1k", "8.192k", "2.5M", "500M", "3T", "−4k"]);
});

test("the numbers of an axis are round, few, and within it", () => {
  assert.deepEqual(ticks(-1.2, 1.4, 4), [-1, 0, 1]);
  assert.deepEqual(ticks(0, 0.00031, 4), [0, 0.0001, 0.0002, 0.0003]);
  assert.deepEqual(ticks(0, 2, 10, 1), [0, 1, 2]);
  for (const [low, high, count] of [[-7, 19, 5], [0, 1e-9, 4], [0, 31, 12], [-3e6, 0, 3]]) {
    const found = ticks(low, high, count);
    assert.ok(found.length >= 1 && found.length <= count + 2, `${found}`);
    assert.ok(found.every((tick) => tick >= low && tick <= high));
  }
});

test("an axis holds zero and every finite number", () => {
  assert.deepEqual(reach([]), [0, 1]);
  assert.deepEqual(reach([0, NaN, Infinity]), [0, 1]);
  assert.deepEqual(reach([-1, 2]), [-1.06, 2.12]);
});

test("every number that is not zero has its bar, from the ground to its level", () => {
  const level = (value) => 100 - 10 * value, place = { left: 0, step: 10, wide: 8 };
  assert.equal(barPath([1, 0, -2, NaN], place, level), "M0 100V90H8V100ZM20 100V120H28V100Z");
  assert.equal(barPath([1, 0, -2, NaN], place, level, (value) => value < 0), "M20 100V120H28V100Z");
});

test("bars of several series stand side by side and never leave their place", () => {
  for (const step of [1, 5, 20]) {
    const [first, second] = [0, 1].map((index) => slots(50, step, index, 2));
    assert.ok(first.left >= 50 && first.left + first.wide <= second.left + 1e-9);
    assert.ok(second.left + second.wide <= 50 + step + 1e-9);
  }
});

test("a map has its end colours at its ends, and another where there is no number", () => {
  const header = { ends: [-1, 1], colours: [[0, 0, 100], [250, 250, 250], [200, 0, 0]], masked: [9, 9, 9] };
  assert.deepEqual([-5, -1, 0, 1, 5].map((value) => colourOf(value, header)), [[0, 0, 100], [0, 0, 100], [250, 250, 250], [200, 0, 0], [200, 0, 0]]);
  const [low, high, none] = [0, 1, 2].map((at) => [...pixels([-1, 1, NaN], header).subarray(4 * at, 4 * at + 4)]);
  assert.deepEqual([low, high], [[0, 0, 100, 255], [200, 0, 0, 255]]);
  assert.ok(none[3] === 255 && none.join() !== low.join() && none.join() !== high.join());
});

/** Bytes as they come: at an offset that no array of four-byte numbers would accept. */
function packed(header, numbers) {
  let text = JSON.stringify({ drawn: 2, sheet: null, ...header });
  text += " ".repeat((4 - (text.length % 4)) % 4);
  const parts = [new Uint8Array(Uint32Array.of(text.length).buffer), new TextEncoder().encode(text), new Uint8Array(Float32Array.from(numbers).buffer)];
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 3)).subarray(3);
  parts.reduce((at, part) => (whole.set(part, at), at + part.length), 0);
  return whole;
}

test("the columns of a sheet follow what is drawn", () => {
  const { values, sheet } = unpacked(packed({ sheet: [["n", [0, 1]], ["a,b", 2], ["c", 1]] }, [1, 2, 0.1, NaN, 5]));
  assert.deepEqual([...values], [1, 2]);
  assert.equal(csv(sheet()), 'n,"a,b",c\r\n0,0.1,5\r\n1,,\r\n'.replace("0.1", "0.100000001"));
});

test("a map is its own sheet, its labels whole and apart", () => {
  const long = "x".repeat(40), header = { y: "looks", rows: ["a"], columns: ["b", `"${long}`] };
  const { sheet } = unpacked(packed(header, [0.5, 0.25]));
  assert.equal(csv(sheet()), `looks,0  b,"1  ""${long}"\r\n0  a,0.5,0.25\r\n`);
});

test("labels are drawn with marks for what cannot be seen, short, and apart", () => {
  assert.deepEqual(numbered(["the", "1", "the"]), ["0  the", "1", "2  the"]);
  assert.deepEqual(placed(["\n", "", "\u202e"]), ["0  ↵", "1  ∅", "2  ⟨U+202E⟩"]);
  assert.ok(placed(["y".repeat(90)])[0].length < 30);
});

test("the same bytes are known again", () => {
  const one = packed({}, [1, 2]);
  assert.ok(alike(one, packed({}, [1, 2])) && !alike(one, packed({}, [1, 3])) && !alike(null, one));
});

/** As much of a page as a table needs. */
class Element {
  constructor() {
    Object.assign(this, { children: [], cells: [], style: {} });
  }
  append(...nodes) {
    this.children.push(...nodes);
    nodes.forEach((node) => node instanceof Element && (node.parent = this));
  }
  replaceChildren(...nodes) {
    this.children = [];
    this.append(...nodes);
  }
  remove() {
    this.parent.children = this.parent.children.filter((node) => node !== this);
  }
  get rows() {
    return this.children.flatMap((part) => part.children ?? []);
  }
  addEventListener() {}
  setAttribute() {}
  querySelector() {
    return null;
  }
}

test("a call that was overtaken does not take the sketch away, the newest one does", () => {
  globalThis.document = { createElement: () => new Element() };
  const parentElement = new Element(), words = { csv: "CSV", table: "Table" };
  const said = (text) => packed({ drawn: 0, table: [["a", [text]]], marked: null, words, note: "" }, []);
  const [first, second] = ["1", "2"].map((text) => mount({ data: said(text), parentElement }));
  assert.equal(parentElement.children.length, 1);
  first();
  assert.equal(parentElement.children.length, 1);
  second();
  assert.equal(parentElement.children.length, 0);
  delete globalThis.document;
});

/** Elements of a picture as plain things. */
function drawing(picture) {
  globalThis.document = { createElementNS: (_, name) => ({ name, setAttribute(key, value) { this[key] = value; }, getAttribute(key) { return this[key]; } }) };
  const found = picture();
  delete globalThis.document;
  return { ...found, of: (look) => found.nodes.filter((node) => node.class?.split(" ").includes(look)) };
}

test("a map has the colours of its page: by night what is faint and what is masked are dark", () => {
  const day = [[240, 240, 240], [0, 0, 90]], night = [[20, 20, 30], [200, 220, 255]];
  const header = { rows: ["a"], columns: ["a", "b"], cells: [1, 2], ends: [0, 1], colours: [day, night], square: false, high: 26, widest: 520, scale: true, marked: null, x: "", y: "", share: "" };
  const [light, dark] = [false, true].map((late) => drawing(() => cells({ header, values: Float32Array.of(0, NaN) }, 500, late)).plate.pixels);
  assert.deepEqual([[...light.subarray(0, 3)], [...dark.subarray(0, 3)]], [day[0], night[0]]);
  assert.ok(light[4] > 200 && dark[4] < 60);
});

test("a small map has no scale beside it and is no wider than it should be", () => {
  const header = { rows: ["a"], columns: ["a"], cells: [1, 1], ends: [0, 1], colours: [[[0, 0, 0], [1, 1, 1]], [[0, 0, 0], [1, 1, 1]]], square: true, high: 26, widest: 330, marked: null, x: "", y: "", share: "share" };
  const [small, whole] = [false, true].map((scale) => drawing(() => cells({ header: { ...header, scale }, values: Float32Array.of(1) }, 900, false)));
  assert.equal(small.plate.width, 330);
  assert.ok(small.nodes.length < whole.nodes.length - 40);
});

test("Chinese letters and emoji take the room of two", () => {
  assert.deepEqual(["abc", "第 0 层", "🙂"].map(lettersIn), [3, 7, 2]);
});

test("rods are as long as their amounts, one part after another", () => {
  const header = { labels: ["a", "b"], names: ["keys", "values"], row: 20, most: 10, x: "bytes", y: "" };
  const found = drawing(() => rods({ header, values: Float32Array.of(1, 2, 3, 4) }, 500));
  const [first, second] = [found.of("series-0"), found.of("series-1")];
  assert.ok(Math.abs(second[0].width - 3 * first[0].width) < 1e-6 && Math.abs(first[1].width - 2 * first[0].width) < 1e-6);
  assert.ok(Math.abs(first[1].x + first[1].width - second[1].x) < 1e-6);
  assert.deepEqual(found.told(1), ["b", "keys 2", "values 4"]);
  assert.deepEqual([found.at(0, 5), found.at(0, 30)], [0, 1]);
});

test("layers lie on one another, and lines do not", () => {
  assert.deepEqual(piled([[1, 2], [3, 4]]), [[1, 2], [4, 6]]);
  const header = { along: [0, 1], names: ["used", "kept"], height: 300, steps: true, piled: true, x: "round", y: "slots" };
  const values = Float32Array.of(1, 2, 3, 4), over = drawing(() => layers({ header, values }, 500)), beside = drawing(() => layers({ header: { ...header, piled: false, steps: false }, values }, 500));
  assert.equal(over.of("layer").length, 2);
  assert.equal(beside.of("line").length, 2);
  assert.ok(over.of("layer").every((path) => path.d.endsWith("Z")) && beside.of("line").every((path) => !path.d.endsWith("Z")));
  assert.deepEqual(over.told(1), ["round 1", "used 2", "kept 4"]);
  assert.deepEqual([over.at(60), over.at(490)], [0, 1]);
});

test("a block is coloured as far as it is written, and a phone has fewer in a row", () => {
  const header = { owners: [0, -1, -2, 1], size: 4, told: ["a", "b", "c", "d"], marked: [3], x: "", y: "" }, values = Float32Array.of(4, 0, 2, 1);
  const wide = drawing(() => blocks({ header, values }, 1000)), narrow = drawing(() => blocks({ header, values }, 100));
  const [whole] = wide.of("free"), [mine] = wide.of("series-0"), [kept] = wide.of("kept"), [other] = wide.of("series-1");
  assert.deepEqual([mine.width, kept.width, other.width], [whole.width, whole.width / 2, whole.width / 4]);
  assert.equal(wide.of("ring")[0].x, wide.of("free")[3].x);
  assert.ok(narrow.wide < wide.wide && narrow.height > wide.height);
  assert.deepEqual(narrow.at(60, 50), 3);
});

test("a tree joins each node to its parent, in colour where both of its ends win, and scrolls where it is wide", () => {
  assert.deepEqual(depths([null, 0, 0, 1, null]), [0, 1, 1, 2, 0]);
  const header = { labels: ["a", "b", "c", "d"], parents: [null, 0, 0, 1], told: ["A", "B", "C", "D"], node_looks: ["strong", "strong", "pale", "faint"], least: 100, x: "step", y: "" };
  const found = drawing(() => tree({ header, values: Float32Array.of(0, 0, 1, 0) }, 200));
  assert.equal(found.of("edge").length, 3);
  assert.equal(found.of("edge").filter((path) => path.class.includes("strong")).length, 1);
  assert.ok(found.width > 300);
  const [, , third] = found.of("dot").sort((one, other) => one.cx - other.cx || one.cy - other.cy);
  assert.deepEqual(found.told(found.at(third.cx + 3, third.cy - 3)), ["C"]);
  assert.equal(found.at(third.cx + 40, third.cy), -1);
});

test("a picture that is saved stands on the paper of its page, so that light letters can be read", () => {
  const copy = { drawn: [], querySelectorAll: () => [], setAttribute() {}, append(...nodes) { this.drawn.push(...nodes); }, prepend(...nodes) { this.drawn.unshift(...nodes); } };
  const svg = { cloneNode: () => copy, querySelectorAll: () => [], getAttribute: () => "0 0 40 20" };
  Object.assign(globalThis, { getComputedStyle: () => ({ color: "rgb(9, 9, 9)", getPropertyValue: () => " #14141a" }), XMLSerializer: class { serializeToString = (given) => given; } });
  const { drawn: [paper, title] } = drawing(() => ({ nodes: [], ...standing({ svg, picture: {}, packed: { header: { title: "t" } } }) }));
  assert.deepEqual([paper.name, paper.fill, paper.width, paper.height], ["rect", "#14141a", 40, 50]);
  assert.equal(title.fill, "rgb(9, 9, 9)");
});

test("the modules of a picture can be one script", () => {
  const folder = new URL("../../assets/components/", import.meta.url), script = readFileSync(new URL("../../pages/plumbing/sketching.py", import.meta.url), "utf-8");
  const listed = [...script.match(/MODULES = \(([^;]*?)\n\)/)[1].matchAll(/"(\w+)"/g)].map(([, name]) => `sketch/${name}.mjs`);
  const known = readdirSync(new URL("sketch/", folder)).filter((name) => name.endsWith(".mjs") && name !== "door.mjs");
  assert.deepEqual([...listed].sort(), known.map((name) => `sketch/${name}`).sort());
  const whole = ["map/waiting.mjs", "map/labels.mjs", ...listed].map((file) => readFileSync(new URL(file, folder), "utf-8")).join("");
  assert.doesNotThrow(() => new Function(whole.replace(/^import .*;$/gm, "").replace(/^export (default )?/gm, "")));
});
