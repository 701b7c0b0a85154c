// npm run format: formats C++ and JavaScript in place and applies the linter's safe fixes.
import { runCommand, setUp } from "./setup.js";

await runCommand(async () => {
  setUp();
  const { ensureCheckTools } = await import("./toolchain/toolchain.js");
  ensureCheckTools();
  const { formatAll } = await import("./suites/checks.js");
  formatAll();
});
