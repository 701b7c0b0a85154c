// JavaScript bundles. Two hosts get the same modules: web ESM, flat in dist/ so that relative URLs hold,
// and Node ESM in dist/node. Engines and models stay files beside them, except in the single page.
import { readFile, writeFile } from "node:fs/promises";
import { basename, join, relative, resolve } from "node:path";
import * as esbuild from "esbuild";
import { baseline, oldestNode } from "../../bindings/js/trace/baseline.js";
import { ROOT } from "../setup.js";
import { SetupError } from "../shell.js";
import { VARIANTS } from "./variants.js";

/** @typedef {Record<string, string>} Entries output name -> source */

/** @param {string} name */
const binding = (name) => join(ROOT, "bindings/js", name);

const BROWSERS = Object.entries(baseline).map(([name, version]) => name + version);

/** @type {Entries} */
export const NODE_ENTRIES = {
  index: binding("index.js"),
  components: binding("components.js"),
  analysis: binding("analysis.js"),
  trace: binding("trace/index.js"),
  inline: binding("inline.js"),
};

/** @type {Entries} */
export const WEB_ENTRIES = {
  ...NODE_ENTRIES,
  elements: join(ROOT, "web/elements/define.js"),
};

/** @type {Entries} */
export const SITE_ENTRIES = { main: join(ROOT, "web/page/main.js") };

/**
 * @param {"browser" | "node"} platform
 * @param {string} version
 * @returns {esbuild.BuildOptions}
 */
function options(platform, version) {
  return {
    absWorkingDir: ROOT,
    bundle: true,
    platform,
    target: platform === "node" ? `node${oldestNode}` : BROWSERS,
    define: { __HEADSCOPE_VERSION__: JSON.stringify(version) },
    minify: true,
    keepNames: false,
    charset: "utf8",
    legalComments: "linked",
    logLevel: "warning",
    metafile: true,
    // The type checker's view of #platform is not this build's.
    tsconfigRaw: {},
  };
}

/**
 * The package imports #wasm/... become files beside the bundle. So does #models, but where the addresses
 * in it stay true in the bundle, which then has one file less to wait for.
 * @param {string} up from the bundle's folder to the one that holds wasm/ and models/: "./" or "../"
 * @returns {esbuild.Plugin}
 */
function besideBundle(up) {
  return {
    name: "beside-bundle",
    setup(build) {
      build.onResolve({ filter: /^#models$/ }, () =>
        up === "./"
          ? { path: join(ROOT, "dist/models.js") }
          : { path: `${up}models.js`, external: true },
      );
      build.onResolve({ filter: /^#wasm\// }, ({ path }) => ({
        path: `${up}${path.slice(1)}`,
        external: true,
      }));
    },
  };
}

/**
 * Makes two chunks of what the package's entries share: the traces' and the engine's. What the same
 * entries reach becomes one chunk, so those that need an engine import all that does, and the others all
 * that traces need. A page that imports one waits for three files; the tokenizers come later.
 * @returns {esbuild.Plugin}
 */
function twoChunks() {
  const namespace = "two-chunks";
  const { index, components, analysis, inline, trace } = NODE_ENTRIES;
  const engine = [index, components, analysis];
  const tokenizer = binding("tokens/tokenizer.js");
  return {
    name: namespace,
    setup(build) {
      build.onResolve({ filter: /./ }, ({ path, kind, namespace: importer, resolveDir }) => {
        // Else the bare imports would be left out: the modules do nothing by themselves.
        if (importer === namespace) return { path, sideEffects: true };
        const file = resolve(resolveDir, path);
        const isEntry =
          kind === "entry-point" ||
          (kind === "dynamic-import" && [...engine, tokenizer].includes(file));
        return isEntry ? { path: file, namespace } : undefined;
      });
      build.onLoad({ filter: /./, namespace }, ({ path }) => {
        const together = engine.includes(path) || path === inline ? [...engine, trace] : [trace];
        // For places where nothing can be fetched later on.
        if (path === inline) together.push(tokenizer);
        const imports = together.map((each) => `import ${JSON.stringify(each)};`).join("");
        return { contents: `${imports}export * from ${JSON.stringify(path)};`, resolveDir: ROOT };
      });
    },
  };
}

/**
 * What the inlined engine is made of: `#inline/NAME.wasm` is a Uint8Array, `#inline/NAME.classic.js` the
 * glue as a module, `#inline/worker` the text of the classic worker script with its glue inside.
 * @param {string} version
 * @returns {esbuild.Plugin}
 */
function inlineEngines(version) {
  return {
    name: "inline-engines",
    setup(build) {
      build.onResolve({ filter: /^#inline\// }, ({ path }) => ({
        path: join(ROOT, "dist/wasm", basename(path)),
        namespace: "inline",
      }));
      build.onLoad({ filter: /\.wasm$/, namespace: "inline" }, async ({ path }) => ({
        contents: await readFile(path),
        loader: "binary",
      }));
      build.onLoad({ filter: /\.js$/, namespace: "inline" }, async ({ path }) => ({
        contents: await readFile(path, "utf8"),
        loader: "js",
      }));
      build.onLoad({ filter: /worker$/, namespace: "inline" }, async () => ({
        contents: await bundleInlineWorker(version),
        loader: "text",
      }));
    },
  };
}

/** @param {string} version @returns {Promise<string>} */
async function bundleInlineWorker(version) {
  const result = await esbuild.build({
    ...options("browser", version),
    entryPoints: [binding("inline-worker.js")],
    format: "iife",
    legalComments: "none",
    write: false,
    plugins: [inlineEngines(version)],
  });
  return result.outputFiles[0].text;
}

/**
 * The single page: its engine is the inlined one and its model is inside as data: URLs.
 * @returns {esbuild.Plugin}
 */
function singlePage() {
  return {
    name: "single-page",
    setup(build) {
      build.onResolve({ filter: /^#platform$/ }, () => ({ path: binding("platform-inline.js") }));
      build.onResolve({ filter: /^#models$/ }, () => ({ path: "models", namespace: "models" }));
      build.onLoad({ filter: /.*/, namespace: "models" }, async () => ({
        contents: await embeddedModels(),
        loader: "js",
      }));
    },
  };
}

/** The generated list of models with the bytes in place of each file's address. */
async function embeddedModels() {
  const listing = await readFile(join(ROOT, "dist/models.js"), "utf8");
  const parts = listing.split(/new URL\("\.\/([^"]+)", import\.meta\.url\)/);
  for (let i = 1; i < parts.length; i += 2) {
    const bytes = await readFile(join(ROOT, "dist", parts[i]));
    const url = `data:application/octet-stream;base64,${bytes.toString("base64")}`;
    parts[i] = `new URL("${url}")`;
  }
  return parts.join("");
}

/**
 * ESM with shared chunks, and the worker's script, which shares none: it is one file to copy for those
 * whose bundler does not, and it does not import what starts it.
 * @param {Entries} entryPoints
 * @param {string} outdir
 * @param {"browser" | "node"} platform
 * @param {string} version
 * @returns {Promise<esbuild.Metafile>}
 */
export async function bundleModules(entryPoints, outdir, platform, version) {
  const up = basename(outdir) === "node" ? "../" : "./";
  const plugins = [besideBundle(up), inlineEngines(version)];
  /** @type {esbuild.BuildOptions} */
  const modules = { ...options(platform, version), outdir, format: "esm", plugins };
  const { metafile } = await esbuild.build({
    ...modules,
    entryPoints,
    plugins: [...(platform === "browser" ? [twoChunks()] : []), ...plugins],
    splitting: true,
    // Flat: what a chunk finds by a relative URL lies beside the entries.
    chunkNames: "chunk-[hash]",
  });
  await esbuild.build({ ...modules, entryPoints: { worker: binding("worker.js") } });
  if (platform === "browser") await leaveGlueAlone(join(outdir, "worker.js"));
  return /** @type {esbuild.Metafile} */ (metafile);
}

/**
 * Has a worker import its engine's glue from a URL that bundlers copy and do not follow: what they
 * follow would split the worker, and Vite before 8 cannot split workers.
 * @param {string} path of the worker's script
 */
async function leaveGlueAlone(path) {
  const script = await readFile(path, "utf8");
  let count = 0;
  const replaced = script.replace(/import\(("\.\/wasm\/[^"]+")\)/g, (_, glue) => {
    ++count;
    return `import(/* webpackIgnore: true */ /* @vite-ignore */ new URL(${glue},import.meta.url).href)`;
  });
  if (count !== VARIANTS.length)
    throw new SetupError(
      `${path} imports ${count} scripts of engines, expected ${VARIANTS.length}`,
    );
  await writeFile(path, replaced);
}

/**
 * The page's script as one classic script, engine and model inside.
 * @param {string} version
 * @returns {Promise<string>}
 */
export async function bundleSinglePage(version) {
  const result = await esbuild.build({
    ...options("browser", version),
    entryPoints: [SITE_ENTRIES.main],
    format: "iife",
    legalComments: "inline",
    write: false,
    plugins: [singlePage(), inlineEngines(version)],
  });
  return result.outputFiles[0].text;
}

/** @param {esbuild.Metafile} metafile @returns {string[]} the packages whose code is inside */
export function bundledPackages(metafile) {
  const names = Object.keys(metafile.inputs)
    .map((path) => relative(ROOT, join(ROOT, path)))
    .map((path) => path.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1])
    .filter((name) => name !== undefined);
  return [...new Set(names)].sort();
}
