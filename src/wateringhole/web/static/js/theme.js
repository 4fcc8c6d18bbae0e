// @ts-check
/** Noon or moonlight: the system's wish, unless the reader chose otherwise on this machine. */

import { h, icon } from "./dom.js";
import { recall, remember } from "./preferences.js";

const KEY = "theme";

/** @returns {"light" | "dark"} */
function shown() {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === "light" || chosen === "dark") return chosen;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** Follows the choice made earlier, if there was one. */
export function followTheme() {
  const chosen = recall(KEY);
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
}

/** A button for the header. */
export function themeButton() {
  const button = h("button", { class: "tool theme", type: "button", onclick: change }, icon("theme"));
  name();
  function name() {
    button.setAttribute("aria-label", shown() === "dark" ? "Show it by day" : "Show it by moonlight");
  }
  function change() {
    const next = shown() === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    remember(KEY, next);
    name();
  }
  return button;
}
