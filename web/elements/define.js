import { HeadscopeAttention } from "./attention.js";
import { HeadscopePositions } from "./positions.js";

// Where there is no document, as on a server, and where another copy of this script has been
// here before, there is nothing to do.
if (typeof customElements !== "undefined") {
  define("headscope-attention", HeadscopeAttention);
  define("headscope-positions", HeadscopePositions);
}

/**
 * @param {string} name
 * @param {CustomElementConstructor} element
 */
function define(name, element) {
  if (customElements.get(name) === undefined) customElements.define(name, element);
}

export { HeadscopeAttention, HeadscopePositions };
