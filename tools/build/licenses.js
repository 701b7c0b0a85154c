// The licences of what is inside the bundles, the engines and the single page.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../setup.js";
import { SetupError } from "../shell.js";

const FOLDER = join(ROOT, "dist/LICENSES");

/**
 * Writes dist/LICENSES/NAME.txt for each package, and for the engines.
 * @param {string[]} packages
 */
export function writeLicenses(packages) {
  mkdirSync(FOLDER, { recursive: true });
  cpSync(join(ROOT, "tools/build/engine-notices.txt"), join(FOLDER, "engines.txt"));
  for (const name of packages) {
    const source = join(ROOT, "node_modules", name);
    const file = ["LICENSE", "LICENSE.md", "LICENSE.txt", "LICENCE"].find((each) =>
      existsSync(join(source, each)),
    );
    if (!file) throw new SetupError(`${name} is bundled but has no licence file`);
    const { version } = JSON.parse(readFileSync(join(source, "package.json"), "utf8"));
    const text = readFileSync(join(source, file), "utf8");
    writeFileSync(join(FOLDER, `${name.replace("/", "__")}.txt`), `${name} ${version}\n\n${text}`);
  }
}

/**
 * Everything that a copy of the page must carry along: Headscope's own licence, those of what is
 * bundled, and the model's notice and licence.
 * @returns {string}
 */
export function allNotices() {
  const models = join(ROOT, "dist/models");
  const folders = readdirSync(models, { withFileTypes: true }).filter((each) => each.isDirectory());
  const files = [
    join(ROOT, "NOTICE"),
    join(ROOT, "LICENSE"),
    ...readdirSync(FOLDER).map((name) => join(FOLDER, name)),
    ...folders.flatMap(({ name }) => ["NOTICE", "LICENSE"].map((file) => join(models, name, file))),
  ];
  return files.map((file) => readFileSync(file, "utf8").trim()).join(`\n\n${"=".repeat(80)}\n\n`);
}
