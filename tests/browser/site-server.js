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

/**
 * Serves a folder on loopback.
 *
 * @param {string} folder
 * @param {{ headers?: Record<string, string>, base?: string }} [options] base: the path under which
 *   the folder lies, "/" by default
 * @returns {Promise<{ url: string, close: () => void }>}
 */
export async function serveFolder(folder, { headers = {}, base = "/" } = {}) {
  const answer = sirv(folder, {
    dev: true,
    setHeaders: (response) => {
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    },
  });
  const server = createServer((request, response) => {
    const notFound = () => {
      response.writeHead(404).end("not found");
    };
    if (!request.url?.startsWith(base)) return notFound();
    request.url = request.url.slice(base.length - 1);
    answer(request, response, notFound);
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
