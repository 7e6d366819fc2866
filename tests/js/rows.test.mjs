import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { facts, ranked } from "../../assets/components/generate/chosen.mjs";
import { coloured, places, under, unpacked } from "../../assets/components/generate/rows.mjs";

const SHARED = ["map/palette", "map/dom", "generate/rows", "generate/chosen"];
const JOINED = [[...SHARED, "generate/written"], [...SHARED, "generate/live"], ["map/waiting", "generate/news"]];
const row = { layers: 2, heads: 3, keys: ["a", "b", "c", "d"], cells: Uint8Array.from({ length: 24 }, (_, at) => at) };

test("the cells of a row come as text and are bytes again", () => {
  assert.deepEqual([...unpacked(btoa(String.fromCharCode(0, 127, 254, 255)))], [0, 127, 254, 255]);
});

test("every cell has its colour, and what may not be looked at another", () => {
  const colours = Uint32Array.from({ length: 256 }, (_, at) => 1000 + at);
  assert.deepEqual([...coloured(Uint8Array.of(0, 254, 255), colours, 7)], [1000, 1254, 7]);
});

test("a point is in the strip of one head and one token, and between strips in none", () => {
  const place = places(row, 326), strip = (layer, head, key) => [26 + head * 100 + (key + 0.5) * (95 / 4), 18 + (layer + 0.5) * place.pitch];
  for (const [layer, head, key] of [[0, 0, 0], [1, 2, 3], [0, 1, 2]]) {
    assert.deepEqual(under(row, place, ...strip(layer, head, key)), { layer, head, key, share: (layer * 3 + head) * 4 + key });
  }
  assert.equal(under(row, place, 26 + 98, 30), null);
  assert.equal(under(row, place, 10, 30), null);
  assert.equal(under(row, place, 30, 5), null);
  assert.equal(under(row, place, 30, place.high + 1), null);
});

test("many layers are drawn lower, and never without a pixel", () => {
  assert.equal(places({ ...row, layers: 1 }, 326).pitch, 18);
  assert.equal(places({ ...row, layers: 30 }, 326).pitch, 9);
  assert.equal(places({ ...row, layers: 500 }, 326).pitch, 4);
});

test("what was written stands among the others by its probability", () => {
  const found = ranked({ ident: 7, probability: 0.2, others: [{ ident: 1, probability: 0.5 }, { ident: 2, probability: 0.1 }] });
  assert.deepEqual(found.map(({ ident, written }) => [ident, written === true]), [[1, false], [7, true], [2, false]]);
  assert.equal(typeof facts, "function");
});

/** The top-level names of a module. */
function names(file) {
  const source = readFileSync(new URL(`../../assets/components/${file}.mjs`, import.meta.url), "utf-8");
  const lists = [...source.matchAll(/^const ([A-Z]+ = .*);$/gm)].flatMap(([, list]) => [...list.matchAll(/(?:^|, )([A-Z]+) =/g)]);
  const single = [...source.matchAll(/^(?:export )?(?:default )?(?:async )?(?:const|let|function|class) (\w+)/gm)];
  return [...new Set([...lists, ...single].map(([, name]) => name))];
}

test("no two modules that are joined use one top-level name", () => {
  for (const files of JOINED) {
    const all = files.flatMap(names);
    assert.deepEqual(all.filter((name, at) => all.indexOf(name) !== at), []);
  }
});
