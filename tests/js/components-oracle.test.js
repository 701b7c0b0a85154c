// Every component, and stacks of layers, against PyTorch in float64: all cases of
// tests/fixtures/components.json but gradients, on every engine that runs here.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createEngine } from "headscope";
import { variants } from "../../bindings/js/variants.js";
import { computeCase } from "./component-cases.js";
import { checkOutputs, fixtures, generatorExamples, uniform } from "./component-fixtures.js";

/** Gradients wait for training; DeBERTa's attention is no component of this package. */
const isComponent = (/** @type {{ id: string, group: string }} */ { id, group }) =>
  group !== "grad" && group !== "init" && !id.startsWith("relative/deberta");

/** @type {Map<string, typeof fixtures>} */
const groups = new Map();
for (const fixture of fixtures.filter(isComponent)) {
  groups.set(fixture.group, [...(groups.get(fixture.group) ?? []), fixture]);
}

/**
 * @param {import("../../bindings/js/variants.js").Variant} variant
 * @returns {Promise<import("headscope").Engine | undefined>} undefined where it cannot run here
 */
async function engineOf(variant) {
  try {
    return await createEngine({ variant });
  } catch (error) {
    assert.equal(/** @type {any} */ (error).code, "unsupported-environment");
    return undefined;
  }
}

test("the generator of large tensors is the fixtures' own", () => {
  for (const [seed, i, value] of generatorExamples) assert.equal(uniform(seed, i), value);
});

for (const variant of variants) {
  const engine = await engineOf(variant);
  for (const [group, cases] of groups) {
    const skip = engine === undefined && `${variant} cannot run on this Node`;
    test(`${variant}: all ${cases.length} cases of ${group}`, { skip }, async (context) => {
      const on = { engine: /** @type {import("headscope").Engine} */ (engine) };
      let passed = 0;
      for (const fixture of cases) {
        const { outputs, expected } = await computeCase(fixture, on);
        checkOutputs(fixture, outputs, expected);
        passed += 1;
      }
      context.diagnostic(`${variant}: ${passed} of ${cases.length} cases of ${group}`);
    });
  }
  test(`${variant}: the engine ends`, { skip: engine === undefined }, () => engine?.dispose());
}
