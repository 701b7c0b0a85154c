import assert from "node:assert/strict";
import { HeadscopeError } from "headscope";

/**
 * Checks that a call rejects with a HeadscopeError of a code, and a message.
 *
 * @param {import("../../bindings/js/trace/error.js").ErrorCode} code
 * @param {RegExp} message
 * @param {Promise<unknown> | (() => Promise<unknown>)} call
 */
export async function expectRejection(code, message, call) {
  await assert.rejects(call, (error) => {
    assert(error instanceof HeadscopeError, `expected a HeadscopeError, got ${error}`);
    assert.equal(error.name, "HeadscopeError");
    assert.equal(error.code, code, error.message);
    assert.match(error.message, message);
    return true;
  });
}
