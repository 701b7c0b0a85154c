import { createServer } from "node:http";

/**
 * What a path is answered with; a path that is not there gets `fallback`, or 404.
 *
 * @typedef {{ body: Uint8Array | string, type?: string, status?: number,
 *   encoding?: string, delay_ms?: number }} Reply
 */

/**
 * Serves replies on loopback until the end of a test.
 *
 * @param {import("node:test").TestContext} test
 * @param {Record<string, Reply>} replies by path
 * @param {Reply} [fallback]
 * @returns {Promise<{ address: string, paths: string[], ended: string[] }>} `paths`: asked for so
 *   far; `ended`: those whose reader went away before the end
 */
export async function serveFiles(test, replies, fallback) {
  /** @type {string[]} */
  const paths = [];
  /** @type {string[]} */
  const ended = [];
  const server = createServer(async (request, response) => {
    const path = request.url ?? "";
    paths.push(path);
    response.on("close", () => {
      if (!response.writableEnded) ended.push(path);
    });
    const reply = replies[path] ?? fallback ?? { body: "nothing here", status: 404 };
    const { body, type = "application/octet-stream", status = 200, delay_ms = 0 } = reply;
    const half = Math.floor(body.length / 2);
    response.writeHead(status, {
      "content-type": type,
      "content-length": Buffer.byteLength(body),
      ...(reply.encoding === undefined ? {} : { "content-encoding": reply.encoding }),
    });
    response.write(body.slice(0, half));
    await new Promise((resolve) => setTimeout(resolve, delay_ms));
    response.end(body.slice(half));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return { address: `http://127.0.0.1:${port}/`, paths, ended };
}
