// Debian packages: what the machine lacks is installed; what its release has too old is unpacked from
// a private view of a newer release, which leaves the machine's own package lists untouched.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run, SetupError, say, tryRun } from "../shell.js";

/** @typedef {{ uri: string, signedBy: string | null }} Archive */

/** @returns {{ id: string, version: string } | null} the distribution, null where it names none */
export function distribution() {
  if (!existsSync("/etc/os-release")) return null;
  const text = readFileSync("/etc/os-release", "utf8");
  const field = (/** @type {string} */ name) =>
    text.match(new RegExp(`^${name}="?([^"\n]*)`, "m"))?.[1] ?? "";
  return { id: field("ID"), version: field("VERSION_ID") };
}

/** @param {string[]} packages @returns {string[]} those that are not installed */
export function missingPackages(packages) {
  const format = ["-W", "-f", "$" + "{Package} $" + "{db:Status-Abbrev}\n"];
  return packages.filter((name) => !/ ii/.test(tryRun("dpkg-query", [...format, name]) ?? ""));
}

/**
 * Installs what is missing of the packages, as root or by sudo.
 * @param {string[]} packages
 * @param {string} purpose said to the person who waits
 * @throws {SetupError} with the command to type where this user may not install
 */
export function installPackages(packages, purpose) {
  const missing = missingPackages(packages);
  if (missing.length === 0) return;
  const install = ["apt-get", "install", "-y", "--no-install-recommends", ...missing];
  const byHand = `needed ${purpose}; as root: apt-get update && ${install.join(" ")}`;
  const isRoot = process.getuid?.() === 0;
  if (!isRoot && tryRun("sudo", ["--version"]) === null) throw new SetupError(byHand);
  say(`installing ${missing.join(" ")} (${purpose})`);
  const privileged = isRoot ? ["env"] : ["sudo", "env"];
  const start = [...privileged.slice(1), "DEBIAN_FRONTEND=noninteractive"];
  try {
    run(privileged[0], [...start, "apt-get", "-q", "update"]);
    run(privileged[0], [...start, ...install]);
  } catch (error) {
    throw new SetupError(`${byHand}\n${error instanceof Error ? error.message : error}`);
  }
}

/**
 * The archive that the machine itself takes its packages from.
 * @returns {Archive}
 * @throws {SetupError} where its sources name no Debian archive
 */
export function ownArchive() {
  for (const file of sourceFiles()) {
    const text = readFileSync(file, "utf8");
    const found = file.endsWith(".sources") ? stanzaArchive(text) : lineArchive(text);
    if (found) return found;
  }
  throw new SetupError(
    "no entry of a .../debian archive under /etc/apt; add one, or install emsdk",
  );
}

function sourceFiles() {
  const folder = "/etc/apt/sources.list.d";
  const inFolder = existsSync(folder) ? readdirSync(folder).sort() : [];
  return ["/etc/apt/sources.list", ...inFolder.map((name) => join(folder, name))]
    .filter((file) => /\.(list|sources)$/.test(file))
    .filter((file) => existsSync(file));
}

/** @param {string} uri */
function isDebianArchive(uri) {
  return /\/debian\/?$/.test(uri);
}

/** Deb822 stanzas. Comments hold look-alikes, so keys count at the line's start only. @param {string} text */
function stanzaArchive(text) {
  for (const stanza of text.split(/\n\s*\n/)) {
    const field = (/** @type {string} */ name) =>
      stanza.match(new RegExp(`^${name}:[ \t]*(.*)$`, "mi"))?.[1].trim() ?? "";
    const uri = field("URIs").split(/\s+/).find(isDebianArchive);
    const isOff = /^(no|false|off|0)$/i.test(field("Enabled"));
    if (uri && !isOff) return { uri, signedBy: field("Signed-By") || null };
  }
  return null;
}

/** The older form: `deb [options] uri suite components`. @param {string} text */
function lineArchive(text) {
  for (const line of text.split("\n")) {
    const match = line.match(/^deb\s+(?:\[([^\]]*)\]\s+)?(\S+)\s/);
    if (match && isDebianArchive(match[2]))
      return { uri: match[2], signedBy: match[1]?.match(/signed-by=(\S+)/)?.[1] ?? null };
  }
  return null;
}

/**
 * A view of one release of the machine's archive, with lists and cache of its own under `folder`.
 * @param {string} folder
 * @param {string} suite
 * @returns {(command: string[]) => void} runs apt-get in that view; downloads land in `folder`
 */
export function privateView(folder, suite) {
  const { uri, signedBy } = ownArchive();
  const [sources, lists, cache] = ["sources", "lists", "cache"].map((name) => join(folder, name));
  for (const path of [sources, join(lists, "partial"), join(cache, "archives/partial")])
    mkdirSync(path, { recursive: true });
  const signature = signedBy ? `Signed-By: ${signedBy}\n` : "";
  writeFileSync(
    join(sources, `${suite}.sources`),
    `Types: deb deb-src\nURIs: ${uri}\nSuites: ${suite}\nComponents: main\n${signature}`,
  );
  const options = [
    "Dir::Etc::SourceList=/dev/null",
    `Dir::Etc::SourceParts=${sources}`,
    "Dir::Etc::PreferencesParts=/dev/null",
    `Dir::State::Lists=${lists}`,
    `Dir::Cache=${cache}`,
    "APT::Sandbox::User=root",
  ].flatMap((option) => ["-o", option]);
  return (command) => {
    run("apt-get", [...options, "-q", ...command], { cwd: folder });
  };
}
