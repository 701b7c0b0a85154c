// npm test: sets up what is missing, builds, then runs every suite. Names of suites as arguments run
// these alone: native, wasm, js, packaging, bundlers, browser.
import { runCommand, setUp } from "./setup.js";
import { SetupError, say } from "./shell.js";

await runCommand(async () => {
  setUp();
  const { ensureBrowsers } = await import("./toolchain/browsers.js");
  const { build } = await import("./build/build.js");
  const { testNative, testWasm } = await import("./suites/cpp.js");
  const { testBrowsers, testBundlers, testJs, testPackaging } = await import("./suites/js.js");
  const { sum } = await import("./suites/tally.js");
  /** @type {Record<string, () => Promise<import("./suites/tally.js").Tally[]>>} */
  const suites = {
    native: async () => [await testNative()],
    wasm: testWasm,
    js: testJs,
    packaging: async () => [await testPackaging()],
    bundlers: async () => {
      ensureBrowsers();
      return [await testBundlers()];
    },
    browser: async () => {
      ensureBrowsers();
      return [await testBrowsers()];
    },
  };
  const chosen = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(suites);
  const unknown = chosen.filter((name) => !(name in suites));
  if (unknown.length > 0)
    throw new SetupError(`no suite ${unknown}; there are ${Object.keys(suites)}`);
  await build({ types: true });
  const lines = [];
  const tallies = [];
  for (const name of chosen) {
    const started = Date.now();
    const tally = sum(await suites[name]());
    const seconds = Math.round((Date.now() - started) / 1000);
    lines.push(`${name}: ${tally.passed} passed, ${tally.failed} failed (${seconds} s)`);
    tallies.push(tally);
  }
  for (const line of lines) say(line);
  const { passed, failed } = sum(tallies);
  process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
  if (failed > 0) process.exitCode = 1;
});
