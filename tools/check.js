// npm run check: format, lint, names, types, arrows. Every check runs, whichever fails.
import { runCommand, setUp } from "./setup.js";
import { SetupError, say } from "./shell.js";

await runCommand(async () => {
  setUp();
  const { ensureCheckTools } = await import("./toolchain/toolchain.js");
  ensureCheckTools();
  const { checks } = await import("./suites/checks.js");
  const failed = [];
  for (const [name, check] of Object.entries(checks)) {
    const started = Date.now();
    const isFine = await check();
    say(`${name}: ${isFine ? "fine" : "FAILED"} (${Math.round((Date.now() - started) / 1000)} s)`);
    if (!isFine) failed.push(name);
  }
  if (failed.length > 0)
    throw new SetupError(
      `failed: ${failed.join(", ")}; npm run format mends the formats and what the linter can`,
    );
});
