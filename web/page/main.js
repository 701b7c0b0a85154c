import "../elements/define.js";
import { readAddress, writeAddress } from "./address.js";
import { engineLine } from "./engine-line.js";
import { startPositions } from "./positions.js";
import { referentLine } from "./referent.js";
import { startSentence } from "./sentence.js";
import { startTheme } from "./theme.js";

const examples = [
  "the cat sat on the mat",
  "the mat sat on the cat",
  "dog bites man",
  "man bites dog",
  "The animal didn't cross the street because it was too tired",
];

/** What of the workbench the address holds, besides the text. */
const chosen = ["layer", "head", "token", "key", "scale"];

/**
 * @template {HTMLElement} T
 * @param {string} id
 * @returns {T}
 */
function part(id) {
  return /** @type {T} */ (document.getElementById(id));
}

const attention = /** @type {import("../elements/attention.js").HeadscopeAttention} */ (
  part("attention")
);
const referent = part("referent");
const unresolved = referent.textContent;

const sentence = startSentence(part("sentence"), (text) => {
  if (attention.getAttribute("text") === text) return;
  attention.setAttribute("text", text);
  writeAddress({ text: text === examples[0] ? null : text });
  markExample(text);
});

/** Brings the workbench to what the address says. */
function showAddress() {
  const screen = readAddress();
  for (const name of chosen) {
    if (screen[name] === undefined) attention.removeAttribute(name);
    else attention.setAttribute(name, screen[name]);
  }
  sentence.set(screen.text ?? /** @type {string} */ (examples[0]));
  showChapter(screen.chapter);
}

/** @param {string | undefined} chapter */
function showChapter(chapter) {
  const section = chapter === undefined ? null : document.getElementById(chapter);
  section?.scrollIntoView({ behavior: "instant" });
}

/** Puts what was chosen in the workbench into the address. */
function keepChosen() {
  writeAddress(Object.fromEntries(chosen.map((name) => [name, attention.getAttribute(name)])));
}

/** @param {string} text */
function markExample(text) {
  for (const button of part("examples").querySelectorAll("button")) {
    button.setAttribute("aria-pressed", String(button.textContent === text));
  }
}

function listExamples() {
  for (const text of examples) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    const item = document.createElement("li");
    item.append(button);
    part("examples").append(item);
  }
}

/** @param {MouseEvent} event */
function onClick({ target }) {
  if (!(target instanceof HTMLElement)) return;
  const example = target.dataset.example;
  if (example !== undefined) sentence.set(examples[Number(example)] ?? "");
  else if (target.closest("#examples button")) sentence.set(target.textContent ?? "");
  if (example !== undefined) scrollTo({ top: 0 });
}

/** Marks the chapter that is on the screen, and puts it into the address. */
function followChapters() {
  const links = document.querySelectorAll("a[data-chapter]");
  const seen = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue;
        for (const link of links) {
          const current = link.getAttribute("data-chapter") === target.id;
          link.setAttribute("aria-current", String(current));
        }
        writeAddress({ chapter: target.id === "heads" ? null : target.id });
      }
    },
    { rootMargin: "-45% 0px -50% 0px" },
  );
  for (const section of document.querySelectorAll("main > section")) seen.observe(section);
  for (const link of links) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      const chapter = link.getAttribute("data-chapter") ?? "";
      if (chapter === "heads") scrollTo({ top: 0 });
      else showChapter(chapter);
    });
  }
}

attention.addEventListener("headscope-select", keepChosen);
attention.addEventListener("headscope-trace", () => {
  part("engine").textContent = engineLine(attention);
  const line = attention.trace === null ? null : referentLine(attention.trace);
  referent.textContent = line ?? unresolved;
});
new MutationObserver(keepChosen).observe(attention, { attributeFilter: ["scale"] });
document.addEventListener("click", onClick);
window.addEventListener("hashchange", showAddress);

const { chapter } = readAddress();
attention.addEventListener("headscope-trace", () => showChapter(chapter), { once: true });
listExamples();
startTheme(part("theme"), readAddress().theme);
startPositions(part("position-settings"));
showAddress();
followChapters();
