// dist/types: declarations of the public modules, compiled from their JSDoc.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../setup.js";
import { run, say } from "../shell.js";

const TSC = join(ROOT, "node_modules/typescript/bin/tsc");

export function buildTypes() {
  say("compiling types");
  rmSync(join(ROOT, "dist/types"), { recursive: true, force: true });
  run(process.execPath, [TSC, "-p", "tools/build/tsconfig.json"], { cwd: ROOT });
}
