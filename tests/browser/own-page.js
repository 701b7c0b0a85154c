import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dist, serveFolder } from "./site-server.js";

/**
 * Serves a page of one's own beside the files of the build, as `./dist/`.
 *
 * @param {string} body what the page holds
 * @returns {Promise<{ url: string, close: () => void }>}
 */
export async function serveOwnPage(body) {
  const folder = mkdtempSync(join(tmpdir(), "headscope-"));
  writeFileSync(join(folder, "index.html"), `<!doctype html><meta charset="utf-8">\n${body}`);
  symlinkSync(dist, join(folder, "dist"));
  const server = await serveFolder(folder);
  return {
    url: server.url,
    close: () => {
      server.close();
      rmSync(folder, { recursive: true });
    },
  };
}
