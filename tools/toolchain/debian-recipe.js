// The private toolchain of Debian 12, whose own Emscripten is too old: Emscripten and Binaryen of the
// next release, unpacked beside its C library, with the LLVM that Debian 12 has itself.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { run, say } from "../shell.js";
import { privateView } from "./apt.js";

const SUITE = "trixie";
const PACKAGES = ["emscripten", "binaryen", "libc6", "libstdc++6", "libgcc-s1", "node-acorn"];
const LEFT_OUT = [
  "./usr/share/emscripten/cache/sysroot/lib/wasm32-emscripten/lto",
  "./usr/share/emscripten/cache/sysroot/lib/wasm32-emscripten/lto-pic",
  "./usr/share/emscripten/cache/sysroot/lib/wasm32-emscripten/pic",
  "./usr/share/emscripten/test",
  "./usr/share/doc",
  "./usr/share/man",
  "*-asan*.a",
];

/**
 * Unpacks Emscripten under `folder`/root and Catch2's sources under `folder`/catch2.
 * @param {string} folder emptied first
 * @returns {void}
 */
export function unpackToolchain(folder) {
  const downloads = join(folder, "downloads");
  const root = join(folder, "root");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(root, { recursive: true });
  mkdirSync(downloads);
  const apt = privateView(downloads, SUITE);
  say(`reading the package lists of ${SUITE} (privately)`);
  apt(["update"]);
  say("downloading Emscripten, Binaryen and Catch2 (about 80 MB)");
  apt(["download", ...PACKAGES]);
  apt(["source", "--download-only", "catch2"]);
  say("unpacking");
  for (const file of readdirSync(downloads)) {
    if (file.endsWith(".deb")) unpackPackage(join(downloads, file), root);
    if (/^catch2_.*\.orig\.tar/.test(file)) unpackCatch(join(downloads, file), folder);
  }
  wrapBinaryen(root);
  linkAcorn(root);
  rmSync(downloads, { recursive: true });
}

/** @param {string} archive @param {string} root */
function unpackPackage(archive, root) {
  const without = LEFT_OUT.map((path) => `--exclude=${path}`);
  const pipe = 'dpkg --fsys-tarfile "$1" | { shift; tar x "$@"; }';
  run("sh", ["-ec", pipe, "unpack", archive, "-C", root, ...without]);
}

/** @param {string} archive @param {string} folder */
function unpackCatch(archive, folder) {
  mkdirSync(join(folder, "catch2"));
  run("tar", ["xf", archive, "-C", join(folder, "catch2"), "--strip-components=1"]);
}

/** Binaryen's programs are linked against the newer C library: each starts through its own loader. @param {string} root */
function wrapBinaryen(root) {
  const libraries = join(root, "usr/lib/x86_64-linux-gnu");
  const loader = [join(root, "usr/lib64"), libraries, join(root, "lib64")]
    .map((path) => join(path, "ld-linux-x86-64.so.2"))
    .find((path) => existsSync(path));
  if (!loader) throw new Error("libc6 holds no ld-linux-x86-64.so.2");
  const wrappers = join(root, "binaryen/bin");
  mkdirSync(wrappers, { recursive: true });
  for (const name of readdirSync(join(root, "usr/bin"))) {
    if (!/^(wasm|binaryen)/.test(name)) continue;
    const program = join(root, "usr/bin", name);
    const wrapper = join(wrappers, name);
    writeFileSync(
      wrapper,
      `#!/bin/sh\nexec "${loader}" --library-path "${libraries}" "${program}" "$@"\n`,
    );
    chmodSync(wrapper, 0o755);
  }
}

/** Emscripten looks for acorn among its own modules; Debian keeps it elsewhere. @param {string} root */
function linkAcorn(root) {
  const modules = join(root, "usr/share/emscripten/node_modules");
  if (existsSync(modules)) renameSync(modules, `${modules}.debian`);
  mkdirSync(modules);
  symlinkSync("../../nodejs/acorn", join(modules, "acorn"));
}
