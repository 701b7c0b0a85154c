import { paletteStyle, plotStyle } from "../plots/style.js";
import { elementStyle } from "./style.js";

/** @typedef {import("../plots/palette.js").Theme} Theme */

// Importing must work where there is no document: a page rendered on a server imports the class
// and never makes an element.
const Base = /** @type {typeof HTMLElement} */ (
  typeof HTMLElement === "undefined" ? class {} : HTMLElement
);

/**
 * What the elements share: a shadow root with the style sheets, the theme, the width, and one
 * painting a frame however many settings change.
 */
export class HeadscopeElement extends Base {
  #due = false;
  #width = 0;
  /** @type {ResizeObserver | undefined} */
  #sizes;
  /** @type {MediaQueryList | undefined} */
  #system;

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = sheets();
  }

  /** @returns {ShadowRoot} */
  get root() {
    return /** @type {ShadowRoot} */ (this.shadowRoot);
  }

  /** The theme in use: the attribute's, else the system's. @returns {Theme} */
  get theme() {
    const asked = this.getAttribute("theme");
    if (asked === "light" || asked === "dark") return asked;
    return this.#system?.matches ? "dark" : "light";
  }

  connectedCallback() {
    this.#system = matchMedia("(prefers-color-scheme: dark)");
    this.#system.addEventListener("change", this.requestPaint);
    this.#sizes = new ResizeObserver(([entry]) => {
      const width = Math.floor(entry?.contentRect.width ?? 0);
      if (width === this.#width) return;
      this.#width = width;
      this.requestPaint();
    });
    this.#sizes.observe(this);
    this.requestPaint();
  }

  disconnectedCallback() {
    this.#sizes?.disconnect();
    this.#system?.removeEventListener("change", this.requestPaint);
  }

  attributeChangedCallback() {
    this.requestPaint();
  }

  /** Asks for one `paint` before the next frame. */
  requestPaint = () => {
    if (this.#due) return;
    this.#due = true;
    requestAnimationFrame(() => {
      this.#due = false;
      if (!this.isConnected || this.#width === 0) return;
      this.root.host.toggleAttribute("data-dark", this.theme === "dark");
      try {
        this.paint();
      } catch (error) {
        this.paintFailure(error instanceof Error ? error : new Error(String(error)));
      }
    });
  };

  /** Draws everything anew; for the classes below. */
  paint() {}

  /**
   * Shows why nothing could be drawn: inside a frame nobody else would tell. For the classes below.
   *
   * @param {Error} _error
   */
  paintFailure(_error) {}

  /**
   * A property that a page has set before the class was defined hides the accessor; this puts the
   * value through it.
   *
   * @param {...string} names
   */
  adoptProperties(...names) {
    for (const name of names) {
      if (!Object.hasOwn(this, name)) continue;
      const value = Reflect.get(this, name);
      Reflect.deleteProperty(this, name);
      Reflect.set(this, name, value);
    }
  }

  /**
   * A whole number from an attribute.
   *
   * @param {string} name
   * @param {number} otherwise where there is none, or no whole number from 0
   * @returns {number}
   */
  wholeNumber(name, otherwise) {
    const text = this.getAttribute(name)?.trim() ?? "";
    return /^\d{1,9}$/.test(text) ? Number(text) : otherwise;
  }
}

/** @type {CSSStyleSheet[] | undefined} */
let shared;

/** @returns {CSSStyleSheet[]} the same ones for all elements */
function sheets() {
  if (shared !== undefined) return shared;
  const texts = [
    `:host { ${paletteStyle("light")} } :host([data-dark]) { ${paletteStyle("dark")} }`,
    plotStyle,
    elementStyle,
  ];
  shared = texts.map((text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    return sheet;
  });
  return shared;
}
