// npm run fuzz: hostile input. The core under libFuzzer and the sanitizers, then the package under a
// seeded mutator of files. `npm run fuzz -- --seconds 1200` gives each target that long; --target NAME
// (as often as wanted), --seed N; --iteration I repeats one input of a target and seed.
import { parseArgs } from "node:util";
import { runCommand, setUp } from "./setup.js";
import { SetupError, say } from "./shell.js";

await runCommand(async () => {
  const values = readArguments();
  setUp();
  const { coreTargets, fuzzCore } = await import("./fuzz/core.js");
  const { build } = await import("./build/build.js");
  const { fuzzFiles, fileTargets } = await import("./fuzz/files.js");
  const all = [...coreTargets, ...fileTargets];
  const chosen = values.target ?? all;
  const unknown = chosen.filter((name) => !all.includes(name));
  if (unknown.length > 0) throw new SetupError(`no target ${unknown}; there are ${all.join(", ")}`);
  const seed = wholeNumber("seed", values.seed);
  const seconds = wholeNumber("seconds", values.seconds);
  const first = values.iteration === undefined ? 0 : wholeNumber("iteration", values.iteration);
  const count = values.iteration === undefined ? Number.POSITIVE_INFINITY : 1;
  if (chosen.some((name) => fileTargets.includes(name))) await build({ types: false });
  const broken = [];
  for (const target of chosen) {
    say(`fuzzing ${target}: ${seconds} s, seed ${seed}`);
    const isFine = coreTargets.includes(target)
      ? await fuzzCore(target, { seed, seconds })
      : await fuzzFiles(target, { seed, seconds, first, count });
    if (!isFine) broken.push(target);
  }
  if (broken.length > 0) throw new SetupError(`promises were broken: ${broken.join(", ")}`);
});

/**
 * @param {string} option
 * @param {string} text
 * @returns {number}
 */
function wholeNumber(option, text) {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new SetupError(`--${option} is "${text}", expected a whole number`);
}

function readArguments() {
  const options = /** @type {const} */ ({
    seconds: { type: "string", default: "60" },
    seed: { type: "string", default: "1" },
    target: { type: "string", multiple: true },
    iteration: { type: "string" },
  });
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    throw new SetupError(/** @type {Error} */ (error).message);
  }
}
