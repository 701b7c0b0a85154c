// npm run bench: Headscope against onnxruntime-web, and against the machine's own limit. Options:
// --quick, --only chromium,node,cold,size,growth,kernels, --n 16,64, --threads 1,2, --rounds 6.
import { runCommand, setUp } from "./setup.js";

await runCommand(async () => {
  setUp();
  const { join } = await import("node:path");
  const { readOptions } = await import("../tests/bench/options.js");
  const { build } = await import("./build/build.js");
  const { installPackages, ROOT } = await import("./setup.js");
  const { ensureBrowsers } = await import("./toolchain/browsers.js");
  const options = readOptions(process.argv.slice(2));
  installPackages(join(ROOT, "tests/bench"));
  ensureBrowsers();
  await build({ types: false });
  const { bench } = await import("../tests/bench/bench.js");
  await bench(options);
});
