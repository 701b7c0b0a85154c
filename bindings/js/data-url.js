import { HeadscopeError } from "./trace/error.js";

/**
 * The bytes of a data: URL in base64, without a fetch, which a content security policy may forbid.
 *
 * @param {string} href
 * @returns {Uint8Array}
 * @throws {HeadscopeError} `bad-argument`
 */
export function decodeDataUrl(href) {
  const comma = href.indexOf(",");
  const text = decodeBase64(href.slice(comma + 1));
  if (text === undefined || !href.slice(0, comma).endsWith(";base64")) {
    const start = `${href.slice(0, 40)}...`;
    throw new HeadscopeError("bad-argument", `${start} cannot be decoded, expected base64`);
  }
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/**
 * @param {string} text
 * @returns {string | undefined} a character for each byte
 */
function decodeBase64(text) {
  try {
    return atob(text);
  } catch {
    return undefined;
  }
}
