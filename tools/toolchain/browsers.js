// The browsers that the tests drive, and what they need to draw on a machine without a screen.
import { distribution, installPackages } from "./apt.js";

const PACKAGES = [
  ...["chromium", "firefox-esr", "webkit2gtk-driver", "xvfb", "xauth"],
  ...["fonts-dejavu-core", "fonts-noto-color-emoji"],
];

/** Installs them where apt can. */
export function ensureBrowsers() {
  if (distribution()?.id === "debian") installPackages(PACKAGES, "to test in browsers");
}
