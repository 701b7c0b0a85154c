import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The floors, top to bottom: an arrow may only point to a lower one. */
const floors = [
  ["web/page"],
  ["web/elements"],
  ["web/plots"],
  ["bindings/js"],
  ["bindings/js/tokens"],
  ["bindings/js/trace"],
  ["bindings"],
  ["src/analysis", "src/io"],
  ["src/model"],
  ["src/kernels"],
  ["src/base"],
];

/** What a room may take from outside the repository; a room that is not named here, nothing. */
const outside = /** @type {Record<string, RegExp>} */ ({
  "web/plots": /^d3-[a-z]+$/,
  "bindings/js": /^node:|^#(models|platform|wasm\/|inline\/)/,
  "bindings/js/tokens": /^@huggingface\/tokenizers$/,
});

/** Headers that only some rooms may know; the standard library is open to all. */
const knowledge = [
  { header: /^emscripten\/(val|bind|heap)\.h$/, rooms: ["bindings"] },
  { header: /^emscripten\/threading\.h$/, rooms: ["src/base"] },
  { header: /^(wasm_simd128|immintrin|[a-z]mmintrin|arm_neon)\.h$/, rooms: ["src/kernels"] },
];
const instructionSets = /__(wasm_(relaxed_)?simd\w*|SSE\w*|AVX\w*|ARM_NEON)__/;

const rooms = floors.flat();
const sourceFiles = ["src", "bindings", "web"].flatMap((top) =>
  readdirSync(join(root, top), { recursive: true })
    .map((name) => join(top, String(name)))
    .filter((name) => /\.(h|cpp|js)$/.test(name)),
);

/** @param {string} file @returns {string} the room a file lies in: the longest that is its folder */
function roomOf(file) {
  const folders = rooms.filter((room) => file.startsWith(`${room}/`));
  const [room] = folders.sort((a, b) => b.length - a.length);
  assert.ok(room, `${file} lies in no room of the map`);
  return room;
}

/** @returns {Map<string, string[]>} room -> the rooms that its arrow points to */
function drawnMap() {
  const text = readFileSync(join(root, "src/README.md"), "utf8");
  const block = text.match(/```arrows\n([\s\S]*?)```/);
  assert.ok(block, "src/README.md holds no block of arrows");
  const lines = block[1].trim().split("\n");
  return new Map(
    lines.map((line) => {
      const [from, to] = line.split("->").map((side) => side.trim());
      return [from, to.split(/\s+/).filter((room) => room)];
    }),
  );
}

/** @param {string} file @returns {string[]} what a JavaScript file imports, types in comments too */
function importsOf(file) {
  const text = readFileSync(join(root, file), "utf8");
  const pattern = /(?:\bfrom\s*|\bimport\s*\(?\s*)"([^"\n]+)"/g;
  return [...text.matchAll(pattern)].map((match) => match[1]);
}

/** @param {string} file @returns {{ path: string, isOwn: boolean }[]} */
function includesOf(file) {
  const text = readFileSync(join(root, file), "utf8");
  return [...text.matchAll(/^\s*#\s*include\s*(["<])([^">\n]+)[">]/gm)].map((match) => ({
    path: match[2],
    isOwn: match[1] === '"',
  }));
}

/** @param {string} file @param {string} target @param {Map<string, string[]>} map */
function checkArrow(file, target, map) {
  const from = roomOf(file);
  const to = roomOf(target);
  const isDrawn = from === to || map.get(from)?.includes(to);
  assert.ok(isDrawn, `${file} reaches ${target}: no arrow ${from} -> ${to} in src/README.md`);
}

test("every arrow of the map points down", () => {
  const level = (/** @type {string} */ room) => floors.findIndex((floor) => floor.includes(room));
  for (const [from, targets] of drawnMap()) {
    assert.ok(level(from) >= 0, `${from} is on no floor`);
    for (const to of targets)
      assert.ok(level(to) > level(from), `${from} -> ${to} does not point down`);
  }
});

test("the map draws every room that holds code, and no other", () => {
  const drawn = [...drawnMap().keys()].sort();
  assert.deepEqual(drawn, [...new Set(sourceFiles.map(roomOf))].sort());
});

test("C++ includes follow the arrows", () => {
  const map = drawnMap();
  for (const file of sourceFiles.filter((name) => !name.endsWith(".js"))) {
    for (const { path, isOwn } of includesOf(file)) {
      if (!isOwn) continue;
      checkArrow(file, path.startsWith("bindings/") ? path : `src/${path}`, map);
    }
  }
});

test("JavaScript imports follow the arrows", () => {
  const map = drawnMap();
  for (const file of sourceFiles.filter((name) => name.endsWith(".js"))) {
    for (const path of importsOf(file)) {
      if (path.startsWith(".")) checkArrow(file, normalize(join(dirname(file), path)), map);
      else
        assert.match(
          path,
          outside[roomOf(file)] ?? /^$/,
          `${file} may not import ${path} from outside`,
        );
    }
  }
});

test("hosts and instruction sets are known in their own rooms only", () => {
  for (const file of sourceFiles.filter((name) => !name.endsWith(".js"))) {
    const room = roomOf(file);
    for (const { path } of includesOf(file)) {
      const rule = knowledge.find(({ header }) => header.test(path));
      assert.ok(!rule || rule.rooms.includes(room), `${file} includes ${path}`);
    }
    const text = readFileSync(join(root, file), "utf8");
    assert.ok(room === "src/kernels" || !instructionSets.test(text), `${file} asks for one`);
  }
});
