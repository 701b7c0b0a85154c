import { cpSync } from "node:fs";
import resolve from "@rollup/plugin-node-resolve";

/** Rollup does not follow `new URL()`: what Headscope looks for beside its code is copied there. */
const headscopeFiles = {
  name: "headscope-files",
  writeBundle({ dir }) {
    for (const name of ["worker.js", "wasm", "models"])
      cpSync(`node_modules/headscope/dist/${name}`, `${dir}/${name}`, { recursive: true });
  },
};

export default {
  input: "main.js",
  output: { dir: "out", format: "es" },
  plugins: [resolve(), headscopeFiles],
};
