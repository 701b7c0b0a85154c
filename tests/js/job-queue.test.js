import assert from "node:assert/strict";
import { test } from "node:test";
import { JobQueue } from "../../bindings/js/job-queue.js";

/** A queue that counts the turns it gives. */
function countingQueue() {
  const counted = { turns: 0 };
  const queue = new JobQueue(async () => {
    ++counted.turns;
  });
  return { queue, counted };
}

test("a job that a message brought begins without another turn of the event loop", async () => {
  const { queue, counted } = countingQueue();
  queue.noteTurn();
  await queue.add(1, (checkpoint) => checkpoint());
  assert.equal(counted.turns, 0);
});

test("jobs that no message brings still give the event loop a turn", async () => {
  const { queue, counted } = countingQueue();
  await queue.add(1, (checkpoint) => checkpoint());
  assert.equal(counted.turns, 1);
});

test("a job that is aborted in a turn ends at that step", async () => {
  /** @type {JobQueue} */
  const queue = new JobQueue(async () => queue.abort(1));
  let ended = false;
  const job = queue.add(1, async (checkpoint) => {
    await checkpoint();
    ended = true;
  });
  await assert.rejects(job, { code: "aborted" });
  assert.equal(ended, false);
});
