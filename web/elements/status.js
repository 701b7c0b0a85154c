import { html } from "../plots/node.js";
import { bytesText } from "../plots/number-text.js";
import { visibleText } from "../plots/visible-text.js";
import { say } from "./panel.js";

/** @typedef {import("./load-progress.js").LoadProgress} LoadProgress */
/** @typedef {import("./text-runner.js").Outcome} Outcome */

/**
 * What stands in place of a picture, or over it: loading, an empty sentence, a text that was too
 * long, a failure.
 *
 * @typedef {object} Status
 * @property {HTMLElement} node
 * @property {(outcome: Outcome) => void} tell
 */

/**
 * @param {{ onRetry: () => void, onStop: () => void }} options
 * @returns {Status}
 */
export function createStatus({ onRetry, onStop }) {
  const text = html("p", { role: "status" });
  const empty = html("slot", { name: "empty" });
  const bar = html("progress", { max: 1, "aria-label": "loading the model" });
  const stop = button("Stop", onStop);
  const retry = button("Try again", onRetry);
  const copy = button("Copy the details", async () => {
    await copyText(details, node);
    say(copy, "Copied");
  });
  const buttons = html("div", { class: "buttons" }, stop, retry, copy);
  const node = html("section", { class: "status" }, text, empty, bar, buttons);
  let details = "";
  return {
    node,
    tell(outcome) {
      const { state } = outcome;
      const message = messageOf(outcome);
      node.hidden = message === "";
      const failed = state === "failed" || state === "undrawable";
      node.classList.toggle("failed", failed);
      empty.hidden = !(state === "shown" && outcome.trace.tokens.length === 0);
      bar.hidden = state !== "loading";
      stop.hidden = state !== "loading";
      retry.hidden = state !== "failed" && state !== "stopped";
      copy.hidden = !failed;
      say(text, message);
      say(copy, "Copy the details");
      if (!failed) node.querySelector("textarea")?.remove();
      if (state === "loading") setBar(bar, outcome.progress);
      if (failed) details = detailsOf(outcome.error, outcome.text);
    },
  };
}

/**
 * @param {string} label
 * @param {() => void} onClick
 * @returns {HTMLButtonElement}
 */
function button(label, onClick) {
  const node = html("button", { type: "button" }, label);
  node.addEventListener("click", onClick);
  return node;
}

/**
 * @param {Outcome} outcome
 * @returns {string} "" where nothing needs to be said
 */
function messageOf(outcome) {
  if (outcome.state === "loading") return loadingText(outcome.progress);
  if (outcome.state === "stopped") return "Stopped before the model was there.";
  if (outcome.state === "failed") return failureText(outcome.error);
  if (outcome.state === "undrawable") return undrawableText(outcome.error);
  if (outcome.state !== "shown") return "";
  const { trace, cut } = outcome;
  if (trace.tokens.length === 0)
    return "An empty sentence has no tokens, so nothing looks anywhere.";
  if (cut === 0) return "";
  const kept = trace.tokens.length;
  const last = cut === 1 ? "the last one was" : `the last ${cut} were`;
  return `The model reads at most ${kept} tokens. This text has ${kept + cut}: ${last} cut.`;
}

/**
 * @param {LoadProgress | null} progress
 * @returns {string}
 */
function loadingText(progress) {
  if (progress === null) return "Starting the engine …";
  if (progress.complete) return "Preparing the model …";
  const { loaded_bytes: loaded, total_bytes: total } = progress;
  const known = total === 0 ? "" : ` of ${bytesText(total)}`;
  return `Loading the model: ${bytesText(loaded)}${known}`;
}

/**
 * @param {HTMLProgressElement} bar
 * @param {LoadProgress | null} progress
 */
function setBar(bar, progress) {
  // without a value the browser shows that something goes on, but not how far it is
  if (progress === null || progress.total_bytes === 0) bar.removeAttribute("value");
  else bar.value = progress.loaded_bytes / progress.total_bytes;
}

/** What a reader can do about a failure, by its code. @type {Record<string, string>} */
const advice = {
  "not-found": "Check the connection, then try again.",
  "unsupported-environment":
    "It needs a current Firefox, Chrome, Edge or Safari, and a page whose policy allows WebAssembly.",
  "out-of-memory": "Close other pages or take a shorter text, then try again.",
};

/**
 * @param {Error} error
 * @returns {string} what happened and what to do
 */
function failureText(error) {
  const known = "code" in error ? advice[String(error.code)] : undefined;
  const next = known ?? "Try again; the details help whoever looks into it.";
  return `This did not work: ${sentenceOf(error)} ${next}`;
}

/**
 * @param {Error} error
 * @returns {string} why a trace is not drawn and what to do
 */
function undrawableText(error) {
  const known = "code" in error ? "Give one that holds the weights of every head." : undefined;
  const next = known ?? "The details help whoever looks into it.";
  return `This trace cannot be drawn: ${sentenceOf(error)} ${next}`;
}

/**
 * @param {Error} error whose message may quote what a reader typed
 * @returns {string}
 */
function sentenceOf({ message }) {
  const text = visibleText(message);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/**
 * @param {Error} error
 * @param {string} text
 * @returns {string}
 */
function detailsOf(error, text) {
  const code = "code" in error ? ` (${error.code})` : "";
  return [
    `${error.name}${code}: ${error.message}`,
    `text: ${JSON.stringify(text)}`,
    `browser: ${navigator.userAgent}`,
    `isolated: ${globalThis.crossOriginIsolated === true}`,
    error.stack ?? "",
  ].join("\n");
}

/**
 * @param {string} text
 * @param {HTMLElement} near where to put a text field where there is no clipboard
 */
async function copyText(text, near) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // no clipboard (a page from a file, a refusal): the text is shown selected instead
    const field = html("textarea", { readonly: "", rows: 6, "aria-label": "details" });
    field.value = text;
    near.querySelector("textarea")?.remove();
    near.append(field);
    field.select();
  }
}
