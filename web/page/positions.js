import { readAddress, writeAddress } from "./address.js";

/** What the chapter shows at first. @type {Record<string, string>} */
const usual = { length: "50", d_model: "64", base: "10000", layout: "interleaved" };

/**
 * The settings of the positions chapter: its form, its formula, its elements and the address agree.
 *
 * @param {HTMLFormElement} form
 */
export function startPositions(form) {
  const elements = document.querySelectorAll("headscope-positions[data-settings]");
  const fields = Object.keys(usual).map(
    (name) => /** @type {HTMLInputElement | HTMLSelectElement} */ (form.elements.namedItem(name)),
  );
  const apply = () => {
    for (const { name, value } of fields.filter(isFilled)) {
      for (const element of elements) element.setAttribute(name.replace("_", "-"), value);
      if (name === "base") showBase(value);
      if (name === "layout") showFormula(value);
      writeAddress({ [name]: value === usual[name] ? null : value });
    }
  };
  const show = (/** @type {Record<string, string>} */ screen) => {
    for (const field of fields) field.value = screen[field.name] ?? usual[field.name] ?? "";
    apply();
    pinPosition(elements, screen.position ?? null);
  };
  for (const element of elements) {
    element.addEventListener("headscope-select", () => {
      pinPosition(elements, element.getAttribute("position"));
    });
  }
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    show({});
  });
  window.addEventListener("hashchange", () => show(readAddress()));
  show(readAddress());
}

/**
 * @param {HTMLInputElement | HTMLSelectElement} field
 * @returns {boolean} whether it holds what can be computed
 */
function isFilled({ value, validity }) {
  return value !== "" && validity.valid;
}

/** @param {string} base */
function showBase(base) {
  for (const node of document.querySelectorAll(".formula .base")) node.textContent = base;
}

/** @param {string} layout */
function showFormula(layout) {
  for (const formula of document.querySelectorAll("[data-layout]")) {
    formula.toggleAttribute("hidden", formula.getAttribute("data-layout") !== layout);
  }
}

/**
 * Reads the same position off in all elements.
 *
 * @param {Iterable<Element>} elements
 * @param {string | null} position
 */
function pinPosition(elements, position) {
  for (const element of elements) {
    if (position === null) element.removeAttribute("position");
    else element.setAttribute("position", position);
  }
  writeAddress({ position });
}
