// What a suite came to, read from what its runner printed. A runner that dies counts as one failure.

/** @typedef {{ passed: number, failed: number }} Tally */

/**
 * Catch2's closing lines.
 * @param {string} output
 * @param {number} status of the process
 * @returns {Tally}
 */
export function catchTally(output, status) {
  const all = output.match(/All tests passed \(\d+ assertions? in (\d+) test cases?\)/);
  if (all) return withStatus({ passed: Number(all[1]), failed: 0 }, status);
  const line = output.match(/^test cases:.*$/m)?.[0] ?? "";
  const count = (/** @type {string} */ word) => Number(line.match(`(\\d+) ${word}`)?.[1] ?? 0);
  return withStatus({ passed: count("passed"), failed: count("failed") }, status);
}

/**
 * The summary of node --test.
 * @param {string} output
 * @param {number} status of the process
 * @returns {Tally}
 */
export function nodeTally(output, status) {
  const count = (/** @type {string} */ word) =>
    Number(output.match(new RegExp(`^(?:#|ℹ) ${word} (\\d+)$`, "m"))?.[1] ?? 0);
  const failed = count("fail") + count("cancelled");
  return withStatus({ passed: count("pass"), failed }, status);
}

/** @param {Tally} tally @param {number} status @returns {Tally} */
function withStatus(tally, status) {
  const isSilentFailure = tally.failed === 0 && (status !== 0 || tally.passed === 0);
  return isSilentFailure ? { ...tally, failed: 1 } : tally;
}

/** @param {Tally[]} tallies @returns {Tally} */
export function sum(tallies) {
  return tallies.reduce(
    (total, { passed, failed }) => ({
      passed: total.passed + passed,
      failed: total.failed + failed,
    }),
    { passed: 0, failed: 0 },
  );
}
