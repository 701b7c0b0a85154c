import { numberTable } from "../plots/number-table.js";
import { decimalsToTellFromOne, decimalText } from "../plots/number-text.js";
import { positionCurves } from "../plots/position-curves.js";
import { positionHeatmap, signedKey } from "../plots/position-heatmap.js";
import { visibleText } from "../plots/visible-text.js";
import { HeadscopeElement } from "./element.js";
import { createPanel, isModified, say, show, widthOf } from "./panel.js";
import { placeOf } from "./place.js";

/** @typedef {import("../../bindings/js/trace/matrix.js").Matrix} Matrix */
/** @typedef {import("../plots/palette.js").Theme} Theme */

/** @typedef {{ length: number, d_model: number, base: number,
 *   layout: "interleaved" | "concatenated" }} PositionSettings */

/**
 * `<headscope-positions>`: what position encodings look like, computed by the engine.
 *
 * Attributes: `kind` is sinusoidal; `length` positions of width `d-model`; `base`; `layout` is
 * interleaved (even columns sine, odd columns cosine) or concatenated (all sines, then all
 * cosines); `view` is heatmap, curves or table; `position` is the one that is read off; `theme` is
 * light or dark, the system's by default.
 *
 * Event: `headscope-select` when the reader chooses another position.
 */
export class HeadscopePositions extends HeadscopeElement {
  static observedAttributes = [
    "kind",
    "length",
    "d-model",
    "base",
    "layout",
    "view",
    "position",
    "theme",
  ];

  #panel = createPanel("positions", { role: "group", label: "position codes" });
  /** @type {Matrix | null} */
  #codes = null;
  /** @type {PositionSettings | null} */
  #shown = null;
  #asked = "";
  #failure = "";
  /** @type {{ position: number | null, dimension: number | null }} */
  #hover = { position: null, dimension: null };

  /** @override */
  connectedCallback() {
    super.connectedCallback();
    this.root.replaceChildren(this.#panel.node);
    this.root.addEventListener("pointermove", this.#onPointer);
    this.addEventListener("pointerleave", this.#onPointer);
    this.root.addEventListener("click", this.#onClick);
    this.root.addEventListener("keydown", this.#onKey);
    this.#compute();
  }

  /** @override */
  attributeChangedCallback() {
    super.attributeChangedCallback();
    if (this.isConnected) this.#compute();
  }

  /** The codes that are shown, [length, d_model]; null before there are any. */
  get codes() {
    return this.#codes;
  }

  /** @returns {PositionSettings} */
  get settings() {
    const base = Number.parseFloat(this.getAttribute("base") ?? "");
    return {
      length: this.wholeNumber("length", 50),
      d_model: this.wholeNumber("d-model", 64),
      base: Number.isFinite(base) ? base : 10000,
      layout: this.getAttribute("layout") === "concatenated" ? "concatenated" : "interleaved",
    };
  }

  /** Computes the codes of the settings. An answer to settings that changed since is dropped. */
  async #compute() {
    const settings = this.settings;
    const asked = JSON.stringify([settings, this.getAttribute("kind") ?? "sinusoidal"]);
    if (asked === this.#asked) return;
    this.#asked = asked;
    try {
      const codes = await compute(this.getAttribute("kind") ?? "sinusoidal", settings);
      if (asked !== this.#asked) return;
      this.#codes = codes;
      this.#shown = settings;
      this.#failure = "";
    } catch (error) {
      if (asked !== this.#asked) return;
      this.#failure = error instanceof Error ? error.message : String(error);
    }
    this.requestPaint();
    this.dispatchEvent(new CustomEvent("headscope-codes", { bubbles: true, composed: true }));
  }

  /** @override */
  paint() {
    const panel = this.#panel;
    panel.node.classList.toggle("failed", this.#failure !== "");
    if (this.#failure !== "") say(panel.note, `This did not work. ${visibleText(this.#failure)}`);
    const [codes, settings] = [this.#codes, this.#shown];
    if (codes === null || settings === null) return;
    const position = this.#hover.position ?? this.#pinned;
    const drawing = { codes, settings, theme: this.theme, width: widthOf(panel.box) };
    const draw = drawings[this.getAttribute("view") ?? "heatmap"] ?? drawHeatmap;
    const { title, note, plot, key } = draw({ ...drawing, ...this.#hover, position });
    say(panel.title, title);
    if (this.#failure === "") say(panel.note, note);
    panel.key.replaceChildren(...(key === undefined ? [] : [key]));
    show(panel, plot);
  }

  /**
   * @param {Error} error
   * @override
   */
  paintFailure({ message }) {
    this.#panel.node.classList.add("failed");
    say(this.#panel.note, `This did not work. ${visibleText(message)}`);
    this.#panel.box.replaceChildren();
  }

  /** @param {Event} event */
  #onPointer = (event) => {
    const pointer = /** @type {PointerEvent} */ (event);
    const moved = pointer.type === "pointermove" ? this.#placeOf(pointer) : null;
    const { position, dimension } = moved ?? { position: null, dimension: null };
    if (position === this.#hover.position && dimension === this.#hover.dimension) return;
    this.#hover = { position, dimension };
    this.requestPaint();
  };

  /** @param {Event} event */
  #onClick = (event) => {
    const { position } = this.#placeOf(/** @type {MouseEvent} */ (event));
    if (position === null) return;
    this.#pin(position === this.#pinned ? null : position);
  };

  /** The position that stays read off, if it is among the codes. @returns {number | null} */
  get #pinned() {
    const position = this.wholeNumber("position", -1);
    return position >= 0 && position < (this.#codes?.rows ?? 0) ? position : null;
  }

  /** @param {Event} event */
  #onKey = (event) => {
    const pressed = /** @type {KeyboardEvent} */ (event);
    if (isModified(pressed)) return;
    const last = (this.#codes?.rows ?? 0) - 1;
    const from = this.#pinned;
    const steps = /** @type {Record<string, number | null>} */ ({
      ArrowDown: Math.min(last, (from ?? -1) + 1),
      ArrowRight: Math.min(last, (from ?? -1) + 1),
      ArrowUp: Math.max(0, (from ?? last + 1) - 1),
      ArrowLeft: Math.max(0, (from ?? last + 1) - 1),
      Home: 0,
      End: last,
      Escape: null,
    });
    const to = steps[pressed.key];
    if (to === undefined || last < 0) return;
    event.preventDefault();
    this.#pin(to);
  };

  /** @param {number | null} position */
  #pin(position) {
    this.#hover = { position: null, dimension: null };
    if (position === null) this.removeAttribute("position");
    else this.setAttribute("position", String(position));
    this.requestPaint();
    const detail = { position };
    const event = new CustomEvent("headscope-select", { detail, bubbles: true, composed: true });
    this.dispatchEvent(event);
  }

  /**
   * @param {{ clientX: number, clientY: number }} pointer
   * @returns {{ position: number | null, dimension: number | null }}
   */
  #placeOf(pointer) {
    const under = this.root.elementFromPoint(pointer.clientX, pointer.clientY);
    const place = placeOf(pointer, under);
    return { position: place.position ?? place.row ?? null, dimension: place.col ?? null };
  }
}

/**
 * @typedef {{ codes: Matrix, settings: PositionSettings, theme: Theme, width: number,
 *   position: number | null, dimension: number | null }} Drawing
 * @typedef {{ title: string, note: string, plot: Node, key?: Node }} Drawn
 */

/** @type {Record<string, (drawing: Drawing) => Drawn>} */
const drawings = { heatmap: drawHeatmap, curves: drawCurves, table: drawTable };

/**
 * @param {Drawing} drawing
 * @returns {Drawn}
 */
function drawHeatmap({ codes, theme, width, position, dimension }) {
  const plot = positionHeatmap(codes, { width, theme, position, dimension });
  const title = `${codes.rows} positions, each a row of ${codes.cols} numbers from −1 to 1`;
  return { title, note: readOut(codes, position, dimension), plot, key: signedKey({ theme }) };
}

/**
 * @param {Drawing} drawing
 * @returns {Drawn}
 */
function drawCurves({ codes, settings, theme, width, position }) {
  const { layout } = settings;
  const plot = positionCurves(codes, { width, theme, layout, position });
  const pairs = Math.floor(codes.cols / 2);
  const title = curvesTitle(pairs, settings.base);
  const note =
    "Solid: sine. Dashed: cosine. A wavelength is the number of positions of a full turn.";
  return { title, note, plot };
}

/**
 * What the curves show, and no more: a base up to 1 leaves nothing that slows down.
 *
 * @param {number} pairs how many frequencies there are
 * @param {number} base
 * @returns {string}
 */
function curvesTitle(pairs, base) {
  if (pairs < 2) return "One frequency, as a sine and a cosine";
  if (base > 1 && pairs <= 8) return "Each frequency turns slower than the one before";
  const drawn = pairs > 8 ? `8 of the ${pairs} frequencies` : `${pairs} frequencies`;
  return base > 1 ? `${drawn}, from the fastest to the slowest` : drawn;
}

/**
 * @param {Drawing} drawing
 * @returns {Drawn}
 */
function drawTable({ codes, settings, position }) {
  const columns = Array.from({ length: codes.cols }, (_, column) =>
    Array.from({ length: codes.rows }, (_, row) => codes.at(row, column)),
  );
  const title = `The first ${codes.rows} positions at D = ${settings.d_model}`;
  const table = numberTable(
    {
      corner: "position",
      columns: columns.map((_, column) => `dim. ${column}`),
      rows: Array.from({ length: codes.rows }, (_, row) => ({
        label: String(row),
        values: codes.row(row),
        chosen: row === position,
      })),
    },
    { decimals: columns.map(decimalsToTellFromOne), caption: title },
  );
  return { title, note: "", plot: table };
}

/**
 * @param {Matrix} codes
 * @param {number | null} position
 * @param {number | null} dimension
 * @returns {string}
 */
function readOut(codes, position, dimension) {
  if (position === null || dimension === null || dimension >= codes.cols) {
    return "Blue is positive, orange negative; the background is 0.";
  }
  const value = decimalText(codes.at(position, dimension), 5);
  return `Position ${position}, dimension ${dimension}: ${value}`;
}

/**
 * @param {string} kind
 * @param {PositionSettings} settings
 * @returns {Promise<Matrix>}
 */
async function compute(kind, settings) {
  if (kind !== "sinusoidal") throw new Error(`kind is "${kind}", expected "sinusoidal".`);
  // imported when first needed: importing an element starts nothing
  const { sinusoidalPositions } = await import("../../bindings/js/components.js");
  return sinusoidalPositions(settings);
}
