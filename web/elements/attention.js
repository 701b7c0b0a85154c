import { html } from "../plots/node.js";
import { moveBy } from "./attention-keys.js";
import {
  gridPanel,
  headingPanel,
  heatmapPanel,
  linesPanel,
  numbersPanel,
  tokensPanel,
} from "./attention-panels.js";
import { attentionHeads } from "./attention-state.js";
import { HeadscopeElement } from "./element.js";
import { isModified, widthOf } from "./panel.js";
import { placeOf } from "./place.js";
import { createStatus } from "./status.js";
import { TextRunner } from "./text-runner.js";

/** @typedef {import("../../bindings/js/trace/trace.js").Trace} Trace */
/** @typedef {import("./attention-panels.js").AttentionPanel} AttentionPanel */
/** @typedef {import("./attention-state.js").AttentionState} AttentionState */
/** @typedef {import("./encoders.js").Source} Source */
/** @typedef {import("./place.js").Place} Place */
/** @typedef {import("./text-runner.js").Outcome} Outcome */

/**
 * What is chosen; the detail of `headscope-select`.
 *
 * @typedef {{ layer: number, head: number, token: number | null }} Selection
 */

/**
 * What was to be run when a trace came about.
 *
 * @typedef {{ text: string | null, source: Source }} Asked
 */

/** Which panels a view shows, in reading order. @type {Record<string, string[]>} */
const views = {
  head: ["heading", "lines"],
  heatmap: ["heading", "heatmap"],
  grid: ["grid"],
  tokens: ["tokens"],
  numbers: ["numbers"],
  workbench: ["tokens", "grid", "heading", "lines", "heatmap", "numbers"],
};

/**
 * `<headscope-attention>`: what the heads of an encoder attend to.
 *
 * Attributes: `text` is run through `model` (the one that ships, by default); `view` is head
 * (lines), heatmap, grid, tokens, numbers or workbench (all of them); `layer`, `head`, `token` (a
 * query token) and `key` (a key token) are what is chosen; `threshold` is the least weight that becomes a line; `scale` is one or row-max;
 * `theme` is light or dark, the system's by default.
 *
 * Properties: `trace` is what is shown; setting it shows another. `checkpoint` takes the place of
 * `model`: whatever `Encoder.fromPretrained` takes. `encoder` is the one that ran the text.
 *
 * Events: `headscope-select` when the reader chooses another head or token, `headscope-trace` when
 * a text has been run, `headscope-error` when it could not be, or a trace could not be drawn.
 */
export class HeadscopeAttention extends HeadscopeElement {
  static observedAttributes = [
    "text",
    "model",
    "view",
    "layer",
    "head",
    "token",
    "key",
    "threshold",
    "scale",
    "theme",
  ];

  /** @type {Trace | null} */
  #trace = null;
  /** The trace that has turned out not to hold what the view draws. @type {Trace | null} */
  #undrawable = null;
  /** What the trace stands for; null where there is none. @type {Asked | null} */
  #settled = null;
  /** Whether what is set from now on takes effect at once. */
  #connected = false;
  /** @type {import("./text-runner.js").Outcome} */
  #outcome = { state: "waiting" };
  /** @type {Source} */
  #checkpoint;
  /** @type {Place} */
  #hover = {};
  #laidOut = "";
  /** @type {AttentionPanel[]} */
  #panels = [];
  #runner = new TextRunner((outcome) => this.#take(outcome));
  #status = createStatus({
    onRetry: () => this.#runText(),
    onStop: () => this.#runner.stopLoading(this.#source()),
  });

  /** @override */
  connectedCallback() {
    super.connectedCallback();
    this.adoptProperties("trace", "checkpoint");
    const { root } = this;
    root.addEventListener("pointermove", this.#onPointer);
    root.addEventListener("pointerleave", this.#onPointer);
    this.addEventListener("pointerleave", this.#onPointer);
    root.addEventListener("click", this.#onClick);
    root.addEventListener("keydown", this.#onKey);
    this.#connected = true;
    const { text, source } = this.#asked();
    const same = this.#settled?.text === text && this.#settled.source === source;
    if (this.#settled === null || !same) this.#runText();
  }

  /** @override */
  disconnectedCallback() {
    super.disconnectedCallback();
    this.#connected = false;
    this.#runner.stop();
    // what was under way is run anew when the element is back
    if (this.#outcome.state === "loading") this.#outcome = { state: "waiting" };
  }

  /**
   * @param {string} [name]
   * @param {string | null} [before]
   * @param {string | null} [now]
   * @override
   */
  attributeChangedCallback(name, before, now) {
    super.attributeChangedCallback();
    if (before === now) return;
    if ((name === "text" || name === "model") && this.#connected) this.#runText();
    if (name === "view" && this.#outcome.state === "undrawable") this.#drawAnew();
  }

  /** What is shown; null before there is anything. @returns {Trace | null} */
  get trace() {
    return this.#trace;
  }

  set trace(trace) {
    this.#runner.stop();
    this.#outcome = { state: "waiting" };
    this.#show(trace, this.#asked());
  }

  /** What the text is run on, in place of `model`. @returns {Source} */
  get checkpoint() {
    return this.#checkpoint;
  }

  set checkpoint(source) {
    this.#checkpoint = source;
    if (this.#connected) this.#runText();
  }

  /** The encoder that ran the text; null before there is one. */
  get encoder() {
    return this.#outcome.state === "shown" ? this.#outcome.encoder : null;
  }

  /** What is chosen. @returns {Selection} */
  get selection() {
    return { ...this.#chosen(), token: this.#index("token") };
  }

  /** Runs the text of the attribute, if there is one. */
  #runText() {
    const { text, source } = this.#asked();
    if (text === null) return;
    this.#settled = null;
    this.#runner.run(text, source);
  }

  /** @returns {Asked} what the attributes and the checkpoint ask for */
  #asked() {
    return { text: this.getAttribute("text"), source: this.#source() };
  }

  /** @returns {Source} */
  #source() {
    return this.#checkpoint ?? this.getAttribute("model") ?? undefined;
  }

  /** @param {Outcome} outcome */
  #take(outcome) {
    this.#outcome = outcome;
    if (outcome.state === "shown") {
      this.#show(outcome.trace, this.#asked());
      this.dispatchEvent(new CustomEvent("headscope-trace", { bubbles: true, composed: true }));
      return;
    }
    if (outcome.state === "failed") this.#tellError(outcome.error);
    this.requestPaint();
  }

  /** @param {Error} error */
  #tellError(error) {
    const detail = { error };
    const event = new CustomEvent("headscope-error", { detail, bubbles: true, composed: true });
    this.dispatchEvent(event);
  }

  /**
   * @param {Trace | null} trace
   * @param {Asked} asked what it stands for
   */
  #show(trace, asked) {
    this.#trace = trace;
    this.#undrawable = null;
    this.#settled = trace === null ? null : asked;
    this.#hover = {};
    this.requestPaint();
  }

  /** Draws what could not be drawn once more: another view may need less of it. */
  #drawAnew() {
    this.#undrawable = null;
    this.#outcome = { state: "waiting" };
    this.requestPaint();
  }

  /** @override */
  paint() {
    this.#layOut();
    this.#status.tell(this.#outcome);
    const trace = this.#trace;
    const ready = trace !== null && trace !== this.#undrawable && trace.tokens.length > 0;
    const view = this.root.querySelector(".view");
    view?.classList.toggle("long", (trace?.tokens.length ?? 0) > 9);
    view?.classList.toggle("stale", this.#outcome.state === "failed");
    for (const panel of this.#panels) panel.node.hidden = !ready;
    if (!ready) return;
    const state = this.#state(trace);
    // all widths before the first plot: reading one after drawing makes the browser lay out anew
    const widths = this.#panels.map(({ box }) => (box === undefined ? 0 : widthOf(box)));
    this.#panels.forEach((panel, index) => {
      panel.paint(state, /** @type {number} */ (widths[index]));
    });
  }

  /**
   * @param {Error} error
   * @override
   */
  paintFailure(error) {
    this.#undrawable = this.#trace;
    this.#outcome = { state: "undrawable", error, text: this.#trace?.text ?? "" };
    for (const panel of this.#panels) panel.node.hidden = true;
    this.#status.tell(this.#outcome);
    this.#tellError(error);
  }

  /** Makes the panels of the view, where they are not there yet. */
  #layOut() {
    const view = this.getAttribute("view") ?? "head";
    const names = /** @type {string[]} */ (views[view] ?? views.head);
    if (this.#laidOut === names.join()) return;
    this.#laidOut = names.join();
    this.#panels = names.map((name) => this.#createPanel(name));
    const body = html("div", { class: `view ${views[view] ? view : "head"}` });
    body.append(...this.#panels.map(({ node }) => node));
    this.root.replaceChildren(this.#status.node, body);
  }

  /**
   * @param {string} name
   * @returns {AttentionPanel}
   */
  #createPanel(name) {
    if (name === "tokens") return tokensPanel();
    if (name === "grid") return gridPanel();
    if (name === "lines") return linesPanel();
    if (name === "heatmap") return heatmapPanel((scale) => this.setAttribute("scale", scale));
    if (name === "numbers") return numbersPanel();
    return headingPanel();
  }

  /**
   * @param {Trace} trace
   * @returns {AttentionState}
   */
  #state(trace) {
    const { layer, head, token, key } = this.#hover;
    const hovered = layer !== undefined && head !== undefined ? { layer, head } : null;
    const looked = token ?? (key === undefined ? this.#index("token") : null);
    const threshold = Number.parseFloat(this.getAttribute("threshold") ?? "");
    return {
      trace,
      chosen: this.#chosen(),
      hovered,
      token: looked,
      key: key ?? (token === undefined ? this.#index("key") : null),
      theme: this.theme,
      scale: this.getAttribute("scale") === "row-max" ? "row-max" : "one",
      threshold: Number.isFinite(threshold) ? threshold : null,
    };
  }

  /** @returns {{ layer: number, head: number }} within what the trace holds */
  #chosen() {
    const captured = this.#trace === null ? new Map() : attentionHeads(this.#trace);
    const layer = this.#oneOf("layer", [...captured.keys()]);
    return { layer, head: this.#oneOf("head", captured.get(layer) ?? []) };
  }

  /**
   * @param {"layer" | "head"} name
   * @param {number[]} captured ascending
   * @returns {number} what the attribute asks for, or the nearest end of what there is
   */
  #oneOf(name, captured) {
    const [first = 0, last = first] = [captured[0], captured.at(-1)];
    const wanted = this.wholeNumber(name, first);
    if (captured.length === 0 || captured.includes(wanted)) return wanted;
    return wanted < first ? first : last;
  }

  /**
   * @param {"token" | "key"} name
   * @returns {number | null} the chosen token, if the text has it
   */
  #index(name) {
    const count = this.#trace?.tokens.length ?? 0;
    const index = this.wholeNumber(name, -1);
    return index >= 0 && index < count ? index : null;
  }

  /** @param {Event} event */
  #onPointer = (event) => {
    const pointer = /** @type {PointerEvent} */ (event);
    const place = pointer.type === "pointermove" ? this.#placeOf(pointer) : {};
    const same = (/** @type {keyof Place} */ name) => place[name] === this.#hover[name];
    if (same("layer") && same("head") && same("token") && same("key")) return;
    this.#hover = place;
    this.requestPaint();
  };

  /** @param {Event} event */
  #onClick = (event) => {
    const place = this.#placeOf(/** @type {MouseEvent} */ (event));
    if (place.layer !== undefined) this.#select({ layer: place.layer, head: place.head ?? 0 });
    else if (place.token !== undefined) {
      const same = place.token === this.#index("token");
      const again = same && (place.key ?? null) === this.#index("key");
      this.#select(
        again ? { token: null, key: null } : { token: place.token, key: place.key ?? null },
      );
    } else if (place.key !== undefined) this.#select({ key: place.key, token: null });
  };

  /** @param {Event} event */
  #onKey = (event) => {
    const pressed = /** @type {KeyboardEvent} */ (event);
    const trace = this.#trace;
    const box = /** @type {Element} */ (pressed.target).closest("[data-panel]");
    if (trace === null || !(box instanceof HTMLElement) || isModified(pressed)) return;
    const move = moveBy(box.dataset.panel ?? "", pressed.key, {
      ...this.selection,
      key: this.#index("key"),
      heads: attentionHeads(trace),
      count: trace.tokens.length,
      rightToLeft: getComputedStyle(box.firstElementChild ?? box).direction === "rtl",
    });
    if (move === null) return;
    pressed.preventDefault();
    this.#hover = {};
    this.#select(move);
  };

  /**
   * @param {{ clientX: number, clientY: number }} pointer
   * @returns {Place} a cell of the heat map as a query and a key
   */
  #placeOf(pointer) {
    const under = this.root.elementFromPoint(pointer.clientX, pointer.clientY);
    const { row, col, ...place } = placeOf(pointer, under);
    if (row !== undefined && col !== undefined) return { token: row, key: col };
    return row === undefined ? place : { key: row };
  }

  /** @param {import("./attention-keys.js").Move} move */
  #select(move) {
    const before = { ...this.selection, key: this.#index("key") };
    for (const [name, value] of Object.entries({ ...before, ...move })) {
      if (value === null) this.removeAttribute(name);
      else this.setAttribute(name, String(value));
    }
    this.requestPaint();
    const detail = this.selection;
    const event = new CustomEvent("headscope-select", { detail, bubbles: true, composed: true });
    this.dispatchEvent(event);
  }
}
