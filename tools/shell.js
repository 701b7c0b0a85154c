// Running other programs: every tool of this repository starts them here, so that a failure always
// names the command and shows what it printed.
import { spawn, spawnSync } from "node:child_process";

/** A failure that the person at the keyboard can mend; its message says how. */
export class SetupError extends Error {}

/**
 * Runs a program and returns what it wrote to stdout.
 * @param {string} program
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, show?: boolean }} [options] show: pass its output through
 * @returns {string} stdout, empty with `show`
 * @throws {SetupError} where it cannot be started or ends with another code than 0
 */
export function run(program, args, { cwd, env, show = false } = {}) {
  const result = spawnSync(program, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: show ? "inherit" : ["ignore", "pipe", "pipe"],
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (result.error) throw new SetupError(`cannot start ${program}: ${result.error.message}`);
  if (result.status !== 0) {
    const tail = show ? "" : `\n${`${result.stdout}\n${result.stderr}`.trim().slice(-4000)}`;
    const end = result.status === null ? `signal ${result.signal}` : `code ${result.status}`;
    throw new SetupError(`${program} ${args.join(" ")}\nended with ${end}${tail}`);
  }
  return result.stdout ?? "";
}

/**
 * @param {string} program
 * @param {string[]} args
 * @returns {string | null} stdout, or null where the program is missing or fails
 */
export function tryRun(program, args) {
  const result = spawnSync(program, args, { encoding: "utf8" });
  return result.error || result.status !== 0 ? null : result.stdout;
}

/** One line of progress. @param {string} text */
export function say(text) {
  process.stdout.write(`[headscope] ${text}\n`);
}

/**
 * Runs a program whose output the person sees while it runs, and keeps it.
 * @param {string} program
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<{ status: number, output: string }>} status: -1 where a signal ended it
 */
export function runShown(program, args, { cwd, env } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    /** @type {string[]} */
    const pieces = [];
    for (const [from, to] of /** @type {const} */ ([
      [child.stdout, process.stdout],
      [child.stderr, process.stderr],
    ])) {
      from.setEncoding("utf8");
      from.on("data", (piece) => {
        pieces.push(piece);
        to.write(piece);
      });
    }
    child.on("error", (error) =>
      reject(new SetupError(`cannot start ${program}: ${error.message}`)),
    );
    child.on("close", (code) => resolve({ status: code ?? -1, output: pieces.join("") }));
  });
}
