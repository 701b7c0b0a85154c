// The licences of the packages whose code is inside the bundles.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../setup.js";
import { SetupError } from "../shell.js";

/**
 * Writes dist/LICENSES/NAME.txt for each package.
 * @param {string[]} packages
 */
export function writeLicenses(packages) {
  const folder = join(ROOT, "dist/LICENSES");
  mkdirSync(folder, { recursive: true });
  for (const name of packages) {
    const source = join(ROOT, "node_modules", name);
    const file = ["LICENSE", "LICENSE.md", "LICENSE.txt", "LICENCE"].find((each) =>
      existsSync(join(source, each)),
    );
    if (!file) throw new SetupError(`${name} is bundled but has no licence file`);
    const { version } = JSON.parse(readFileSync(join(source, "package.json"), "utf8"));
    const text = readFileSync(join(source, file), "utf8");
    writeFileSync(join(folder, `${name.replace("/", "__")}.txt`), `${name} ${version}\n\n${text}`);
  }
}
