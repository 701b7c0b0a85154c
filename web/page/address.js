/**
 * What the address holds after its `#`, so that it brings the same screen back anywhere: also from
 * a file, whose address may not change in any other part.
 *
 * @typedef {Record<string, string>} Screen names and values of the settings that differ from the
 *   page's own
 */

/** @returns {Screen} */
export function readAddress() {
  return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}

/**
 * Puts settings into the address; null takes one out. The history gets no entry: the way back
 * leads to the page before this one, not through every key that was pressed.
 *
 * @param {Record<string, string | number | null>} changes
 */
export function writeAddress(changes) {
  const screen = new URLSearchParams(location.hash.slice(1));
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) screen.delete(name);
    else screen.set(name, String(value));
  }
  const hash = `#${screen}`;
  if (hash === (location.hash || "#")) return;
  try {
    history.replaceState(null, "", hash);
  } catch {
    // a page in a sandboxed frame has no address of its own, and Safari counts the changes: the
    // screen is then right without it
  }
}
