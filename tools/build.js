// npm run build: everything that ships, under dist/.
import { runCommand, setUp } from "./setup.js";

await runCommand(async () => {
  setUp();
  const { build } = await import("./build/build.js");
  await build({ types: true });
});
