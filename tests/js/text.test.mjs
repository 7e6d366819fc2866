import assert from "node:assert/strict";
import test from "node:test";

import { direction, drawn, graphemes, isolated, shorten } from "../../assets/components/map/labels.mjs";
import { positionOf, strongest, unitAt, wordGroups } from "../../assets/components/map/units.mjs";
import { say, shareText } from "../../assets/components/map/words.mjs";

const length = (text) => graphemes(text).length;

test("white space and nothing get a mark", () => {
  for (const [label, shown] of [["", "∅"], [" ", "·"], ["\n", "↵"], ["\t", "⇥"], ["\u00a0", "⍽"], [" the", "·the"], ["a b", "a b"]]) assert.equal(drawn(label), shown);
});

test("markup, numbers and dates stay what they are", () => {
  for (const label of ["<b>", "<s>", "&lt;", "1", "2020-01-01", "$x$", "#000004"]) assert.equal(drawn(label), label);
});

test("what turns text around, and halves of characters, are named instead of obeyed", () => {
  assert.equal(drawn("\u202eabc"), "⟨U+202E⟩abc");
  assert.equal(drawn("a\u2069b"), "a⟨U+2069⟩b");
  assert.equal(drawn("\ud800"), "⟨U+D800⟩");
  assert.equal(drawn("\u200b"), "⟨U+200B⟩");
  assert.equal(drawn("\u200d"), "⟨U+200D⟩");
  for (const blank of ["\u2800", "\u3164", "\u115f", "\ue000", "\u{f0000}", "\u0378"]) assert.match(drawn(blank), /^⟨U\+[0-9A-F]+⟩$/);
  assert.equal(drawn("\u0301"), "◌\u0301");
  assert.equal(drawn("😀"), "😀");
  assert.equal(isolated("\u2069"), "\u2068⟨U+2069⟩\u2069");
});

test("long labels lose their middle, never half an emoji", () => {
  const family = "👨‍👩‍👧", text = "a".repeat(20) + family + "z".repeat(20);
  const short = shorten(text, 9, length);
  assert.equal(length(short), 9);
  assert.match(short, /^a+…z+$/u);
  assert.equal(shorten("short", 9, length), "short");
  assert.ok(!/\ufffd|\u200d$/.test(shorten(family.repeat(9), 4, length)));
});

test("a sentence runs the way most of its tokens do", () => {
  assert.equal(direction(["[CLS]", "שלום", "עולם", "."]), "rtl");
  assert.equal(direction(["the", "word", "שלום"]), "ltr");
  assert.equal(direction(["1", "2"]), "ltr");
});

test("continuations join their word, special tokens are joined by nothing", () => {
  assert.deepEqual(wordGroups(["special", "word", "continuation", "continuation", "word", "special", "continuation"]), [[0], [1, 2, 3], [4], [5], [6]]);
  assert.deepEqual(wordGroups(["continuation", "word"]), [[0], [1]]);
});

test("positions find their unit and come back", () => {
  const axis = { at: [0, 1, 4], ends: [0, 3, 4] };
  assert.deepEqual([0, 2, 4, 7, null].map((position) => unitAt(axis, position)), [0, 1, 2, null, null]);
  assert.deepEqual([0, 1, 2, null].map((unit) => positionOf(axis, unit)), [0, 1, 4, null]);
});

test("the strongest come first, equal ones in their order", () => {
  assert.deepEqual(strongest([0.1, 0.5, 0.01, 0.5], 3, 0.05), [[1, 0.5], [3, 0.5], [0, 0.1]]);
});

test("shares say how exact they are", () => {
  assert.deepEqual(["exact", "about", "most"].map((how) => shareText(0.67712, how)), ["0.677", "≈\u20090.677", "≤\u20090.677"]);
  assert.equal(shareText(0.00001), "<0.001");
  assert.equal(shareText(0), "0.000");
  assert.equal(shareText(0.67712, "exact", 4), "0.6771");
});

test("words are filled once and never read as a pattern", () => {
  assert.equal(say({ tip: "{a} and {b}" }, "tip", { a: "{b}", b: "$&" }), "{b} and $&");
  assert.equal(say({}, "unknown"), "unknown");
});
