// What the installed package does to the process that it runs in: nothing on import, nothing that
// stays, and the process ends by itself.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { entriesOf, installPackage, nodes } from "./installed-package.js";

/** A process that has nothing left to do ends within this. */
const patience_ms = 3000;

/** Where an engine can be. @type {{ where: string, entry?: string, options: string }[]} */
const engines = [
  { where: "on the calling thread", options: "{ threads: 1 }" },
  { where: "in a worker", options: "{ worker: true, threads: 1 }" },
  { where: "with threads", options: '{ variant: "simd-threads", threads: 2 }' },
  {
    where: "with threads in a worker",
    options: '{ variant: "simd-threads", threads: 2, worker: true }',
  },
  { where: "inlined", entry: "headscope/inline", options: "{}" },
];

/** @type {ReturnType<typeof installPackage>} */
let installed;
before(() => {
  installed = installPackage();
  const watched = fileURLToPath(new URL("./watched-host.js", import.meta.url));
  cpSync(watched, join(installed.app, "watched-host.js"));
});
after(() => installed?.remove());

for (const node of nodes()) {
  describe(`a process of ${node}`, { timeout: 180000 }, () => {
    /**
     * @param {string} script
     * @returns {{ lines: string[], rest_ms: number }} what it printed, and how long it lived on after it
     *   had printed the time as its last line
     */
    function run(script) {
      writeFileSync(join(installed.app, "program.js"), script);
      const { status, signal, stdout, stderr } = spawnSync(node, ["program.js"], {
        cwd: installed.app,
        encoding: "utf8",
        timeout: 60000,
      });
      const end = Date.now();
      assert.equal(stderr, "");
      assert.equal(signal, null, `it did not end by itself: ${stdout}`);
      assert.equal(status, 0, stdout);
      const lines = stdout.split("\n").slice(0, -1);
      return { lines, rest_ms: end - Number(lines.at(-1)) };
    }

    /** @param {string} script whose end is marked here */
    function runToEnd(script) {
      const { lines, rest_ms } = run(`${script}\nconsole.log(Date.now());`);
      assert.ok(rest_ms < patience_ms, `it lived on for ${rest_ms} ms`);
      return lines.slice(0, -1);
    }

    it("finds every entry without a trace of it: nothing computed, started, listened to or printed", () => {
      const names = entriesOf(installed.app);
      const modules = ["", "/analysis", "/components", "/elements", "/inline", "/trace"];
      assert.deepEqual(
        names.sort(),
        modules.map((entry) => `headscope${entry}`),
      );
      for (const name of names) {
        const { lines } = run(`
          import assert from "node:assert/strict";
          import { changesSince, lookAround, startedSoFar } from "./watched-host.js";
          const url = import.meta.resolve("${name}");
          const compiled = [];
          // Node compiles WebAssembly of its own when it likes.
          const note = (key) => {
            if (new Error().stack.includes("/node_modules/headscope/")) compiled.push(key);
          };
          for (const key of ["compile", "instantiate", "validate", "Module", "Instance", "Memory"]) {
            WebAssembly[key] = new Proxy(WebAssembly[key], {
              apply: (...call) => (note(key), Reflect.apply(...call)),
              construct: (...call) => (note(key), Reflect.construct(...call)),
            });
          }
          const before = lookAround();
          const started = startedSoFar();
          const one = await import(url);
          // Two copies in one place, as from two bundles.
          const other = await import(url + "?again");
          assert.notEqual(one, other);
          assert.deepEqual(Object.keys(one), Object.keys(other));
          assert.ok(Object.keys(one).length > 0);
          assert.deepEqual(changesSince(before), []);
          assert.deepEqual(startedSoFar(), started);
          assert.deepEqual(compiled, []);`);
        assert.deepEqual(lines, [], name);
      }
    });

    for (const { where, entry = "headscope", options } of engines) {
      const made = `
        import { createEngine, Encoder } from "${entry}";
        const engine = await createEngine(${options});
        const encoder = await Encoder.fromPretrained("use-lite", { engine });`;

      it(`ends by itself after two runs at once, with nothing disposed, ${where}`, () => {
        const lines = runToEnd(`${made}
          const show = async (text) => {
            const { tokens } = await encoder.run(text);
            console.log(tokens.length);
          };
          await Promise.all([show("the cat sat on the mat"), show("dog bites man")]);`);
        assert.deepEqual(lines.sort(), ["4", "7"]);
      });

      it(`ends by itself after an error that was caught, ${where}`, () => {
        const [code] = runToEnd(`${made}
          await encoder.run({ ids: [-1] }).catch(({ code }) => console.log(code));`);
        assert.equal(code, "bad-argument");
      });

      it(`ends by itself where a run is not awaited, after its result, ${where}`, () => {
        const { lines } = run(`${made}
          encoder.run("dog bites man").then(({ tokens }) => console.log(tokens.length));`);
        assert.deepEqual(lines, ["4"]);
      });

      it(`is as it was after an engine was disposed ${where}`, () => {
        const lines = runToEnd(`
          import assert from "node:assert/strict";
          import { changesSince, livingWorkers, lookAround, openResources }
            from "./watched-host.js";
          const before = lookAround();
          const { createEngine, Encoder } = await import("${entry}");
          const engine = await createEngine(${options});
          const encoder = await Encoder.fromPretrained("use-lite", { engine });
          await encoder.run("dog bites man");
          await engine.dispose();
          // Workers and ports take a while to end.
          for (let turn = 0; livingWorkers() + openResources().length > 0 && turn < 200; ++turn)
            await new Promise((resolve) => setTimeout(resolve, 10));
          assert.equal(livingWorkers(), 0);
          assert.deepEqual(changesSince(before), []);
          assert.deepEqual(openResources(), []);`);
        assert.deepEqual(lines, []);
      });
    }

    it("ends by itself after an engine that could not be made", () => {
      const lines = runToEnd(`
        import { createEngine } from "headscope";
        for (const options of [{ worker: true }, { worker: false }])
          await createEngine({ ...options, wasm: "/no/such/folder" }).catch(({ code, message }) =>
            console.log(code, /createEngine\\(\\{ wasm \\}\\)/.test(message)));`);
      assert.deepEqual(lines, ["not-found true", "not-found true"]);
    });

    it("ends by itself where an engine was made and not used", () => {
      for (const { entry = "headscope", options } of engines)
        runToEnd(`import { createEngine } from "${entry}"; await createEngine(${options});`);
    });
  });
}
