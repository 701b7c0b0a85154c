// Serves dist/site on loopback, isolated (COOP and COEP), so that the threaded engines run.
import { createServer } from "node:http";
import { join } from "node:path";
import sirv from "sirv";
import { ROOT } from "./setup.js";
import { SetupError, say } from "./shell.js";

const FIRST_PORT = 8080;
const LAST_PORT = 8099;

/**
 * Serves until the process ends; prints the address.
 * @returns {Promise<void>} when it listens
 * @throws {SetupError} where no port is free
 */
export async function serve() {
  const answer = sirv(join(ROOT, "dist/site"), {
    dev: true,
    setHeaders(response) {
      response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
      response.setHeader("Cross-Origin-Embedder-Policy", "require-corp");
    },
  });
  const server = createServer((request, response) => {
    answer(request, response, () => {
      response.writeHead(404).end("not found");
    });
  });
  const given = Number(process.env.PORT);
  const ports = given ? [given] : range(FIRST_PORT, LAST_PORT);
  for (const port of ports) {
    if (!(await listens(server, port))) continue;
    say(`ready: http://127.0.0.1:${port}/   (Ctrl+C ends it)`);
    return;
  }
  throw new SetupError(`no free port in ${ports.join(", ")}: set PORT to one that is free`);
}

/** @param {number} first @param {number} last */
function range(first, last) {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/** @param {import("node:http").Server} server @param {number} port @returns {Promise<boolean>} */
function listens(server, port) {
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => resolve(true));
  });
}
