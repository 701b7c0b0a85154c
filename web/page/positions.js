import { readAddress, writeAddress } from "./address.js";

/** What the chapter shows at first. @type {Record<string, string>} */
const usual = { length: "50", d_model: "64", base: "10000", layout: "interleaved" };

/**
 * The settings of the positions chapter: its form, its elements and the address agree.
 *
 * @param {HTMLFormElement} form
 */
export function startPositions(form) {
  const elements = document.querySelectorAll("headscope-positions[data-settings]");
  const inFormula = /** @type {HTMLElement} */ (document.getElementById("base-in-formula"));
  const fields = Object.keys(usual).map(
    (name) => /** @type {HTMLInputElement | HTMLSelectElement} */ (form.elements.namedItem(name)),
  );
  const apply = () => {
    for (const field of fields) {
      if (field.value === "" || !field.validity.valid) continue;
      for (const element of elements) {
        element.setAttribute(field.name.replace("_", "-"), field.value);
      }
      if (field.name === "base") inFormula.textContent = field.value;
      writeAddress({ [field.name]: field.value === usual[field.name] ? null : field.value });
    }
  };
  const read = (/** @type {string | null} */ position) => {
    for (const element of elements) {
      if (position === null) element.removeAttribute("position");
      else element.setAttribute("position", position);
    }
    writeAddress({ position });
  };
  for (const element of elements) {
    element.addEventListener("headscope-select", () => read(element.getAttribute("position")));
  }
  const fill = (/** @type {Record<string, string>} */ values) => {
    for (const field of fields) field.value = values[field.name] ?? usual[field.name] ?? "";
    apply();
  };
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    fill({});
    read(null);
  });
  const follow = () => {
    const screen = readAddress();
    fill(screen);
    read(screen.position ?? null);
  };
  window.addEventListener("hashchange", follow);
  follow();
}
