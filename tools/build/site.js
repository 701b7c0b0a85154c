// The page in two forms: dist/site for any static host, dist/headscope.html as one file for file://.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../setup.js";
import { SetupError } from "../shell.js";
import { bundleModules, bundleSinglePage, SITE_ENTRIES } from "./bundles.js";
import { allNotices } from "./licenses.js";

const PAGE = join(ROOT, "web/page");
const DIST = join(ROOT, "dist");
const SCRIPT = /<script type="module" src="\.\/main\.js"><\/script>/;
const ICON = /<link rel="icon" href="\.\/([^"]+\.svg)"/g;
const STYLESHEET = /<link rel="stylesheet" href="\.\/([^"]+)"\s*\/?>/g;

/** @param {string} version */
export async function buildSite(version) {
  const folder = join(DIST, "site");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await bundleModules(SITE_ENTRIES, folder, "browser", version);
  for (const name of readdirSync(PAGE)) {
    if (!name.endsWith(".js")) cpSync(join(PAGE, name), join(folder, name), { recursive: true });
  }
  writeFileSync(join(folder, "LICENSES.txt"), allNotices());
  cpSync(join(DIST, "models"), join(folder, "models"), { recursive: true });
  cpSync(join(DIST, "wasm"), join(folder, "wasm"), {
    recursive: true,
    filter: (path) => !/\.(node\.mjs|classic\.js)$/.test(path),
  });
}

/** @param {string} version */
export async function buildSinglePage(version) {
  const page = readFileSync(join(PAGE, "index.html"), "utf8");
  if (!SCRIPT.test(page))
    throw new SetupError(`web/page/index.html does not hold ${SCRIPT.source}`);
  const script = escapeScript(await bundleSinglePage(version));
  const styled = page.replace(STYLESHEET, (_, name) => {
    const style = readFileSync(join(PAGE, name), "utf8");
    return `<style>\n${style.replaceAll("</style", "<\\/style")}</style>`;
  });
  const pictured = styled.replace(ICON, (_, name) => {
    const bytes = readFileSync(join(PAGE, name));
    return `<link rel="icon" href="data:image/svg+xml;base64,${bytes.toString("base64")}"`;
  });
  // The script comes last in the body: a classic one is not deferred.
  const withoutScript = pictured.replace(SCRIPT, "");
  const end = withoutScript.lastIndexOf("</body>");
  if (end < 0) throw new SetupError("web/page/index.html has no </body>");
  writeFileSync(
    join(DIST, "headscope.html"),
    `${withoutScript.slice(0, end)}<script>\n${script}</script>\n${noticesComment()}${withoutScript.slice(end)}`,
  );
}

/** The notices where a reader of the file's source finds them; two hyphens would end a comment. @returns {string} */
function noticesComment() {
  return `<!--\n${allNotices().replaceAll("--", "- -")}\n-->\n`;
}

/** What would end or confuse an inline script; inside strings and regular expressions alike `\x3c` is `<`. @param {string} script */
function escapeScript(script) {
  return script.replace(/<(?=\/script|script|!--)/gi, "\\x3c");
}
