import { writeAddress } from "./address.js";

const choices = ["system", "light", "dark"];

/**
 * The switch between the system's theme, light and dark.
 *
 * @param {HTMLButtonElement} button
 * @param {string | undefined} asked what the address says
 */
export function startTheme(button, asked) {
  let chosen = asked !== undefined && choices.includes(asked) ? asked : "system";
  const apply = () => {
    const theme = chosen === "system" ? null : chosen;
    for (const node of document.querySelectorAll("headscope-attention, headscope-positions")) {
      if (theme === null) node.removeAttribute("theme");
      else node.setAttribute("theme", theme);
    }
    if (theme === null) delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    button.textContent = `Theme: ${chosen}`;
  };
  button.addEventListener("click", () => {
    chosen = /** @type {string} */ (choices[(choices.indexOf(chosen) + 1) % choices.length]);
    writeAddress({ theme: chosen === "system" ? null : chosen });
    apply();
  });
  apply();
}
