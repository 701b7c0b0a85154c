/** Long enough not to run for every letter of a word, short enough to feel at once. */
const pause_ms = 150;

/**
 * The sentence box: says the text after a short pause in typing, or at once on Enter.
 *
 * @param {HTMLTextAreaElement} box
 * @param {(text: string) => void} onText
 * @returns {{ set(text: string): void }} puts a text there and says it
 */
export function startSentence(box, onText) {
  let timer = 0;
  const say = () => {
    clearTimeout(timer);
    onText(box.value);
  };
  const fit = () => {
    box.style.height = "auto";
    box.style.height = `${box.scrollHeight + 1}px`;
  };
  box.addEventListener("input", () => {
    fit();
    clearTimeout(timer);
    timer = window.setTimeout(say, pause_ms);
  });
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    say();
  });
  window.addEventListener("resize", fit);
  return {
    set(text) {
      box.value = text;
      fit();
      say();
    },
  };
}
