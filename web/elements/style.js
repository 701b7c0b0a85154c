/** How the elements lay out their panels; the plots' own style is beside the plots. */
export const elementStyle = `
:host {
  display: block; container-type: inline-size; font: 14px/20px system-ui, "Segoe UI", Roboto,
    "Helvetica Neue", sans-serif; color: var(--headscope-ink); -webkit-text-size-adjust: 100%;
}
:host([hidden]), [hidden] { display: none !important; }
h3 { font-size: 16px; line-height: 22px; font-weight: 600; margin: 0; text-wrap: balance; }
h3, .note, .status p { overflow-wrap: anywhere; }
h3:empty, .note:empty, .keys:empty { display: none; }
.panel { min-width: 0; }
.panel-head { display: flex; flex-wrap: wrap; gap: 4px 24px; justify-content: space-between; align-items: end; }
.panel-head:not(:has(h3:not(:empty), .note:not(:empty), .keys:not(:empty))) { display: none; }
.note { color: var(--headscope-muted); margin: 0; min-height: 20px; }
.box { margin: 9px -3px -3px; padding: 3px; border-radius: 2px; overflow-x: auto; overflow-y: hidden; }
.box:focus { outline: none; }
.box:focus-visible { outline: 2px solid var(--headscope-accent); outline-offset: 2px; }
.foot { margin-top: 10px; font-size: 12px; line-height: 16px; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 20px; align-items: center; }

.view { display: grid; gap: 24px; }
.heading h3 { font-size: 20px; line-height: 26px; }
.setting { display: flex; align-items: center; gap: 8px; min-height: 24px; color: var(--headscope-muted); cursor: pointer; }
.setting input { width: 16px; height: 16px; margin: 0; accent-color: var(--headscope-accent); }
.tokens .box { margin-top: -3px; }

.workbench { grid-template-columns: minmax(0, 1fr); grid-template-areas: "tokens" "grid" "heading" "lines" "heatmap" "numbers"; }
.workbench > .tokens { grid-area: tokens; }
.workbench > .grid { grid-area: grid; }
.workbench > .heading { grid-area: heading; }
.workbench > .lines { grid-area: lines; }
.workbench > .heatmap { grid-area: heatmap; }
.workbench > .numbers-panel { grid-area: numbers; }
.numbers-panel .box { max-height: 620px; overflow-y: auto; }
.lines .box { max-height: 760px; overflow-y: auto; overflow-x: hidden; }
.view:not(.workbench.long) > .lines .panel-head { display: none; }
@container (max-width: 999px) { .workbench > .lines .panel-head { display: none; } }
@container (min-width: 680px) {
  .workbench {
    grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); gap: 24px 40px;
    grid-template-areas: "tokens tokens" "grid heading" "grid lines" "grid heatmap" "numbers numbers";
    grid-template-rows: auto auto auto 1fr auto;
  }
}
@container (min-width: 1000px) {
  .workbench {
    grid-template-columns: minmax(0, 30fr) minmax(0, 24fr) minmax(0, 46fr); gap: 24px 36px;
    grid-template-areas: "tokens tokens tokens" "grid heading heading" "grid lines heatmap" "numbers numbers numbers";
    grid-template-rows: auto auto 1fr auto;
  }
  .workbench.long {
    grid-template-columns: minmax(0, 38fr) minmax(0, 62fr);
    grid-template-areas: "tokens tokens" "grid heading" "grid heatmap" "lines heatmap" "numbers numbers";
    grid-template-rows: auto auto auto 1fr auto;
  }
}
.stale { filter: grayscale(1); }

.status { margin-bottom: 24px; max-width: 68ch; }
.status p, ::slotted(p) { margin: 0; }
.status progress { display: block; width: min(100%, 360px); height: 6px; margin-top: 10px; accent-color: var(--headscope-accent); }
.status.failed p, .panel.failed .note { color: var(--headscope-alert); }
.buttons { display: flex; gap: 20px; margin-top: 8px; }
button {
  font: inherit; min-height: 28px; padding: 0; border: 0; background: none; cursor: pointer;
  color: var(--headscope-accent); text-decoration: underline; text-underline-offset: 3px;
}
button:focus-visible, input:focus-visible { outline: 2px solid var(--headscope-accent); outline-offset: 3px; }
.status textarea { display: block; width: 100%; margin-top: 8px; font: 12px/18px ui-monospace, Menlo, Consolas, monospace; }
`;
