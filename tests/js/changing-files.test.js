// Files that change, lie or vanish while a checkpoint is read: each is told with its name, by an
// error of this package, and the engine goes on.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, test } from "node:test";
import { createEngine, Encoder } from "headscope";
import { expectRejection } from "./expect-rejection.js";
import { makeCheckpoint } from "./tiny-model.js";
import { joinFile } from "./weight-file.js";

const engine = await createEngine({ variant: "simd" });
const inWorker = await createEngine({ variant: "simd", worker: true });
after(() => Promise.all([engine.dispose(), inWorker.dispose()]));

const whole = await makeCheckpoint(engine);
const ids = [3, 1, 4, 1, 5];

/** @param {import("headscope").Engine} home */
async function goesOn(home) {
  const encoder = await Encoder.fromPretrained(whole, { engine: home });
  assert.equal((await encoder.run({ ids })).tokens.length, ids.length);
  encoder.dispose();
}

test("a file that has changed since it was chosen is named", async () => {
  const changed = {
    arrayBuffer: () => Promise.reject(new DOMException("it has changed", "NotReadableError")),
  };
  const files = {
    ...whole,
    "tokenizer.json": /** @type {Blob} */ (/** @type {unknown} */ (changed)),
  };
  await expectRejection(
    "not-found",
    /^tokenizer\.json cannot be read: it has changed$/,
    Encoder.fromPretrained(files, { engine }),
  );
});

test("a length that no memory holds is out of memory, with the address", async (context) => {
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-length": 2 ** 52 });
    response.write("{");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  await expectRejection(
    "out-of-memory",
    /^http:\/\/127\.0\.0\.1:\d+\/\S+: no room for 4503599627370496 bytes/,
    Encoder.fromPretrained(new URL(`http://127.0.0.1:${port}/`), { engine }),
  );
});

for (const [where, home] of /** @type {const} */ ([
  ["on the calling thread", engine],
  ["in a worker", inWorker],
])) {
  test(`two hundred thousand empty tensors are refused by name, ${where}`, async () => {
    const names = Array.from({ length: 200_000 }, (_, i) => `extra.${i}`);
    const empty = { dtype: "F32", shape: [0], data_offsets: [0, 0] };
    const header = Object.fromEntries(names.map((name) => [name, empty]));
    const files = { ...whole, "model.safetensors": joinFile(header) };
    await expectRejection(
      "bad-checkpoint",
      /"extra\.\d+" is not a parameter of this model/,
      Encoder.fromPretrained(files, { engine: home }),
    );
    await goesOn(home);
  });

  test(`weights that are given away while they load are an argument's fault, ${where}`, async () => {
    const given = /** @type {Uint8Array<ArrayBuffer>} */ (whole["model.safetensors"]).slice();
    const loading = Encoder.fromPretrained(
      { ...whole, "model.safetensors": given },
      { engine: home },
    );
    // After the header has been read, before the engine has answered.
    setImmediate(() => structuredClone(given, { transfer: [given.buffer] }));
    const outcome = await loading.then(
      (encoder) => encoder.run({ ids }).finally(() => encoder.dispose()),
      (error) => /** @type {{ name: string, code: string }} */ (error),
    );
    // Whichever came first.
    if ("code" in outcome) {
      assert.equal(outcome.name, "HeadscopeError");
      assert.match(outcome.code, /^bad-(argument|checkpoint)$/);
    } else {
      assert.equal(outcome.tokens.length, ids.length);
    }
    await goesOn(home);
  });
}
