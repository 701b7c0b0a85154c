// The checkpoints that ship, and the module that lists them with literal URLs, which bundlers follow.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import {
  convertUseLite,
  isConverted,
  MODEL_FILES,
  MODEL_NAME,
} from "../convert-use-lite/convert.js";
import { ROOT } from "../setup.js";
import { say } from "../shell.js";

const SOURCES = join(ROOT, "tools/convert-use-lite");
const STAMP = join(ROOT, "build/models/stamp");
/** What a reader of the checkpoint fetches; the licence travels beside it. */
const READ_FILES = MODEL_FILES.filter((name) => name.includes("."));

/**
 * Writes the models to `folder`, and the list of them to a module beside it, so that a list inside of
 * somebody's bundle looks for them where the package's own does: in a folder beside it.
 * @param {string} folder dist/models
 */
export function buildModels(folder) {
  const folders = {
    float32: join(ROOT, `build/models/${MODEL_NAME}-f32`),
    int8: join(folder, MODEL_NAME),
  };
  const hash = createHash("sha256");
  for (const name of readdirSync(SOURCES).sort()) hash.update(readFileSync(join(SOURCES, name)));
  const stamp = hash.digest("hex");
  const isCurrent = existsSync(STAMP) && readFileSync(STAMP, "utf8") === stamp;
  if (!isCurrent || !isConverted(folders)) {
    say(`converting the model ${MODEL_NAME}`);
    convertUseLite(folders);
    writeFileSync(STAMP, stamp);
  }
  writeFileSync(`${folder}.js`, listing(basename(folder)));
}

/** @param {string} folder its name @returns {string} */
function listing(folder) {
  const urls = READ_FILES.map(
    (file) => `    "${file}": () => new URL("./${folder}/${MODEL_NAME}/${file}", import.meta.url),`,
  );
  return [
    "/** The models that ship with this package: name, then file, then where it is. */",
    "export const models = {",
    `  "${MODEL_NAME}": {`,
    ...urls,
    "  },",
    "};",
    "",
    "/** The one that is loaded where none is named. */",
    `export const defaultModel = "${MODEL_NAME}";`,
    "",
  ].join("\n");
}
