import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import sirv from "sirv";

/** The folder of what the build made. */
export const dist = fileURLToPath(new URL("../../dist/", import.meta.url));

/** What cross-origin isolation asks for. */
export const isolation = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

/** As strict a policy as the page can run under. */
export const strictPolicy = {
  "Content-Security-Policy": [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; "),
};

/** What lets pages of other origins load a file. */
export const openToAll = { "Access-Control-Allow-Origin": "*" };

/**
 * How one path is answered in another way than the rest.
 *
 * @typedef {object} Reply
 * @property {Record<string, string>} [headers] besides those of the server, or in their place
 * @property {number} [status] with `body` in place of the file
 * @property {string | Uint8Array} [body]
 * @property {boolean} [never] no answer comes
 */

/**
 * Serves a folder on loopback.
 *
 * @param {string} folder
 * @param {{ headers?: Record<string, string>, base?: string, replies?: Record<string, Reply> }}
 *   [options] base: the path under which the folder lies, "/" by default; replies: by path from
 *   there, "/worker.js"
 * @returns {Promise<{ url: string, close: () => void }>}
 */
export async function serveFolder(folder, { headers = {}, base = "/", replies = {} } = {}) {
  const answer = sirv(folder, {
    dev: true,
    setHeaders: (response, path) => {
      const own = { ...headers, ...replies[path]?.headers };
      for (const [name, value] of Object.entries(own)) response.setHeader(name, value);
    },
  });
  const server = createServer((request, response) => {
    const notFound = () => {
      response.writeHead(404, headers).end("not found");
    };
    if (!request.url?.startsWith(base)) return notFound();
    request.url = request.url.slice(base.length - 1);
    const reply = replies[request.url];
    if (reply?.never) return;
    if (reply?.body === undefined) return answer(request, response, notFound);
    response.writeHead(reply.status ?? 200, { ...headers, ...reply.headers }).end(reply.body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}${base}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
