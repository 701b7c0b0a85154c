import { cpSync } from "node:fs";
import { build } from "esbuild";

const classic = process.argv.includes("--classic");
const name = classic ? "classic" : "main";

await build({
  entryPoints: [`${name}.js`],
  bundle: true,
  minify: true,
  format: classic ? "iife" : "esm",
  outdir: "out",
  // A classic script is told where the files are, as below.
  logOverride: classic ? { "empty-import-meta": "silent" } : {},
});

cpSync(classic ? "classic.html" : "index.html", "out/index.html");
// esbuild does not follow `new URL()`: what Headscope looks for beside its code is copied there.
for (const file of ["worker.js", "wasm", "models"])
  cpSync(`node_modules/headscope/dist/${file}`, `out/${classic ? "headscope/" : ""}${file}`, {
    recursive: true,
  });
