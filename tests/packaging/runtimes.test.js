// The installed package in runtimes that are neither Node nor a browser.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { bun, deno } from "../../tools/suites/npm-program.js";
import { largestDifference, referenceOf, tolerance } from "../browser/fixture.js";
import { entriesOf, installPackage } from "./installed-package.js";

const text = "the cat sat on the mat";
/** A process that has nothing left to do ends within this; a cold start is in it. */
const patience_ms = 10000;

/** @type {{ name: string, install: () => string, flags: string[] }[]} */
const runtimes = [
  { name: "Deno", install: deno, flags: ["run", "--no-prompt", "--allow-read", "--allow-env"] },
  { name: "Bun", install: bun, flags: [] },
];

/** @type {{ how: string, entry?: string, options: string }[]} */
const engines = [
  { how: "as it comes", options: "{}" },
  { how: "in a worker", options: "{ worker: true }" },
  { how: "with threads", options: '{ variant: "simd-threads", threads: 2 }' },
  {
    how: "with threads in a worker",
    options: '{ variant: "simd-threads", threads: 2, worker: true }',
  },
  { how: "with one thread", options: "{ threads: 1 }" },
  { how: "with the engine inlined", entry: "headscope/inline", options: "{}" },
];

/** @type {ReturnType<typeof installPackage>} */
let installed;
before(() => {
  installed = installPackage();
});
after(() => installed?.remove());

for (const { name, install, flags } of runtimes) {
  describe(`the package in ${name}`, { timeout: 300000 }, () => {
    let program = "";
    before(() => {
      program = install();
    });

    /**
     * @param {string} script
     * @param {string[]} [how] flags of the runtime
     * @returns {string} what it printed
     */
    function run(script, how = flags) {
      writeFileSync(join(installed.app, "program.js"), script);
      const { status, signal, stdout, stderr } = spawnSync(program, [...how, "program.js"], {
        cwd: installed.app,
        encoding: "utf8",
        timeout: patience_ms,
        env: { ...process.env, NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" },
      });
      assert.equal(signal, null, `it did not end by itself: ${stdout}${stderr}`);
      assert.equal(stderr, "");
      assert.equal(status, 0, stdout);
      return stdout;
    }

    it("imports every entry, which starts and prints nothing", () => {
      const names = entriesOf(installed.app);
      assert.equal(names.length, 6);
      assert.equal(run(names.map((entry) => `import "${entry}";`).join("\n")), "");
    });

    for (const { how, entry = "headscope", options } of engines) {
      it(`computes the reference's numbers ${how}, and ends with nothing disposed`, () => {
        const output = run(`
          import { createEngine, Encoder } from "${entry}";
          const engine = await createEngine(${options});
          const encoder = await Encoder.fromPretrained("use-lite", { engine });
          const [trace] = await Promise.all([encoder.run("${text}"), encoder.run("dog bites man")]);
          const attention = [0, 1].map((layer) => [0, 1, 2, 3].map((head) => {
            const weights = trace.attention(layer, head);
            return trace.tokens.map((_, query) => [...weights.row(query)]);
          }));
          console.log(JSON.stringify({ attention, info: engine.info }));`);
        const { attention, info } = JSON.parse(output);
        assert.ok(largestDifference(attention, referenceOf(text).attention) <= tolerance);
        if (/with threads/.test(how)) assert.equal(info.threads, 2, info.reason);
        if (/in a worker/.test(how)) assert.equal(info.worker, true, info.reason);
      });
    }

    it("computes components, without an encoder", () => {
      const output = run(`
        import { sinusoidalPositions } from "headscope/components";
        const { data } = await sinusoidalPositions({ length: 2, d_model: 4 });
        console.log(JSON.stringify([...data]));`);
      const expected = [0, 1, 0, 1, Math.sin(1), Math.cos(1), Math.sin(0.01), Math.cos(0.01)];
      JSON.parse(output).forEach((/** @type {number} */ value, /** @type {number} */ i) => {
        // float32 near 1
        assert.ok(Math.abs(value - Number(expected[i])) < 1e-7, `${i}: ${value}`);
      });
    });

    it("names what cannot be found, and ends", () => {
      const output = run(`
        import { createEngine } from "headscope";
        const wasm = new URL("./nowhere/", import.meta.url);
        await createEngine({ wasm }).catch(({ code, message }) => console.log(code, message));`);
      assert.match(output, /^not-found file:.*\/nowhere\/[a-z-]+\.wasm cannot be read: /);
    });

    if (name === "Deno") {
      it("names the file and the permission that are missing", () => {
        const script = `
          import { createEngine } from "headscope";
          await createEngine().catch(({ code, message }) => console.log(code, message));`;
        const output = run(script, ["run", "--no-prompt"]);
        assert.match(output, /^not-found file:.*\.wasm cannot be read: .*--allow-read/);
      });
    }
  });
}
