// As a classic script, which does not know where it is.

import { createEngine } from "headscope";
import { compute } from "./compute.js";
import { show } from "./show.js";

const folder = new URL("./headscope/", document.baseURI);

async function run() {
  const engine = await createEngine({
    wasm: new URL("wasm/", folder),
    worker: new URL("worker.js", folder),
  });
  return compute("the cat sat on the mat", new URL("models/use-lite/", folder), { engine });
}

show(run());
