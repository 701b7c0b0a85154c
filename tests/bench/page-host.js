// The contest in a page.
import { openContest } from "./contest.js";
import { address, loadHeadscope, loadOrt, readFile } from "./page-libraries.js";

/** @param {{ shape: import("./shapes.js").ShapeName, threads: number }} settings */
export async function openInPage(settings) {
  if (!crossOriginIsolated) throw new Error("this page is not cross-origin isolated");
  const folder = `build/bench/models/${settings.shape}/`;
  const [ort, headscope] = await Promise.all([loadOrt(), loadHeadscope()]);
  const read = (/** @type {string} */ file) => readFile(folder + file);
  return openContest({ ort, headscope, read, folder: address(folder) }, settings);
}
