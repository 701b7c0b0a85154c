import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Fuzzing } from "../fuzz/fuzzing.js";
import { targets } from "../fuzz/targets.js";

// A short stretch of what `npm run fuzz` does for as long as it is told to.

const seed = 20;
const inputs = 200;

const fuzzing = await Fuzzing.start();
after(() => fuzzing.dispose());

for (const target of Object.keys(targets)) {
  test(`a hostile ${target} is taken whole or refused, and the engine goes on`, async () => {
    /** @type {Record<string, number>} */
    const outcomes = {};
    for (let iteration = 0; iteration < inputs; ++iteration) {
      const outcome = await fuzzing.check(target, seed, iteration).catch((error) => {
        throw new Error(`--target ${target} --seed ${seed} --iteration ${iteration}`, {
          cause: error,
        });
      });
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    }
    const { fine = 0, ...refused } = outcomes;
    assert(fine > 0, "some inputs are harmless");
    assert(Object.keys(refused).length > 0, "others are not");
  });
}
