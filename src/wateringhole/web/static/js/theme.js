// @ts-check
/** The light or dark theme: the system's preference, unless the user chose another in this browser. */

import { h, icon } from "./dom.js";
import { loadPreference, savePreference } from "./preferences.js";
import { t } from "./text.js";

const KEY = "theme";

/** @returns {"light" | "dark"} */
function currentTheme() {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === "light" || chosen === "dark") return chosen;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** Applies the theme that the user chose earlier, if any. */
export function applySavedTheme() {
  const chosen = loadPreference(KEY);
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
}

/** Creates the button that switches the theme. */
export function themeButton() {
  const button = h("button", { class: "tool theme", type: "button", onclick: toggle }, icon("theme"));
  updateLabel();
  function updateLabel() {
    button.setAttribute("aria-label", currentTheme() === "dark" ? t("theme.light") : t("theme.dark"));
  }
  function toggle() {
    const next = currentTheme() === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    savePreference(KEY, next);
    updateLabel();
  }
  return button;
}
