// npm run bench: the C++ benchmarks, natively and as relaxed WebAssembly in this Node.
import { runCommand, setUp } from "./setup.js";

await runCommand(async () => {
  setUp();
  const { join } = await import("node:path");
  const { buildPreset } = await import("./build/cmake.js");
  const { ROOT } = await import("./setup.js");
  const { run, say } = await import("./shell.js");
  const { relaxedNodeFlags } = await import("./toolchain/toolchain.js");
  for (const preset of ["native-release", "wasm-relaxed"]) buildPreset(preset, ["headscope_bench"]);
  say("native");
  run(join(ROOT, "build/native-release/headscope_bench"), [], { show: true });
  say(`relaxed WebAssembly in Node ${process.version}`);
  const script = join(ROOT, "build/wasm-relaxed/headscope_bench.js");
  run(process.execPath, [...relaxedNodeFlags(), script], { show: true });
});
