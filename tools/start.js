// npm start: sets up what is missing, builds, serves the page.
import { runCommand, setUp } from "./setup.js";

await runCommand(async () => {
  setUp();
  // Imported late: these need the packages that the set-up installs.
  const { build } = await import("./build/build.js");
  await build({ types: false });
  const { serve } = await import("./serve.js");
  await serve();
});
