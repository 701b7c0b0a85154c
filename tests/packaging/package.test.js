import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { publint } from "publint";

const root = fileURLToPath(new URL("../../", import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const scratch = mkdtempSync(join(tmpdir(), "headscope package "));
const app = join(scratch, "app");
let tarball = "";

/**
 * @param {string} program
 * @param {string[]} args
 * @param {string} [cwd]
 */
function run(program, args, cwd = root) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: "utf8" });
  assert.equal(status, 0, `${program} ${args.join(" ")}\n${stdout}\n${stderr}`);
  return stdout;
}

before(() => {
  const [packed] = JSON.parse(run("npm", ["pack", "--json", "--pack-destination", scratch]));
  tarball = join(scratch, packed.filename);
  mkdirSync(app);
  writeFileSync(join(app, "package.json"), '{ "private": true, "type": "module" }\n');
  // Nothing is fetched: the package has no dependencies.
  run("npm", ["install", "--offline", "--no-audit", "--no-fund", tarball], app);
});

after(() => rmSync(scratch, { recursive: true, force: true }));

test("the package brings no other packages", () => {
  for (const key of ["dependencies", "peerDependencies", "optionalDependencies"])
    assert.equal(manifest[key], undefined, key);
  const installed = readdirSync(join(app, "node_modules")).filter((name) => !name.startsWith("."));
  assert.deepEqual(installed, ["headscope"]);
});

test("publint finds nothing wrong with the tarball", async () => {
  const bytes = new Uint8Array(readFileSync(tarball));
  const { messages } = await publint({ pack: { tarball: bytes.buffer }, strict: true });
  assert.deepEqual(messages, []);
});

test("the types resolve for every entry and every way of resolving ES modules", () => {
  const attw = join(root, "node_modules/@arethetypeswrong/cli/dist/index.js");
  const untyped = ["package.json", ...wasmEntries()];
  const options = ["--profile", "esm-only", "--no-definitely-typed", "--format", "ascii"];
  run(process.execPath, [attw, tarball, ...options, "--exclude-entrypoints", ...untyped]);
});

/** @returns {string[]} the engines' entries, which have no types */
function wasmEntries() {
  return ["simd", "relaxed", "simd-threads", "relaxed-threads"].map((name) => `wasm/${name}.wasm`);
}

for (const resolution of [
  { module: "nodenext", moduleResolution: "nodenext" },
  { module: "esnext", moduleResolution: "bundler" },
]) {
  test(`programs in tests/types compile in strict mode with ${resolution.moduleResolution}`, () => {
    const folder = join(app, resolution.moduleResolution);
    cpSync(join(root, "tests/types"), folder, { recursive: true });
    const compilerOptions = {
      ...resolution,
      ...{ strict: true, noEmit: true, target: "es2022", types: [] },
      ...{ lib: ["es2023", "dom", "esnext.disposable"], skipLibCheck: false },
    };
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
    run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", folder], app);
  });
}

const program = `
import { Encoder } from "headscope";
import { Trace } from "headscope/trace";
const encoder = await Encoder.fromPretrained();
const trace = await encoder.run("the cat sat on the mat");
if (!(trace instanceof Trace)) throw new Error("two copies of Trace");
const row = trace.attention(0, 0).row(0);
console.log(JSON.stringify({ tokens: trace.tokens.length, sum: row.reduce((a, b) => a + b) }));
`;

/** @returns {string[]} the Nodes to run the installed package in */
function nodes() {
  const other = process.env.HEADSCOPE_OTHER_NODE;
  return other ? [process.execPath, other] : [process.execPath];
}

for (const node of nodes()) {
  test(`the installed package computes attention in ${node}`, () => {
    writeFileSync(join(app, "program.js"), program);
    const { tokens, sum } = JSON.parse(run(node, ["program.js"], app));
    assert.equal(tokens, 7);
    // Rows of a softmax; seven float32 terms round by 6e-8 each.
    assert.ok(Math.abs(sum - 1) < 1e-6);
  });

  test(`importing any entry starts nothing and prints nothing in ${node}`, () => {
    const entries = Object.keys(manifest.exports).filter((entry) => !/json$|wasm$/.test(entry));
    for (const entry of entries) {
      const name = join("headscope", entry);
      const output = run(node, ["--input-type=module", "-e", `await import("${name}")`], app);
      assert.equal(output, "", name);
    }
  });
}

test("every engine and the manifest can be resolved by name", () => {
  for (const name of [...wasmEntries(), "package.json"]) {
    const script = `console.log(import.meta.resolve("headscope/${name}"))`;
    const url = run(process.execPath, ["--input-type=module", "-e", script], app).trim();
    assert.ok(readFileSync(fileURLToPath(url)).length > 0, name);
  }
});

test("nothing in the package compiles code from strings", () => {
  const folder = join(app, "node_modules/headscope/dist");
  const files = readdirSync(folder, { recursive: true }).map(String);
  const scripts = files.filter((name) => /\.(m?js|html)$/.test(name));
  assert.ok(scripts.length > 10);
  for (const name of scripts) {
    const text = readFileSync(join(folder, name), "utf8");
    assert.doesNotMatch(text, /\bnew Function\b|(?<![\w.$])Function\(|(?<![\w.$])eval\(/, name);
  }
});

test("the licences of the model and of bundled packages travel with the package", () => {
  const folder = join(app, "node_modules/headscope");
  assert.match(readFileSync(join(folder, "LICENSE"), "utf8"), /Apache License/);
  const model = join(folder, "dist/models/use-lite");
  assert.match(readFileSync(join(model, "LICENSE"), "utf8"), /Apache License/);
  assert.match(readFileSync(join(model, "NOTICE"), "utf8"), /Universal Sentence Encoder Lite/);
  const names = readdirSync(join(folder, "dist/LICENSES"));
  assert.ok(names.includes("@huggingface__tokenizers.txt"), names.join(" "));
});
