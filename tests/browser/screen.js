/** @typedef {import("puppeteer-core").Page} Page */

/**
 * What the workbench shows, read from the page.
 *
 * @typedef {object} Shown
 * @property {string} text of the trace
 * @property {string[]} tokens as drawn
 * @property {number[][][][]} attention [layer][head][query][key], of the trace
 * @property {string} title over the chosen head
 * @property {string} note under the title
 * @property {string[]} cells texts in the cells of the heat map, row by row
 * @property {string[][]} table texts of the table of numbers, row by row
 * @property {number} heads how many heads are drawn with a picture
 * @property {string} status
 */

/**
 * Waits until the workbench shows the trace of a text.
 *
 * @param {Page} page
 * @param {string} text
 * @throws {Error} with what stands on the screen instead
 */
export async function waitForText(page, text) {
  const shown = (/** @type {string} */ expected) => {
    const element = document.querySelector("headscope-attention");
    return element !== null && "trace" in element && Object(element.trace).text === expected;
  };
  try {
    await page.waitForFunction(shown, { timeout: 60000 }, text);
  } catch (error) {
    const instead = await page.evaluate(() => {
      const root = document.querySelector("headscope-attention")?.shadowRoot;
      return root?.textContent ?? document.body.textContent;
    });
    throw new Error(`"${text}" is not shown, but: ${instead}`, { cause: error });
  }
  await settle(page);
}

/**
 * Waits for what was asked for to be painted.
 *
 * @param {Page} page
 */
export async function settle(page) {
  await page.evaluate(
    () =>
      new Promise((resolve) => {
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(undefined)));
      }),
  );
}

/**
 * @param {Page} page
 * @returns {Promise<Shown>}
 */
export async function readScreen(page) {
  return page.evaluate(() => {
    const element = /** @type {import("../../web/elements/attention.js").HeadscopeAttention} */ (
      document.querySelector("headscope-attention")
    );
    const { trace, root } = element;
    const texts = (/** @type {ParentNode} */ node, /** @type {string} */ selector) =>
      Array.from(node.querySelectorAll(selector), (found) => found.textContent ?? "");
    const count = trace?.tokens.length ?? 0;
    const layers = trace === null || count === 0 ? [] : trace.layers("attention");
    const heads = Array.from({ length: trace?.config.n_heads ?? 0 }, (_, head) => head);
    const status = root.querySelector(".status");
    return {
      text: trace?.text ?? "",
      tokens: texts(root, ".token .text"),
      attention: layers.map((layer) =>
        heads.map((head) => {
          const weights = /** @type {NonNullable<typeof trace>} */ (trace).attention(layer, head);
          return Array.from({ length: count }, (_, query) => Array.from(weights.row(query)));
        }),
      ),
      title: texts(root, ".heading h3")[0] ?? "",
      note: texts(root, ".heading .note")[0] ?? "",
      cells: texts(root, ".panel.heatmap text.value"),
      table: Array.from(root.querySelectorAll(".numbers tr"), (row) => texts(row, "th, td")),
      heads: Array.from(root.querySelectorAll(".heads .head canvas"), (canvas) =>
        canvas.getBoundingClientRect(),
      ).filter(({ width }) => width > 0).length,
      status: status instanceof HTMLElement && !status.hidden ? (texts(status, "p")[0] ?? "") : "",
    };
  });
}

/**
 * Puts a text into the first text box, as a reader does.
 *
 * @param {Page} page
 * @param {string} text
 */
export async function typeSentence(page, text) {
  await page.focus("#sentence");
  await page.evaluate(() => {
    const box = document.querySelector("textarea");
    box?.select();
  });
  if (text === "") await page.keyboard.press("Backspace");
  else await page.keyboard.type(text);
}

/**
 * Focuses the box of one of the workbench's panels, as Tab does.
 *
 * @param {Page} page
 * @param {string} panel
 */
export async function focusPanel(page, panel) {
  await page.evaluate((name) => {
    const element = document.querySelector("headscope-attention");
    const box = element?.shadowRoot?.querySelector(`[data-panel="${name}"]`);
    if (box instanceof HTMLElement) box.focus();
  }, panel);
}

/**
 * The name of the panel that has the keyboard.
 *
 * @param {Page} page
 * @returns {Promise<string | undefined>}
 */
export async function focusedPanel(page) {
  return page.evaluate(() => {
    const inner = document.activeElement?.shadowRoot?.activeElement;
    return inner instanceof HTMLElement ? inner.dataset.panel : undefined;
  });
}
