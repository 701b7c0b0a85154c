// The threads of an engine in a worker, whose workers the page makes: what the two sides say to each
// other, without a browser.

import assert from "node:assert/strict";
import { test } from "node:test";
import { DistantThreads, isOfThread, PageThreads } from "../../bindings/js/page-threads.js";

/** @typedef {import("../../bindings/js/page-threads.js").ThreadReport} ThreadReport */

/** A worker that answers each message with one that has it. */
class EchoWorker {
  ended = false;
  /** @type {(event: { data: unknown }) => void} */
  onmessage = () => {};
  /** @type {() => void} */
  onmessageerror = () => {};
  /** @type {(event: { message: string, preventDefault: () => void }) => void} */
  onerror = () => {};

  /** @param {unknown} message */
  postMessage(message) {
    this.onmessage({ data: { heard: message } });
  }

  terminate() {
    this.ended = true;
  }
}

/**
 * Both sides, and what is between them.
 *
 * @param {() => EchoWorker} open
 */
function connect(open) {
  /** @type {ThreadReport[]} */
  const reports = [];
  const page = new PageThreads(
    (report) => {
      reports.push(report);
      distant.take(report);
    },
    () => /** @type {any} */ (open()),
  );
  const distant = new DistantThreads((request) => page.take(request));
  return { page, distant, reports };
}

const script = /** @type {const} */ ({ variant: "simd-threads" });

/** @param {Error} error */
const noError = (error) => assert.fail(error);

test("a thread hears what it is sent and nothing else, and its answers come back to it", () => {
  const workers = [new EchoWorker(), new EchoWorker()];
  let opened = 0;
  const { distant, page } = connect(() => /** @type {EchoWorker} */ (workers[opened++]));
  /** @type {unknown[][]} */
  const heard = [[], []];
  const threads = heard.map((list) => {
    const thread = /** @type {any} */ (distant.open(script, noError));
    thread.onmessage = (/** @type {{ data: unknown }} */ { data }) => list.push(data);
    return thread;
  });
  threads[1].postMessage("b");
  threads[0].postMessage("a");
  assert.deepEqual(heard, [[{ heard: "a" }], [{ heard: "b" }]]);
  threads[0].terminate();
  assert.deepEqual(
    workers.map(({ ended }) => ended),
    [true, false],
  );
  page.end();
  assert.deepEqual(
    workers.map(({ ended }) => ended),
    [true, true],
  );
});

test("a worker that cannot be made, fails or is not understood is an error of its thread", () => {
  /** @type {string[]} */
  const errors = [];
  const note = (/** @type {Error} */ { message }) => errors.push(message);
  connect(() => {
    throw new Error("forbidden");
  }).distant.open(script, note);
  const worker = new EchoWorker();
  const { distant } = connect(() => worker);
  worker.postMessage = () => {
    throw new Error("cannot be cloned");
  };
  /** @type {any} */ (distant.open(script, note)).postMessage("a");
  let isQuiet = false;
  worker.onerror({ message: "no such script", preventDefault: () => (isQuiet = true) });
  worker.onmessageerror();
  assert.deepEqual(errors, [
    "forbidden",
    "cannot be cloned",
    "no such script",
    "a message could not be read",
  ]);
  assert(isQuiet, "the page's console would say it again");
});

test("a page is reached when it has done what it was asked for before", async () => {
  /** @type {(() => void)[]} */
  const waiting = [];
  let opened = 0;
  const page = new PageThreads(
    (report) => distant.take(report),
    () => {
      ++opened;
      return /** @type {any} */ (new EchoWorker());
    },
  );
  const distant = new DistantThreads((request) => waiting.push(() => page.take(request)));
  distant.open(script, noError);
  const reached = distant.reach().then(() => opened);
  // The page was busy, and now is not.
  for (const deliver of waiting) deliver();
  assert.equal(await reached, 1);
});

test("only a message with a thread is one of a thread, whatever else somebody's worker says", () => {
  for (const data of [undefined, null, "thread", 7, {}, [], { id: 1, result: null }]) {
    assert.equal(isOfThread(data), false);
  }
  assert(isOfThread({ thread: 0, end: true }));
});

test("after its end a page makes no more workers, whatever is still on its way", () => {
  let opened = 0;
  const { distant, page, reports } = connect(() => {
    ++opened;
    return new EchoWorker();
  });
  page.end();
  const thread = /** @type {any} */ (distant.open(script, noError));
  thread.postMessage("a");
  thread.terminate();
  assert.equal(opened, 0);
  assert.deepEqual(reports, []);
});
