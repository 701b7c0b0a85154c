// The script of the inlined engine's worker; the engine's bytes come with the first message.

import createHeadscope from "#inline/simd.classic.js";
import { facts, pause, workerEnd } from "./browser.js";
import { fetchFile } from "./fetched-file.js";
import { serve } from "./worker-service.js";

serve(workerEnd(), {
  variants: ["simd"],
  loadGlue: async () => createHeadscope,
  readFile: fetchFile,
  facts,
  pause,
});
