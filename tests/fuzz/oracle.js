import assert from "node:assert/strict";
import { Encoder, HeadscopeError } from "headscope";
import { groupWords, headRoles, mergeWords, rollout, Trace } from "headscope/trace";

/** @typedef {import("headscope").Engine} Engine */
/** @typedef {import("./random.js").Random} Random */

// What must hold, whatever the input: it is taken, and everything it gives is right in itself, or
// it is refused with one of these codes and a message of a readable length.

const refusals = new Set([
  "bad-argument",
  "bad-shape",
  "bad-checkpoint",
  "unsupported-model",
  "out-of-memory",
  "too-long",
  "not-found",
]);

/** What an error cuts its message to. */
const longestMessage = 1000;

/** No number up to this size leads an encoder of these sizes out of float32. */
const tame = 1000;

const texts = [
  "",
  "a cat dog",
  "Hello, w\u00f6rld! 12345 \u4e2d\u6587 [MASK]</s> \ud83d\ude00\ud800 \ufb01x\t\n\u0000end",
  `${"a".repeat(60)}!`,
  `${"ab".repeat(30)} ${"b c ".repeat(20)}!`,
  " \u00a0 ".repeat(40),
  "\u05e9\u05dc\u05d5\u05dd \u202e e\u0301 1,234,567.5 o'clock ##a \u2581b",
];

/**
 * How an input ended: the code of a refusal.
 *
 * @param {unknown} error
 * @returns {string}
 */
function refusalOf(error) {
  assert(error instanceof HeadscopeError, `no HeadscopeError: ${stackOf(error)}`);
  assert(refusals.has(error.code), `code ${error.code}: ${stackOf(error)}`);
  const { length } = error.message;
  assert(length > 0 && length <= longestMessage, `a message of ${length} letters`);
  return error.code;
}

/** @param {unknown} error */
function stackOf(error) {
  return error instanceof Error ? `${error.stack}\ncause: ${error.cause}` : String(error);
}

/**
 * @param {Promise<Encoder>} loading
 * @param {Random} random
 * @param {{ takesText: boolean }} options
 * @returns {Promise<string>} "fine", or the code of the refusal
 */
export async function checkEncoder(loading, random, { takesText }) {
  let encoder;
  try {
    encoder = await loading;
  } catch (error) {
    return refusalOf(error);
  }
  try {
    await checkRun(encoder, random);
    return takesText ? await checkTexts(encoder, random) : "fine";
  } finally {
    encoder.dispose();
  }
}

/**
 * @param {Encoder} encoder
 * @param {Random} random
 */
async function checkRun(encoder, random) {
  const length = Math.min(random.pick([0, 1, 3, 9]), encoder.config.max_tokens);
  const ids = Array.from({ length }, () => random.below(encoder.vocabularySize));
  const capture = /** @type {any} */ (
    random.pick([[], ["attention", "hidden"], ["query", "output"]])
  );
  await checkNumbers(encoder, await encoder.run({ ids }, { capture }));
}

/**
 * @param {Encoder} encoder
 * @param {Trace} trace
 */
async function checkNumbers(encoder, trace) {
  const lists = [trace.pooled];
  for (const name of trace.names) {
    for (const layer of trace.layers(name).length > 0 ? trace.layers(name) : [undefined]) {
      const heads = trace.heads(name, layer);
      for (const head of heads.length > 0 ? heads : [undefined]) {
        lists.push(trace.get(name, layer, head).data);
      }
    }
  }
  if (lists.every((list) => list.every(Number.isFinite))) return;
  assert(!(await isTame(encoder)), "a result that is not finite");
}

/**
 * @param {Encoder} encoder
 * @returns {Promise<boolean>} whether no number of the model is beyond `tame`
 */
async function isTame(encoder) {
  const { embedding_scale = 1, attention_scale = 1, position } = encoder.config;
  if (embedding_scale > tame || attention_scale > tame) return false;
  if ("base" in position && Number(position.base) < 1) return false;
  for (const name of encoder.parameterNames) {
    const { data } = await encoder.parameter(name);
    assert(data.every(Number.isFinite), `${name} is not finite`);
    if (!data.every((value) => Math.abs(value) <= tame)) return false;
  }
  return true;
}

/**
 * @param {Encoder} encoder
 * @param {Random} random
 * @returns {Promise<string>}
 */
async function checkTexts(encoder, random) {
  const text = random.pick(texts);
  const pair = random.chance(0.3) ? random.pick(texts) : undefined;
  const input = pair === undefined ? { text } : { text, pair };
  try {
    for (const token of await encoder.tokenize(input)) checkToken(token, input, encoder);
    await checkNumbers(encoder, await encoder.run(input, { truncate: true }));
    return "fine";
  } catch (error) {
    return `text: ${refusalOf(error)}`;
  }
}

/**
 * @param {import("headscope").Token} token
 * @param {{ text: string, pair?: string }} input
 * @param {Encoder} encoder
 */
function checkToken({ id, piece, text, start, end, segment, special }, input, { vocabularySize }) {
  const whole = segment === 0 ? input.text : (input.pair ?? "");
  assert(segment === 0 || segment === 1, `segment ${segment}`);
  assert(Number.isInteger(id) && id >= 0 && id < vocabularySize, `id ${id}`);
  assert.equal(typeof piece, "string");
  assert.equal(typeof special, "boolean");
  assert(0 <= start && start <= end && end <= whole.length, `span ${start} to ${end}`);
  assert.equal(text, whole.slice(start, end));
}

/**
 * @param {Uint8Array} bytes
 * @returns {string}
 */
export function checkTrace(bytes) {
  let trace;
  try {
    trace = Trace.fromBytes(bytes);
  } catch (error) {
    return refusalOf(error);
  }
  const given = trace;
  const again = Trace.fromBytes(given.toBytes());
  assert.deepEqual(again.names, given.names);
  assert.equal(again.tokens.length, given.tokens.length);
  const reads = [rollout, mergeWords, groupWords, (/** @type {Trace} */ each) => headRoles([each])];
  for (const read of reads) {
    try {
      read(given);
    } catch (error) {
      refusalOf(error);
    }
  }
  return "fine";
}
