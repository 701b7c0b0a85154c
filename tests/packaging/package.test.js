// What npm publishes: what is in it, what resolves, compiles and computes.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { publint } from "publint";
import { installPackage, nodes } from "./installed-package.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
/** @type {ReturnType<typeof installPackage>} */
let installed;
let app = "";

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
  installed = installPackage();
  app = installed.app;
});

after(() => installed?.remove());

test("the package brings no other packages", () => {
  for (const key of ["dependencies", "peerDependencies", "optionalDependencies"])
    assert.equal(manifest[key], undefined, key);
  const names = readdirSync(join(app, "node_modules")).filter((name) => !name.startsWith("."));
  assert.deepEqual(names, ["headscope"]);
});

test("the package holds what it is used and licensed by, and nothing else", () => {
  const { files, size, unpackedSize } = installed;
  const outside = files.filter((path) => !path.startsWith("dist/")).sort();
  const documents = ["CHANGELOG.md", "LICENSE", "NOTICE", "README.md", "package.json"];
  assert.deepEqual(outside, documents);
  // No page, no maps, no second model; 0.1.0 has 7.2 MB, 7.0 of which are the model.
  assert.deepEqual(
    files.filter((path) => /\.(html|map|classic\.js)$/.test(path)),
    [],
  );
  assert.ok(size < 8e6, `${size} bytes packed`);
  assert.ok(unpackedSize < 10e6, `${unpackedSize} bytes unpacked`);
});

test("publint finds nothing wrong with the tarball", async () => {
  const bytes = new Uint8Array(readFileSync(installed.tarball));
  const { messages } = await publint({ pack: { tarball: bytes.buffer }, strict: true });
  assert.deepEqual(messages, []);
});

test("the types resolve for every entry and every way of resolving ES modules", () => {
  const attw = join(root, "node_modules/@arethetypeswrong/cli/dist/index.js");
  const untyped = ["package.json", ...wasmEntries()];
  const options = ["--profile", "esm-only", "--no-definitely-typed", "--format", "ascii"];
  run(process.execPath, [attw, installed.tarball, ...options, "--exclude-entrypoints", ...untyped]);
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

for (const node of nodes()) {
  test(`the installed package computes attention in ${node}`, () => {
    writeFileSync(join(app, "program.js"), program);
    const { tokens, sum } = JSON.parse(run(node, ["program.js"], app));
    assert.equal(tokens, 7);
    // Rows of a softmax; seven float32 terms round by 6e-8 each.
    assert.ok(Math.abs(sum - 1) < 1e-6);
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
  assert.match(readFileSync(join(folder, "NOTICE"), "utf8"), /dist\/LICENSES/);
  assert.ok(readFileSync(join(folder, "CHANGELOG.md"), "utf8").includes(`## ${manifest.version}`));
  const model = join(folder, "dist/models/use-lite");
  assert.match(readFileSync(join(model, "LICENSE"), "utf8"), /Apache License/);
  assert.match(readFileSync(join(model, "NOTICE"), "utf8"), /Universal Sentence Encoder Lite/);
  const names = readdirSync(join(folder, "dist/LICENSES"));
  assert.ok(names.includes("@huggingface__tokenizers.txt"), names.join(" "));
});
