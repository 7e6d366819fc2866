import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import test from "node:test";

const FOLDER = new URL("../../assets/components/map/", import.meta.url);
const SEPARATE = ["door.mjs", "steer.mjs"];
const modules = readdirSync(FOLDER).filter((name) => name.endsWith(".mjs")).map((name) => [name, readFileSync(new URL(name, FOLDER), "utf-8")]);

test("no two modules use one top-level name, so that they can be one script", () => {
  const owners = new Map();
  for (const [file, source] of modules.filter(([name]) => !SEPARATE.includes(name))) {
    for (const [, name] of source.matchAll(/^(?:export )?(?:async )?(?:const|let|function|class) (\w+)/gm)) {
      if (name === "MAPS") continue;
      assert.ok(!owners.has(name), `${name} is in ${owners.get(name)} and ${file}`);
      owners.set(name, file);
    }
  }
});

test("every import is one line, names what exists, and renames nothing", () => {
  for (const [file, source] of modules) {
    for (const [line, names, from] of source.matchAll(/^import (.*) from "\.\/(.*)";$/gm)) {
      assert.ok(!line.includes(" as "), `${file}: ${line}`);
      const other = modules.find(([name]) => name === from)[1];
      for (const name of names.replace(/[{}\s]/g, "").split(",")) {
        assert.match(other, new RegExp(`^export (?:async )?(?:const|function) ${name}\\b`, "m"), `${file} wants ${name} of ${from}`);
        assert.ok(source.split(new RegExp(`\\b${name}\\b`)).length > 2, `${file} does not use ${name}`);
      }
    }
    assert.equal(source.match(/^import\b/gm)?.length ?? 0, source.match(/^import .* from ".*";$/gm)?.length ?? 0);
  }
});

test("every word is in both languages, said somewhere, and none is missing", () => {
  const keysOf = (language) => [...readFileSync(new URL(`../../assets/words/${language}/map.toml`, import.meta.url), "utf-8").matchAll(/^(\w+) = /gm)].map(([, key]) => key);
  const source = modules.map(([, text]) => text).join(""), keys = keysOf("en");
  assert.deepEqual(keysOf("zh"), keys);
  for (const key of keys) assert.ok(source.includes(`"${key}"`), `${key} is never said`);
  for (const [, key] of source.matchAll(/say\((?:s\.)?words, "(\w+)"/g)) assert.ok(keys.includes(key), `${key} has no words`);
});
