import { palettes } from "./palette.js";
import { fontFamily } from "./text-width.js";

/**
 * The colours of a theme as CSS custom properties.
 *
 * @param {import("./palette.js").Theme} theme
 * @returns {string} declarations
 */
export function paletteStyle(theme) {
  const { series, ...colours } = palettes[theme];
  const named = Object.entries(colours).map(([name, value]) => `--headscope-${name}: ${value};`);
  return [...named, `color-scheme: ${theme};`].join(" ");
}

/** What all plots look like, besides the numbers. To be adopted by whatever shows plots. */
export const plotStyle = `
.plot { font-family: ${fontFamily}; font-variant-numeric: tabular-nums; color: var(--headscope-ink); }
.plot text { font-size: 13px; unicode-bidi: plaintext; }
.plot text:not(.value) { fill: var(--headscope-ink); }
.plot text.axis, .plot text.tick, .plot .axis { fill: var(--headscope-muted); color: var(--headscope-muted); font-size: 12px; }
.plot .chosen { font-weight: 600; }
.plot text.tick.chosen { fill: var(--headscope-ink); }
.plot text.value { font-size: 12px; }
.plot .hairline { stroke: var(--headscope-line); }
.plot .cursor { stroke: var(--headscope-muted); }
.cells { display: block; image-rendering: pixelated; }

.heatmap { position: relative; }
.heatmap .cells { position: absolute; }
.heatmap .over { position: absolute; inset: 0; overflow: visible; }
.row-mark, .cell-mark { stroke: var(--headscope-ink); stroke-width: 1.5; }
.cell-mark { stroke-width: 2.5; }

svg.plot { display: block; overflow: visible; }
.lines text { font-size: 14px; }
.lines .axis { font-size: 12px; }
.lines .end { cursor: pointer; }
.link { stroke: var(--headscope-accent); stroke-opacity: 0.78; }
.link.faint { stroke-opacity: 0.1; }
.lines text.share { fill: var(--headscope-accent); font-weight: 600; }

.heads .layer { display: grid; gap: 12px; margin: 4px 0 16px; }
.heads .head { cursor: pointer; font-size: 12px; line-height: 16px; }
.heads .head .cells {
  outline: 1px solid var(--headscope-line); outline-offset: 0; margin-bottom: 6px;
}
.heads .head.hovered .cells { outline: 1px solid var(--headscope-ink); }
.heads .head.chosen .cells { outline: 2px solid var(--headscope-ink); }
.heads .head .name { font-size: 14px; line-height: 18px; }
.heads .head .name, .heads .head .caption { white-space: nowrap; }
.heads .head .caption { color: var(--headscope-muted); font-weight: 400; }

.strip-of-tokens { display: flex; flex-wrap: wrap; row-gap: 10px; font-size: 20px; line-height: 28px; }
.strip-of-tokens .token {
  display: flex; flex-direction: column; align-items: center; min-width: 24px; max-width: 100%;
  cursor: pointer; margin-inline-end: 10px;
}
.strip-of-tokens .token.goes-on { margin-inline-end: 1px; }
.strip-of-tokens.many { font-size: 16px; line-height: 24px; row-gap: 6px; }
.strip-of-tokens.many .token { margin-inline-end: 4px; }
.strip-of-tokens.many .token.goes-on { margin-inline-end: 1px; }
.strip-of-tokens .text {
  align-self: stretch; text-align: center; padding: 0 4px; overflow: clip; overflow-clip-margin: 4px; overflow-wrap: anywhere;
  border-bottom: 1px solid var(--headscope-line);
}
.strip-of-tokens .chosen .text { border-bottom: 3px solid var(--headscope-ink); margin-bottom: -2px; }
.strip-of-tokens .text.unknown { border-bottom: 2px dotted var(--headscope-alert); }
.strip-of-tokens .id {
  font: 12px/18px ui-monospace, Menlo, Consolas, monospace; color: var(--headscope-muted);
  font-weight: 400; padding: 0 3px;
}
.strip-of-tokens .unknown + .id { color: var(--headscope-alert); }
.strip-of-tokens .id.share { font-family: ${fontFamily}; color: var(--headscope-ink); }

.numbers { border-collapse: collapse; font-size: 14px; line-height: 24px; }
.numbers th, .numbers td { text-align: right; padding: 0 0 0 20px; font-weight: 400; white-space: nowrap; }
.numbers th:first-child { text-align: left; padding-left: 0; }
.numbers thead th { color: var(--headscope-muted); border-bottom: 1px solid var(--headscope-line); }
.numbers.with-total tbody tr:last-child > * { border-top: 1px solid var(--headscope-line); }
.numbers td.chosen, .numbers th.chosen, .numbers tr.chosen > * { font-weight: 600; color: var(--headscope-ink); }
.heard { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

.key { display: inline-flex; align-items: center; gap: 6px; font-size: 12px; color: var(--headscope-muted); white-space: nowrap; }
@container (max-width: 480px) { .numbers th, .numbers td { padding-left: 10px; } }
.curve { stroke-width: 2; }
.curve.cosine { stroke-dasharray: 5 3; }
`;
